import { crc32 } from 'node:zlib';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { systemCode } from '../../../core/errors.ts';

/** A workbook that cannot be read. Its message follows "cannot read FILE as a workbook: ". */
export class WorkbookError extends Error {
  /** Undefined: the hint is to save the sheet as CSV. */
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}

/** A workbook has a few parts for each sheet, never this many. */
const MOST_PARTS = 50_000;

/** The parts of a zip file. Each is read as a stream, so memory does not grow with its size. */
export class Zip {
  readonly #file: ZipFile;
  readonly #entries: ReadonlyMap<string, Entry>;

  private constructor(file: ZipFile, entries: ReadonlyMap<string, Entry>) {
    this.#file = file;
    this.#entries = entries;
  }

  /** @throws WorkbookError, or the system's errors */
  static async open(path: string): Promise<Zip> {
    const options = { lazyEntries: true, autoClose: false, decodeStrings: true } as const;
    const file = await openPromise(path, options).catch((thrown: Error) => {
      if (systemCode(thrown) !== undefined) throw thrown;
      const isCut = /end of central directory record/i.test(thrown.message);
      throw new WorkbookError(isCut ? 'it is incomplete' : 'its directory is damaged');
    });
    try {
      return new Zip(file, await entriesOf(file));
    } catch (thrown) {
      file.close();
      throw thrown;
    }
  }

  has(name: string): boolean {
    return this.#entries.has(name.toLowerCase());
  }

  /** @throws WorkbookError if the part is missing or damaged */
  async *read(name: string): AsyncGenerator<Buffer, void> {
    const entry = this.#entries.get(name.toLowerCase());
    if (entry === undefined) throw new WorkbookError(`it has no part ${name}`);
    if (entry.isEncrypted()) throw new WorkbookError(`its part ${name} is password-protected`);
    if (!entry.canDecodeFileData()) {
      throw new WorkbookError(`its part ${name} uses an unsupported compression method`);
    }
    let crc = 0;
    try {
      for await (const piece of await this.#file.openReadStreamPromise(entry)) {
        crc = crc32(piece, crc);
        yield piece;
      }
    } catch (thrown) {
      throw isSystems(thrown) ? thrown : new WorkbookError(`its part ${name} is damaged`);
    }
    if (crc !== entry.crc32) throw new WorkbookError(`its part ${name} is damaged`);
  }

  close(): void {
    this.#file.close();
  }
}

async function entriesOf(file: ZipFile): Promise<ReadonlyMap<string, Entry>> {
  const entries = new Map<string, Entry>();
  if (file.entryCount > MOST_PARTS) throw new WorkbookError('its directory is damaged');
  try {
    for await (const entry of file.eachEntry()) entries.set(entry.fileName.toLowerCase(), entry);
  } catch (thrown) {
    throw isSystems(thrown) ? thrown : new WorkbookError('its directory is damaged');
  }
  return entries;
}

/** A system error, such as a full disk. Codes that start with `Z_` come from the unpacker. */
function isSystems(thrown: unknown): boolean {
  const code = systemCode(thrown);
  return code !== undefined && !code.startsWith('Z_');
}
