import type { ByteSource } from '../bytes/byte-source.ts';

const INPUT_BYTES = 64 << 10;

/** With the flag `u`, matches only surrogates without their other half. */
const LONE_SURROGATE = /[\ud800-\udfff]/u;

/** Replaces invalid UTF-16. 0xFF is never valid in UTF-8, so the row is rejected. */
const INVALID = Buffer.from([0xff]);

/**
 * Converts UTF-16 to UTF-8. Half characters become invalid UTF-8, so that their rows are rejected.
 */
export function utf16Bytes(source: ByteSource, order: 'le' | 'be'): ByteSource {
  const input = Buffer.allocUnsafe(INPUT_BYTES + 4);
  /** Bytes at the start of `input` that wait for the rest of their character. */
  let kept = 0;
  let ready: Buffer = Buffer.alloc(0);
  let ended = false;

  async function step(): Promise<void> {
    const got = await source.read(input, kept, INPUT_BYTES);
    const filled = kept + got;
    ended = got === 0;
    let whole = filled - (filled % 2);
    if (!ended && whole >= 2 && isHighSurrogate(input, whole - 2, order)) whole -= 2;
    const units = Buffer.from(input.subarray(0, whole));
    if (order === 'be') units.swap16();
    ready = encode(units.toString('utf16le'));
    if (ended && whole < filled) ready = Buffer.concat([ready, INVALID]);
    input.copyWithin(0, whole, filled);
    kept = ended ? 0 : filled - whole;
  }

  return {
    async read(target, offset, length) {
      while (ready.length === 0 && !ended) await step();
      const copied = ready.copy(target, offset, 0, length);
      ready = ready.subarray(copied);
      return copied;
    },
    get problem() {
      return source.problem;
    },
    close: () => source.close(),
  };
}

function isHighSurrogate(bytes: Buffer, at: number, order: 'le' | 'be'): boolean {
  const high = bytes[order === 'le' ? at + 1 : at]!;
  return high >= 0xd8 && high <= 0xdb;
}

function encode(text: string): Buffer {
  if (text.isWellFormed()) return Buffer.from(text, 'utf8');
  const pieces = text.split(LONE_SURROGATE);
  return Buffer.concat(
    pieces.flatMap((piece, index) =>
      index === 0 ? [Buffer.from(piece)] : [INVALID, Buffer.from(piece)],
    ),
  );
}
