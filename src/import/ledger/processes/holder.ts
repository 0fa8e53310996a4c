import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readRegularFile } from '../../../store/regular-file.ts';

/** The process that holds the lock of an import. */
export interface Holder {
  readonly pid: number;
  /** Undefined until the process has a journal. */
  readonly run: string | undefined;
  /** When the process took the lock, ISO time. */
  readonly since: string;
  /** With a shared ledger: where the process runs. */
  readonly host?: string | undefined;
  readonly user?: string | undefined;
  readonly job?: string | undefined;
}

/**
 * Writes a file beside the lock file, because the lock file cannot be read while the lock is held.
 */
export function noteHolder(lockPath: string, holder: Holder): void {
  try {
    const note = { ...holder, began: beginOf(holder.pid) };
    writeFileSync(notePath(lockPath), JSON.stringify(note), { mode: 0o600 });
  } catch {
    // The disk may be full. The lock still works, but messages cannot name its holder.
  }
}

/** Must be called before the lock is released. */
export function forgetHolder(lockPath: string): void {
  rmSync(notePath(lockPath), { force: true });
}

/**
 * Undefined until the holder has written its file. The file of a killed process stays until the
 * next holder overwrites it.
 */
export function holderOf(lockPath: string): Holder | undefined {
  return noteOf(lockPath);
}

/**
 * The process that has not released the lock and still runs. Whoever gets the lock nevertheless knows
 * that the lock does not work. Only known on Linux.
 */
export function livingHolder(lockPath: string): Holder | undefined {
  const note = noteOf(lockPath);
  const isAlive = note?.began !== undefined && note.began === beginOf(note.pid);
  return isAlive ? note : undefined;
}

function noteOf(lockPath: string): (Holder & { readonly began?: string }) | undefined {
  try {
    const note = JSON.parse(readRegularFile(notePath(lockPath)).text) as Partial<Holder>;
    return typeof note.pid === 'number' ? (note as Holder) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * When a process began, in ticks since the machine started: another process may get the same number
 * later. Undefined if it does not run, or on another system than Linux.
 */
function beginOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is a name in parentheses, which may contain spaces.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}

/** E.g. `run 20260301-093000-1a2b, process 4711`. Empty if the holder is unknown. */
export function holderText(holder: Holder | undefined): string {
  if (holder === undefined) return '';
  const { run, pid, host } = holder;
  const process = host === undefined ? `process ${pid}` : `process ${pid} on ${host}`;
  return run === undefined ? process : `run ${run}, ${process}`;
}

function notePath(lockPath: string): string {
  return lockPath.replace(/\.lock$/, '.holder');
}
