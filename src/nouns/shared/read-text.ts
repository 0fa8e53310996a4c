import { closeSync, constants, createReadStream, fstatSync, openSync, statSync } from 'node:fs';
import { Socket } from 'node:net';
import { resolve } from 'node:path';
import { versions } from 'node:process';
import type { Readable } from 'node:stream';
import type { Context } from '../../context.ts';
import { ProcError, unreadable } from '../../core/errors.ts';

/** Payloads are read into memory. Imports stream and have no limit. */
const MAX_BYTES = 16 << 20;

/**
 * Reads a small file, or standard input for `-`, as text. Accepts UTF-8, and UTF-16 with a byte order mark.
 *
 * @param ifTooLarge the hint of the error for a file that is too large
 */
export async function readText(ctx: Context, file: string, ifTooLarge?: string): Promise<string> {
  const { cwd, signal, io } = ctx;
  // A pipe without a writer never ends, so a signal must end the read.
  const reading = bytesOf(file, () => (file === '-' ? io.streams.stdin : openStream(file, cwd)));
  const bytes = await untilAborted(reading, signal);
  if (bytes.length > MAX_BYTES) {
    const message = `${placeOf(file)} is larger than 16 MiB, which is the limit`;
    throw new ProcError('invalid_input', message, { hint: ifTooLarge });
  }
  const mark = bytes.length < 2 ? 0 : bytes.readUInt16BE();
  const encoding = mark === 0xff_fe ? 'utf-16le' : mark === 0xfe_ff ? 'utf-16be' : 'utf-8';
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    if (!text.includes('\0')) return text;
  } catch {
    // Said below.
  }
  throw new ProcError('invalid_input', `${placeOf(file)} is not ${encoding.toUpperCase()} text`, {
    hint: 'Save it as UTF-8.',
  });
}

export function placeOf(file: string): string {
  return file === '-' ? 'standard input' : file;
}

async function bytesOf(file: string, open: () => Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of open() as AsyncIterable<Buffer | string>) {
      chunks.push(Buffer.from(chunk));
      size += chunk.length;
      if (size > MAX_BYTES) break;
    }
  } catch (thrown) {
    if (thrown instanceof ProcError || file === '-') throw thrown;
    throw unreadable(file, thrown);
  }
  return Buffer.concat(chunks);
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

/** Waits for a promise, but only until the signal aborts; then throws the signal's reason. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let onAbort: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
