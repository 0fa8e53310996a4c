import { closeSync, constants, createReadStream, fstatSync, openSync, statSync } from 'node:fs';
import { Socket } from 'node:net';
import { resolve } from 'node:path';
import { versions } from 'node:process';
import type { Readable } from 'node:stream';
import type { Context } from '../../context.ts';
import { ProcError, unreadable } from '../../core/errors.ts';
import { untilAborted } from '../../core/time/until-aborted.ts';

/** Payloads are read into memory. Imports stream and have no limit. */
const MAX_BYTES = 16 << 20;

/**
 * Reads a payload from a file, or from standard input for `-`. Accepts UTF-8, and UTF-16 with a
 * byte order mark.
 *
 * @param ifTooLarge the hint of the error for a file that is too large
 */
export async function readText(ctx: Context, file: string, ifTooLarge?: string): Promise<string> {
  const { cwd, signal, io } = ctx;
  // A pipe without a writer never ends, so a signal must end the read.
  const reading = bytesOf(file, cwd, io.streams.stdin, ifTooLarge);
  const bytes = await untilAborted(reading, signal);
  if (bytes.length === 0) {
    throw new ProcError('invalid_input', `${placeOf(file)} is empty, expected a JSON object`);
  }
  return decode(bytes, placeOf(file));
}

export function placeOf(file: string): string {
  return file === '-' ? 'standard input' : file;
}

async function bytesOf(
  file: string,
  cwd: string,
  stdin: Readable,
  ifTooLarge: string | undefined,
): Promise<Buffer> {
  if (file === '-') return collect(stdin, file, ifTooLarge);
  try {
    return await collect(openStream(file, cwd), file, ifTooLarge);
  } catch (thrown) {
    if (thrown instanceof ProcError) throw thrown;
    throw unreadable(file, thrown);
  }
}

/**
 * A named pipe is read as a socket. A file stream would block a thread until somebody writes;
 * until then, the process could not end. A socket of bun, in the single executable, ends too early; its file streams
 * do not keep the process from ending.
 */
function openStream(file: string, cwd: string): Readable {
  const path = resolve(cwd, file);
  if ('bun' in versions && statSync(path).isFIFO()) return createReadStream(path);
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  const stats = fstatSync(fd);
  if (stats.isFIFO()) return new Socket({ fd, readable: true, writable: false });
  if (!stats.isDirectory()) return createReadStream('', { fd });
  closeSync(fd);
  throw new ProcError('invalid_input', `${file} is a directory, expected a file`);
}

async function collect(
  stream: Readable,
  file: string,
  ifTooLarge: string | undefined,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > MAX_BYTES) {
      throw new ProcError(
        'invalid_input',
        `${placeOf(file)} is larger than 16 MiB, which is the limit`,
        { hint: ifTooLarge },
      );
    }
  }
  return Buffer.concat(chunks);
}

function decode(bytes: Buffer, place: string): string {
  const encoding =
    bytes[0] === 0xff && bytes[1] === 0xfe
      ? 'utf-16le'
      : bytes[0] === 0xfe && bytes[1] === 0xff
        ? 'utf-16be'
        : 'utf-8';
  if (encoding === 'utf-8' && bytes.subarray(0, 64).includes(0)) {
    const looks = looksLikeUtf16(bytes)
      ? '; it looks like UTF-16 without a byte order mark'
      : ': it contains NUL bytes';
    throw new ProcError('invalid_input', `${place} is not UTF-8 text${looks}`, {
      hint: 'Save it as UTF-8.',
    });
  }
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch (thrown) {
    throw new ProcError('invalid_input', `${place} is not ${encoding.toUpperCase()} text`, {
      hint: 'Save it as UTF-8.',
      cause: thrown,
    });
  }
}

/** In UTF-16, every second byte of Latin text is zero. */
function looksLikeUtf16(bytes: Buffer): boolean {
  const start = [...bytes.subarray(0, 64)];
  const zeros = [0, 1].map((at) => start.filter((byte, i) => i % 2 === at && byte === 0).length);
  const [fewer = 0, more = 0] = zeros.sort((a, b) => a - b);
  return fewer === 0 && more * 4 >= start.length;
}
