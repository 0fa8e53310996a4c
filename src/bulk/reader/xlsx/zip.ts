import { type FileHandle, open } from 'node:fs/promises';
import { crc32, createInflateRaw } from 'node:zlib';
import type { ByteSource } from '../byte-source.ts';
import { unpacked } from '../gunzip.ts';
import { BookError } from './book-error.ts';

const END_SIGNATURE = 0x06054b50;
const LOCATOR_SIGNATURE = 0x07064b50;
const END64_SIGNATURE = 0x06064b50;
const ENTRY_SIGNATURE = 0x02014b50;
const LOCAL_SIGNATURE = 0x04034b50;

/** The end of the archive with the longest comment it may have. */
const END_BYTES = 22 + 0xffff;
/** A workbook has a dozen parts; a directory this long is no workbook's. */
const MOST_DIRECTORY_BYTES = 16 << 20;
const CHUNK_BYTES = 64 << 10;

interface Entry {
  readonly at: number;
  readonly packedBytes: number;
  readonly method: number;
  readonly crc: number;
  readonly isEncrypted: boolean;
}

/** The parts of a packed file, each read as a stream: memory does not grow with them. */
export class Zip {
  readonly #file: FileHandle;
  readonly #entries: ReadonlyMap<string, Entry>;

  private constructor(file: FileHandle, entries: ReadonlyMap<string, Entry>) {
    this.#file = file;
    this.#entries = entries;
  }

  /** @throws BookError, or the system's errors */
  static async open(path: string): Promise<Zip> {
    const file = await open(path, 'r');
    try {
      return new Zip(file, await directoryOf(file));
    } catch (thrown) {
      await file.close();
      throw thrown;
    }
  }

  has(name: string): boolean {
    return this.#entries.has(name.toLowerCase());
  }

  /**
   * What is in a part, in pieces that are good until the next one is asked for.
   *
   * @throws BookError where it is missing or damaged
   */
  async *read(name: string): AsyncGenerator<Buffer, void> {
    const entry = this.#entries.get(name.toLowerCase());
    if (entry === undefined) throw new BookError(`it has no part ${name}`);
    if (entry.isEncrypted) throw new BookError(`its part ${name} is locked by a password`);
    const source = await this.#open(name, entry);
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    let crc = 0;
    try {
      for (;;) {
        const got = await source.read(buffer, 0, buffer.length);
        if (got === 0) break;
        const piece = buffer.subarray(0, got);
        crc = crc32(piece, crc);
        yield piece;
      }
      if (source.problem !== undefined || crc !== entry.crc) {
        throw new BookError(`its part ${name} is damaged`);
      }
    } finally {
      await source.close();
    }
  }

  async #open(name: string, entry: Entry): Promise<ByteSource> {
    const head = await bytesAt(this.#file, entry.at, 30);
    if (head.length < 30 || head.readUInt32LE(0) !== LOCAL_SIGNATURE) {
      throw new BookError(`its part ${name} is damaged`);
    }
    const start = entry.at + 30 + head.readUInt16LE(26) + head.readUInt16LE(28);
    const packed = range(this.#file, start, entry.packedBytes);
    if (entry.method === 0) return packed;
    if (entry.method === 8) {
      return unpacked(packed, createInflateRaw({ chunkSize: CHUNK_BYTES }), name);
    }
    throw new BookError(`its part ${name} is packed in a way that is not known`);
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}

/** Part of a file. Closing it leaves the file open. */
function range(file: FileHandle, start: number, bytes: number): ByteSource {
  let at = start;
  const end = start + bytes;
  return {
    async read(target, offset, length) {
      const most = Math.min(length, end - at);
      if (most <= 0) return 0;
      const { bytesRead } = await file.read(target, offset, most, at);
      at += bytesRead;
      return bytesRead;
    },
    close: async () => {},
  };
}

async function bytesAt(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await file.read(buffer, 0, length, at);
  return buffer.subarray(0, bytesRead);
}

/** By the directory at the end: sizes that stand before the parts may be left out. */
async function directoryOf(file: FileHandle): Promise<ReadonlyMap<string, Entry>> {
  const { size } = await file.stat();
  const from = Math.max(0, size - END_BYTES);
  const tail = await bytesAt(file, from, size - from);
  let end = tail.length - 22;
  while (end >= 0 && tail.readUInt32LE(end) !== END_SIGNATURE) end--;
  if (end < 0) throw new BookError('it ends in the middle');
  let bytes = tail.readUInt32LE(end + 12);
  let at = tail.readUInt32LE(end + 16);
  const locator = end - 20;
  if (locator >= 0 && tail.readUInt32LE(locator) === LOCATOR_SIGNATURE) {
    const end64 = await bytesAt(file, Number(tail.readBigUInt64LE(locator + 8)), 56);
    if (end64.length < 56 || end64.readUInt32LE(0) !== END64_SIGNATURE) {
      throw new BookError('its directory is damaged');
    }
    bytes = Number(end64.readBigUInt64LE(40));
    at = Number(end64.readBigUInt64LE(48));
  }
  if (bytes > MOST_DIRECTORY_BYTES || at + bytes > size) {
    throw new BookError('its directory is damaged');
  }
  return entriesIn(await bytesAt(file, at, bytes));
}

function entriesIn(directory: Buffer): ReadonlyMap<string, Entry> {
  const entries = new Map<string, Entry>();
  for (let at = 0; at + 46 <= directory.length; ) {
    if (directory.readUInt32LE(at) !== ENTRY_SIGNATURE) break;
    const nameBytes = directory.readUInt16LE(at + 28);
    const extraBytes = directory.readUInt16LE(at + 30);
    const extra = directory.subarray(at + 46 + nameBytes, at + 46 + nameBytes + extraBytes);
    const size = directory.readUInt32LE(at + 24);
    const packed = directory.readUInt32LE(at + 20);
    const local = directory.readUInt32LE(at + 42);
    const wide = wideNumbers(extra, [size, packed, local]);
    const name = directory.toString('utf8', at + 46, at + 46 + nameBytes);
    entries.set(name.replaceAll('\\', '/').toLowerCase(), {
      packedBytes: wide[1]!,
      at: wide[2]!,
      method: directory.readUInt16LE(at + 10),
      crc: directory.readUInt32LE(at + 16),
      isEncrypted: (directory.readUInt16LE(at + 8) & 1) === 1,
    });
    at += 46 + nameBytes + extraBytes + directory.readUInt16LE(at + 32);
  }
  return entries;
}

/** Numbers of 32 bits that are too small for theirs stand in an extra field, in this order. */
function wideNumbers(extra: Buffer, numbers: readonly number[]): number[] {
  let at = 0;
  while (at + 4 <= extra.length && extra.readUInt16LE(at) !== 1) {
    at += 4 + extra.readUInt16LE(at + 2);
  }
  at += 4;
  return numbers.map((number) => {
    if (number !== 0xffffffff || at + 8 > extra.length) return number;
    at += 8;
    return Number(extra.readBigUInt64LE(at - 8));
  });
}
