import { writeFileSync } from 'node:fs';
import { pid } from 'node:process';
import { readRegularFile } from '../../../store/regular-file.ts';

/** The process that holds the lock of an import, for messages. Only valid while the lock is held. */
export interface Holder {
  readonly pid: number;
  /** Undefined until the process has a journal. */
  readonly run: string | undefined;
  /** When the process took the lock, ISO time. Earlier versions did not write this time. */
  readonly since?: string | undefined;
}

/**
 * Writes a file beside the lock file, because the lock file cannot be read while the lock is held.
 */
export function noteHolder(lockPath: string, run: string | undefined, since: string): void {
  try {
    writeFileSync(notePath(lockPath), JSON.stringify({ pid, run, since }), { mode: 0o600 });
  } catch {
    // The disk may be full. The lock still works, but messages cannot name its holder.
  }
}

/**
 * Undefined until the holder has written its file. The file of a killed process stays until the
 * next holder overwrites it.
 */
export function holderOf(lockPath: string): Holder | undefined {
  try {
    const { text } = readRegularFile(notePath(lockPath));
    const { pid, run, since } = JSON.parse(text) as Partial<Holder>;
    return typeof pid === 'number' ? { pid, run, since } : undefined;
  } catch {
    return undefined;
  }
}

/** E.g. `run 20260301-093000-1a2b, process 4711`. Empty if the holder is unknown. */
export function holderText(holder: Holder | undefined): string {
  if (holder === undefined) return '';
  const { run, pid } = holder;
  return run === undefined ? `process ${pid}` : `run ${run}, process ${pid}`;
}

function notePath(lockPath: string): string {
  return lockPath.replace(/\.lock$/, '.holder');
}
