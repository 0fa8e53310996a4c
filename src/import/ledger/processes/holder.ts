import { writeFileSync } from 'node:fs';
import { pid } from 'node:process';
import { readRegularFile } from '../../../store/regular-file.ts';

/** Who has the lock of an import, as it says itself: for messages, and true only while the lock is taken. */
export interface Holder {
  readonly pid: number;
  /** Undefined as long as it has no journal. */
  readonly run: string | undefined;
}

/** Beside the lock, which nobody else can read while it is taken. */
export function noteHolder(lockPath: string, run: string | undefined): void {
  try {
    writeFileSync(notePath(lockPath), JSON.stringify({ pid, run }), { mode: 0o600 });
  } catch {
    // A disk that is full: the lock holds all the same, and only its message is shorter.
  }
}

/** Undefined as long as it has not written it. What a process that was killed left is overwritten by the next. */
export function holderOf(lockPath: string): Holder | undefined {
  try {
    const { pid, run } = JSON.parse(readRegularFile(notePath(lockPath)).text) as Partial<Holder>;
    return typeof pid === 'number' ? { pid, run } : undefined;
  } catch {
    return undefined;
  }
}

/** `run 2026…, process 4711`; empty if that is not known. */
export function holderText(holder: Holder | undefined): string {
  if (holder === undefined) return '';
  const { run, pid } = holder;
  return run === undefined ? `process ${pid}` : `run ${run}, process ${pid}`;
}

function notePath(lockPath: string): string {
  return lockPath.replace(/\.lock$/, '.holder');
}
