import type { Writable } from 'node:stream';
import { messageOf, ProcError, systemCode } from '../core/errors.ts';

interface Watched {
  /** The reader went away or the stream failed: nothing more is written. */
  closed: boolean;
  failure: unknown;
  /** Takes out what must not be shown. */
  hide: ((text: string) => string) | undefined;
  /** Number of writes, by which `say` sees whether its last line is still the last one. */
  writes: number;
}

const watched = new WeakMap<Writable, Watched>();

/** Bytes handed over at once: small, so that signals are heard between two pieces. */
const PIECE = 64 * 1024;

function watch(stream: Writable): Watched {
  let state = watched.get(stream);
  if (state === undefined) {
    const fresh: Watched = {
      closed: false,
      failure: undefined,
      hide: undefined,
      writes: 0,
    };
    stream.on('error', (error) => failed(fresh, error));
    stream.on('close', () => {
      fresh.closed = true;
    });
    watched.set(stream, fresh);
    state = fresh;
  }
  return state;
}

function failed(state: Watched, error: Error): void {
  state.closed = true;
  // EPIPE: the reader has seen enough (`proc orders list | head -1`), which is no failure.
  if (!['EPIPE', 'ERR_STREAM_DESTROYED'].includes(systemCode(error) ?? '')) state.failure = error;
}

function check(stream: Writable): void {
  const state = watch(stream);
  // The event of an error may be still to come.
  if (stream.errored !== null && stream.errored !== undefined) failed(state, stream.errored);
  if (state.failure === undefined) return;
  throw new ProcError(
    'unwritable_output',
    `The output could not be written: ${messageOf(state.failure)}`,
    { cause: state.failure },
  );
}

/** True once the reader of this stream has gone away; the rest need not be produced. */
export function isClosed(stream: Writable): boolean {
  return watch(stream).closed;
}

/** From now on every text goes through `hide` before it is written to this stream. */
export function hideOn(stream: Writable, hide: (text: string) => string): void {
  watch(stream).hide = hide;
}

/** How often something was written to this stream. */
export function writesTo(stream: Writable): number {
  return watch(stream).writes;
}

/** Notes that someone else (a prompt) wrote to this stream. */
export function noteWrite(stream: Writable): void {
  watch(stream).writes++;
}

/** Writes a short text without waiting, for messages. Never throws. */
export function writeNow(stream: Writable, text: string): void {
  const state = watch(stream);
  state.writes++;
  if (!state.closed) stream.write(state.hide?.(text) ?? text);
}

/**
 * Writes data at the reader's pace. A reader that went away is silent: the rest is dropped and
 * `isClosed` tells. Any other failure (a full disk) throws `unwritable_output`.
 */
export async function writeOut(stream: Writable, chunk: string | Uint8Array): Promise<void> {
  const state = watch(stream);
  state.writes++;
  const bytes = typeof chunk === 'string' ? Buffer.from(state.hide?.(chunk) ?? chunk) : chunk;
  for (let from = 0; from < bytes.length && !state.closed; from += PIECE) {
    if (!stream.write(bytes.subarray(from, from + PIECE))) await drained(stream);
  }
  check(stream);
}

/** Waits until all that was written has left the process. Call it before exit, for both streams. */
export async function drain(stream: Writable): Promise<void> {
  const state = watch(stream);
  if (!state.closed && !stream.destroyed && stream.writable) {
    await new Promise<void>((resolve) => {
      const done = (): void => {
        stream.off('error', done);
        stream.off('close', done);
        resolve();
      };
      stream.on('error', done);
      stream.on('close', done);
      // Its callback comes after those of all writes before it.
      stream.write('', done);
    });
  }
  check(stream);
}

function drained(stream: Writable): Promise<void> {
  return new Promise((resolve) => {
    const events = ['drain', 'error', 'close'];
    const done = (): void => {
      for (const name of events) stream.off(name, done);
      resolve();
    };
    for (const name of events) stream.on(name, done);
  });
}
