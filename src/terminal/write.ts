import { readFileSync, readlinkSync } from 'node:fs';
import { ppid } from 'node:process';
import type { Writable } from 'node:stream';
import { messageOf, ProcError, systemCode } from '../core/errors.ts';

interface Watched {
  /** The reader closed the stream, or the stream failed: nothing more is written. */
  closed: boolean;
  failure: unknown;
  hide: ((text: string) => string) | undefined;
  /** Number of writes: shows whether progress is still the last line. */
  writes: number;
  /** The next write replaces the last line. */
  hasPassing: boolean;
  /** Resolves once the last text of `writeNow` was written or has failed. */
  last: Promise<void> | undefined;
}

const watched = new WeakMap<Writable, Watched>();

/** In bytes. Signals are handled between two pieces. */
const PIECE = 64 * 1024;

function watch(stream: Writable): Watched {
  let state = watched.get(stream);
  if (state === undefined) {
    const fresh: Watched = {
      closed: false,
      failure: undefined,
      hide: undefined,
      writes: 0,
      hasPassing: false,
      last: undefined,
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
  // EPIPE: the reader has seen enough (`proc orders list | head -1`), which is not a failure.
  if (!['EPIPE', 'ERR_STREAM_DESTROYED'].includes(systemCode(error) ?? '')) state.failure = error;
}

function check(stream: Writable): void {
  const state = watch(stream);
  // A failed stream may emit its error event only after this check.
  if (stream.errored !== null && stream.errored !== undefined) failed(state, stream.errored);
  if (state.failure === undefined) return;
  throw new ProcError('unwritable_output', `cannot write the output: ${messageOf(state.failure)}`, {
    cause: state.failure,
  });
}

export function isClosed(stream: Writable): boolean {
  return watch(stream).closed;
}

/** From now on, passes every text for this stream through `hide`. */
export function hideOn(stream: Writable, hide: (text: string) => string): void {
  watch(stream).hide = hide;
}

export function writesTo(stream: Writable): number {
  return watch(stream).writes;
}

/** Records a write of other code, e.g. a prompt. */
export function noteWrite(stream: Writable): void {
  watch(stream).writes++;
}

/** Writes a short text without waiting, for messages. Never throws. */
export function writeNow(stream: Writable, text: string): void {
  const state = watch(stream);
  state.writes++;
  clearPassing(stream);
  if (state.closed) return;
  state.last = new Promise((resolve) => {
    stream.write(state.hide?.(text) ?? text, (error) => {
      if (error) failed(state, error);
      resolve();
    });
  });
}

const CLEAR_LINE = '\r\u001b[2K';

/** Shows a line on a terminal. The next text replaces this line. */
export function writePassing(stream: Writable, line: string): void {
  const state = watch(stream);
  if (state.closed) return;
  state.hasPassing = true;
  stream.write(`${CLEAR_LINE}${state.hide?.(line) ?? line}`);
}

export function clearPassing(stream: Writable): void {
  const state = watch(stream);
  if (!state.hasPassing) return;
  state.hasPassing = false;
  if (!state.closed) stream.write(CLEAR_LINE);
}

/**
 * Writes data as fast as the reader takes it. If the reader closes the stream, the rest is dropped.
 * Any other failure, e.g. a full disk, throws `unwritable_output`.
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

/** Waits until all output has left the process. Call it for both streams before exit. */
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
      // Node calls back for an empty write after all writes before it. In the single executable,
      // `state.last` may fail even later, so `state.last` is awaited too.
      stream.write('', () => void Promise.resolve(state.last).then(done));
    });
  }
  check(stream);
}

/**
 * Waits until all output has left the process.
 *
 * @returns false if the reader closed the stream
 * @throws ProcError `unwritable_output`
 */
export async function hasLeft(stream: Writable): Promise<boolean> {
  await drain(stream);
  return !isClosed(stream);
}

/** @throws ProcError `unwritable_output` if the stream was closed from the start: `proc … >&-` */
export function requireOpen(stream: Writable): void {
  if (!isReplaced(stream)) return;
  throw new ProcError('unwritable_output', 'cannot write the output: standard output is closed', {
    hint: 'Write to a file with --out FILE or > FILE; to discard the output, use > /dev/null',
  });
}

const SHELL = /^-?(?:ba|da|fi|k|z)?sh$|^busybox$/;

/**
 * Node replaces a closed stdout by the null device, opened for reading and writing. A shell opens
 * `> /dev/null` for writing only. Linux shows the difference. Programs that ignore the output of proc, or of a
 * script that runs it, open it for both too: so only a shell that has a stdout of its own counts.
 */
function isReplaced(stream: Writable): boolean {
  const { fd } = stream as { fd?: unknown };
  if (typeof fd !== 'number') return false;
  try {
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1];
    if (readlinkSync(`/proc/self/fd/${fd}`) !== '/dev/null' || !/[2367]$/.test(flags ?? ''))
      return false;
    return SHELL.test(readFileSync(`/proc/${ppid}/comm`, 'utf8').trim()) && !isIgnored(ppid, fd);
  } catch {
    return false;
  }
}

function isIgnored(pid: number, fd: number): boolean {
  try {
    return readlinkSync(`/proc/${pid}/fd/${fd}`) === '/dev/null';
  } catch {
    // It is closed there too.
    return false;
  }
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
