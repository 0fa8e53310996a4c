import { lstatSync, readdirSync, readlinkSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { systemCode } from '../core/errors.ts';
import { isClosed } from '../terminal/write.ts';

const CHECK_MS = 200;

/**
 * Calls `left` once nobody reads the stream. Node itself notices this only at the next write.
 *
 * @returns a function that stops the check
 */
export function onReaderLeft(stream: Writable, left: () => void): () => void {
  const { fd } = stream as { fd?: unknown };
  const hasReader = typeof fd === 'number' ? readerOf(fd) : () => true;
  const timer = setInterval(() => {
    if (!isClosed(stream) && hasReader()) return;
    clearInterval(timer);
    left();
  }, CHECK_MS);
  return () => clearInterval(timer);
}

/**
 * Whether a process reads the other end of a pipe. Linux shows this for processes of the same user.
 * In all other cases returns true, and the next write finds out.
 */
function readerOf(fd: number): () => boolean {
  const pipe = linkOf(`/proc/self/fd/${fd}`);
  if (pipe?.startsWith('pipe:') !== true) return () => true;
  let reader = findReader(pipe);
  return () => {
    if (reader === undefined) return true;
    const link = linkOf(reader);
    if (link === pipe) return true;
    // The reading process now runs as another user (sudo), so it may still read.
    if (link === 'hidden') reader = undefined;
    else reader = findReader(pipe) ?? '';
    return reader !== '';
  };
}

/** The path of an open read end: `/proc/4711/fd/0`. */
function findReader(pipe: string): string | undefined {
  for (const process of list('/proc')) {
    if (!/^\d+$/.test(process)) continue;
    for (const name of list(`/proc/${process}/fd`)) {
      const path = `/proc/${process}/fd/${name}`;
      if (linkOf(path) === pipe && isReadable(path)) return path;
    }
  }
  return undefined;
}

function list(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch (thrown) {
    return systemCode(thrown) === 'EACCES' ? 'hidden' : undefined;
  }
}

/** The permissions of the link show whether the file descriptor is open for reading. */
function isReadable(path: string): boolean {
  try {
    return (lstatSync(path).mode & 0o400) !== 0;
  } catch {
    return false;
  }
}
