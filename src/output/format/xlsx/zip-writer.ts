import { crc32, createDeflateRaw, type DeflateRaw } from 'node:zlib';

export type WriteBytes = (bytes: Uint8Array) => Promise<void>;

interface Part {
  readonly crc: number;
  readonly packed: number;
  readonly size: number;
}

interface Entry extends Part {
  readonly name: Buffer;
  readonly at: number;
}

/** Sizes and the checksum follow the content; names are UTF-8. */
const FLAGS = 0x0808;
const DEFLATE = 8;
const VERSION = 20;
/** Always 1 January 1980, so that the same rows give the same bytes. */
const DATE = 0x0021;
/** ZIP stores sizes in 32 bits (without the ZIP64 extension). */
const MOST_BYTES = 0xffff_ffff;

export class ZipTooLarge extends Error {}

/** Writes a ZIP file part by part, each as a stream: memory does not grow with the size of the parts. */
export class ZipWriter {
  readonly #write: WriteBytes;
  readonly #entries: Entry[] = [];
  #at = 0;

  constructor(write: WriteBytes) {
    this.#write = write;
  }

  /** Call it only after the previous part has ended. */
  async begin(name: string): Promise<PartWriter> {
    const bytes = Buffer.from(name);
    const at = this.#at;
    const head = Buffer.alloc(30);
    head.writeUInt32LE(0x04034b50, 0);
    head.writeUInt16LE(VERSION, 4);
    head.writeUInt16LE(FLAGS, 6);
    head.writeUInt16LE(DEFLATE, 8);
    head.writeUInt16LE(DATE, 12);
    head.writeUInt16LE(bytes.length, 26);
    await this.#put(Buffer.concat([head, bytes]));
    return new PartWriter(
      (packed) => this.#put(packed),
      async (part) => {
        const tail = Buffer.alloc(16);
        tail.writeUInt32LE(0x08074b50, 0);
        tail.writeUInt32LE(part.crc, 4);
        tail.writeUInt32LE(counted(part.packed), 8);
        tail.writeUInt32LE(counted(part.size), 12);
        await this.#put(tail);
        this.#entries.push({ name: bytes, at, ...part });
      },
    );
  }

  async add(name: string, text: string): Promise<void> {
    const part = await this.begin(name);
    await part.write(text);
    await part.end();
  }

  async end(): Promise<void> {
    const start = this.#at;
    for (const entry of this.#entries) await this.#put(directoryEntry(entry));
    const end = Buffer.alloc(22);
    end.writeUInt32LE(0x06054b50, 0);
    end.writeUInt16LE(this.#entries.length, 8);
    end.writeUInt16LE(this.#entries.length, 10);
    end.writeUInt32LE(counted(this.#at - start), 12);
    end.writeUInt32LE(counted(start), 16);
    await this.#put(end);
  }

  async #put(bytes: Uint8Array): Promise<void> {
    this.#at += bytes.length;
    await this.#write(bytes);
  }
}

export class PartWriter {
  readonly #put: WriteBytes;
  readonly #ended: (part: Part) => Promise<void>;
  readonly #deflate: DeflateRaw = createDeflateRaw();
  #waiting: Buffer[] = [];
  #crc = 0;
  #packed = 0;
  #size = 0;

  constructor(put: WriteBytes, ended: (part: Part) => Promise<void>) {
    this.#put = put;
    this.#ended = ended;
    this.#deflate.on('data', (piece: Buffer) => this.#waiting.push(piece));
  }

  /** Bytes before compression. */
  get size(): number {
    return this.#size;
  }

  async write(text: string): Promise<void> {
    const bytes = Buffer.from(text);
    this.#crc = crc32(bytes, this.#crc);
    this.#size += bytes.length;
    await new Promise<void>((resolve, reject) => {
      this.#deflate.write(bytes, (error) => (error == null ? resolve() : reject(error)));
    });
    await this.#drain();
  }

  async end(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#deflate.once('end', resolve).once('error', reject).end();
    });
    await this.#drain();
    await this.#ended({ crc: this.#crc, packed: this.#packed, size: this.#size });
  }

  async #drain(): Promise<void> {
    const pieces = this.#waiting;
    this.#waiting = [];
    for (const piece of pieces) {
      this.#packed += piece.length;
      await this.#put(piece);
    }
  }
}

function directoryEntry({ name, at, crc, packed, size }: Entry): Buffer {
  const head = Buffer.alloc(46);
  head.writeUInt32LE(0x02014b50, 0);
  head.writeUInt16LE(VERSION, 4);
  head.writeUInt16LE(VERSION, 6);
  head.writeUInt16LE(FLAGS, 8);
  head.writeUInt16LE(DEFLATE, 10);
  head.writeUInt16LE(DATE, 14);
  head.writeUInt32LE(crc, 16);
  head.writeUInt32LE(packed, 20);
  head.writeUInt32LE(size, 24);
  head.writeUInt16LE(name.length, 28);
  head.writeUInt32LE(counted(at), 42);
  return Buffer.concat([head, name]);
}

/** @throws ZipTooLarge */
function counted(bytes: number): number {
  if (bytes > MOST_BYTES) throw new ZipTooLarge();
  return bytes;
}
