import { readFileSync, readlinkSync } from 'node:fs';
import { ppid } from 'node:process';
import type { Writable } from 'node:stream';
import { messageOf, ProcError, systemCode } from '../core/errors.ts';

interface Watched {
  /** The reader closed the stream, or the stream failed: nothing more is written. */
  closed: boolean;
  failure: Error | undefined;
  hide(text: string): string;
  /** Number of writes: shows whether progress is still the last line. */
  writes: number;
  /** Resolves once the last text of `writeNow` was written or has failed. */
  last: Promise<void> | undefined;
}

const watched = new WeakMap<Writable, Watched>();

function watch(stream: Writable): Watched {
  const known = watched.get(stream);
  if (known !== undefined) return known;
  const state: Watched = {
    closed: false,
    failure: undefined,
    hide: (text) => text,
    writes: 0,
    last: undefined,
  };
  stream.on('error', (error) => failed(state, error));
  stream.on('close', () => {
    state.closed = true;
  });
  watched.set(stream, state);
  return state;
}

function failed(state: Watched, error: Error): void {
  state.closed = true;
  // EPIPE: the reader has seen enough (`proc orders list | head -1`), which is not a failure.
  if (!['EPIPE', 'ERR_STREAM_DESTROYED'].includes(systemCode(error) ?? '')) state.failure = error;
}

/** @throws ProcError `unwritable_output` */
function check(stream: Writable): void {
  const state = watch(stream);
  // A failed stream may emit its error event only after this check.
  if (stream.errored) failed(state, stream.errored);
  if (state.failure === undefined) return;
  throw new ProcError('unwritable_output', `cannot write the output: ${messageOf(state.failure)}`, {
    cause: state.failure,
    ...(systemCode(state.failure) === 'ENOSPC' ? { retry: 'later' } : {}),
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
  if (state.closed) return;
  state.last = new Promise((resolve) => {
    stream.write(state.hide(text), (error) => {
      if (error) failed(state, error);
      resolve();
    });
  });
}

/** In bytes. Signals are handled between two pieces. */
const PIECE = 64 * 1024;

/**
 * Writes data as fast as the reader takes it. If the reader closes the stream, the rest is dropped.
 *
 * @throws ProcError `unwritable_output` for any other failure, e.g. a full disk
 */
export async function writeOut(stream: Writable, chunk: string | Uint8Array): Promise<void> {
  const state = watch(stream);
  state.writes++;
  const bytes = typeof chunk === 'string' ? Buffer.from(state.hide(chunk)) : chunk;
  for (let from = 0; from < bytes.length && !state.closed; from += PIECE) {
    if (!stream.write(bytes.subarray(from, from + PIECE))) await settled(stream, 'drain');
  }
  check(stream);
}

/**
 * Waits until all output has left the process. Call it for both streams before exit.
 *
 * @returns false if the reader closed the stream
 * @throws ProcError `unwritable_output`
 */
export async function drain(stream: Writable): Promise<boolean> {
  const state = watch(stream);
  if (!state.closed && !stream.destroyed && stream.writable) {
    // Node calls back for an empty write after all writes before it. In the single executable,
    // `state.last` may fail even later.
    const written = new Promise<void>((resolve) => void stream.write('', () => resolve()));
    await Promise.race([written.then(() => state.last), settled(stream)]);
  }
  check(stream);
  return !state.closed;
}

/** Resolves at the event, or when the stream ends. */
function settled(stream: Writable, ...also: readonly string[]): Promise<void> {
  return new Promise((resolve) => {
    const events = ['error', 'close', ...also];
    const done = (): void => {
      for (const name of events) stream.off(name, done);
      resolve();
    };
    for (const name of events) stream.on(name, done);
  });
}

const SHELL = /^-?(?:ba|da|fi|k|z)?sh$|^busybox$/;

/**
 * Node opens the null device in place of a closed stdout, for reading and writing. So does a program that
 * ignores the output of proc, but a shell opens `> /dev/null` for writing only. So stdout was closed if the
 * parent is a shell that has another stdout than the null device. Known on Linux only.
 *
 * @throws ProcError `unwritable_output` if the stream was closed from the start: `proc … >&-`
 */
export function requireOpen(stream: Writable & { readonly fd?: unknown }): void {
  const isNull = (process: string) => linkOf(`/proc/${process}/fd/${stream.fd}`) === '/dev/null';
  if (typeof stream.fd !== 'number' || !isNull('self')) return;
  const flags = /^flags:\s*(\d+)$/m.exec(textOf(`/proc/self/fdinfo/${stream.fd}`))?.[1] ?? '';
  const isOfShell = SHELL.test(textOf(`/proc/${ppid}/comm`).trim()) && !isNull(`${ppid}`);
  if (!/[2367]$/.test(flags) || !isOfShell) return;
  throw new ProcError('unwritable_output', 'cannot write the output: standard output is closed', {
    hint: 'Write to a file with --out FILE or > FILE; to discard the output, use > /dev/null',
  });
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
