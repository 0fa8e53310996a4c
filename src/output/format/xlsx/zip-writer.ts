import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import yazl from 'yazl';

export type WriteBytes = (bytes: Uint8Array) => Promise<void>;

/** Always 1 January 1980, so that the same rows give the same bytes. */
const OPTIONS = { mtime: new Date(1980, 0, 1), forceDosTimestamp: true };

/** Writes a ZIP file part by part, each as a stream: memory does not grow with the size of the parts. */
export class ZipWriter {
  readonly #zip = new yazl.ZipFile();
  readonly #written: Promise<void>;

  constructor(write: WriteBytes) {
    this.#written = pump(this.#zip.outputStream, write);
    // The error is thrown by the next `write` or `end`.
    this.#written.catch(() => undefined);
  }

  begin(name: string): PartWriter {
    const part = new PassThrough();
    this.#zip.addReadStream(part, name, OPTIONS);
    return new PartWriter(part, this.#written);
  }

  async add(name: string, text: string): Promise<void> {
    const part = this.begin(name);
    await part.write(text);
    part.end();
  }

  async end(): Promise<void> {
    this.#zip.end();
    await this.#written;
  }
}

export class PartWriter {
  readonly #part: PassThrough;
  readonly #written: Promise<void>;
  /** Bytes before compression. */
  size = 0;

  constructor(part: PassThrough, written: Promise<void>) {
    this.#part = part;
    this.#written = written;
  }

  /** Waits while the file is slower than the rows. */
  async write(text: string): Promise<void> {
    const bytes = Buffer.from(text);
    this.size += bytes.length;
    if (!this.#part.write(bytes)) await Promise.race([once(this.#part, 'drain'), this.#written]);
  }

  end(): void {
    this.#part.end();
  }
}

async function pump(from: AsyncIterable<Uint8Array | string>, write: WriteBytes): Promise<void> {
  for await (const bytes of from) await write(Buffer.from(bytes));
}
