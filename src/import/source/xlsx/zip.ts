import { crc32 } from 'node:zlib';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { systemCode } from '../../../core/errors.ts';
import { BookError } from './book-error.ts';

/** A workbook has a few parts for each sheet; a directory this long is no workbook's. */
const MOST_PARTS = 50_000;

/** The parts of a packed file, each read as a stream: memory does not grow with them. */
export class Zip {
  readonly #file: ZipFile;
  readonly #entries: ReadonlyMap<string, Entry>;

  private constructor(file: ZipFile, entries: ReadonlyMap<string, Entry>) {
    this.#file = file;
    this.#entries = entries;
  }

  /** @throws BookError, or the system's errors */
  static async open(path: string): Promise<Zip> {
    const options = { lazyEntries: true, autoClose: false, decodeStrings: true } as const;
    const file = await openPromise(path, options).catch((thrown: Error) => {
      if (systemCode(thrown) !== undefined) throw thrown;
      const isCut = /end of central directory record/i.test(thrown.message);
      throw new BookError(isCut ? 'it ends in the middle' : 'its directory is damaged');
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

  /**
   * What is in a part, in pieces.
   *
   * @throws BookError where it is missing or damaged
   */
  async *read(name: string): AsyncGenerator<Buffer, void> {
    const entry = this.#entries.get(name.toLowerCase());
    if (entry === undefined) throw new BookError(`it has no part ${name}`);
    if (entry.isEncrypted()) throw new BookError(`its part ${name} is locked by a password`);
    if (!entry.canDecodeFileData()) {
      throw new BookError(`its part ${name} is packed in a way that is not known`);
    }
    let crc = 0;
    try {
      for await (const piece of await this.#file.openReadStreamPromise(entry)) {
        crc = crc32(piece, crc);
        yield piece;
      }
    } catch (thrown) {
      throw isSystems(thrown) ? thrown : new BookError(`its part ${name} is damaged`);
    }
    if (crc !== entry.crc32) throw new BookError(`its part ${name} is damaged`);
  }

  close(): void {
    this.#file.close();
  }
}

async function entriesOf(file: ZipFile): Promise<ReadonlyMap<string, Entry>> {
  const entries = new Map<string, Entry>();
  if (file.entryCount > MOST_PARTS) throw new BookError('its directory is damaged');
  try {
    for await (const entry of file.eachEntry()) entries.set(entry.fileName.toLowerCase(), entry);
  } catch (thrown) {
    throw isSystems(thrown) ? thrown : new BookError('its directory is damaged');
  }
  return entries;
}

/** An error of the disk; those of the unpacker have codes of their own. */
function isSystems(thrown: unknown): boolean {
  const code = systemCode(thrown);
  return code !== undefined && !code.startsWith('Z_');
}
