import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { ProcError } from '../../../core/errors.ts';
import type { Clock } from '../../../core/ports.ts';
import { type Origin, Scope } from '../../../core/scope.ts';
import { isLocked, lockWithin } from '../../../store/lock.ts';
import { type Holder, holderOf, holderText, noteHolder } from './holder.ts';

const LOOK_AGAIN_MS = 200;

/** What only one process may import at a time: a noun of an organization at a service. */
export interface Lockable extends Origin {
  readonly folder: string;
  readonly noun: string;
}

export interface ImportLock {
  /** Says which run has it, for the messages of those that are refused. */
  tell(run: string): void;
  release(): void;
}

interface Waiting {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** How long to wait for another import; default: not at all. */
  readonly waitMs?: number;
  /** The run that the lock is for, if there is one already. */
  readonly run?: string;
  /** What is refused meanwhile, for the message. */
  readonly verb?: 'import' | 'discard';
}

/**
 * One import at a time per organization and noun, whatever the address is called: the
 * same rows sent twice at once would all be doubled.
 *
 * @throws ProcError `import_busy` if it stays taken
 */
export async function lockImport(
  what: Lockable,
  { clock, signal, waitMs = 0, run, verb = 'import' }: Waiting,
): Promise<ImportLock> {
  const path = lockPath(what);
  const lock = await lockWithin(path, waitMs, { clock, signal, everyMs: LOOK_AGAIN_MS });
  if (lock === undefined) throw taken(what, holderOf(path), run, verb);
  noteHolder(path, run);
  return { tell: (name) => noteHolder(path, name), release: lock.release };
}

/** The process that works on a run right now; undefined if none does. */
export function processOf(run: string, what: Lockable): number | undefined {
  const path = lockPath(what);
  const holder = holderOf(path);
  // Only then is the lock itself looked at: a look may be in the way of somebody who wants it.
  if (holder?.run !== run) return undefined;
  return isLocked(path) ? holder.pid : undefined;
}

function lockPath({ folder, noun, ...origin }: Lockable): string {
  const { key } = new Scope(origin);
  const name = createHash('sha256').update(key).digest('hex').slice(0, 12);
  return join(folder, `${noun}-${name}.lock`);
}

function taken(
  { noun, baseUrl }: Lockable,
  holder: Holder | undefined,
  run: string | undefined,
  verb: 'import' | 'discard',
): ProcError {
  const isImport = verb === 'import';
  const wait = isImport ? ', or let this one wait: --wait-lock 5m' : '';
  const hint = `Wait for its end (proc imports list shows it)${wait}`;
  if (run !== undefined && holder?.run === run) {
    return new ProcError('import_busy', `${run} is running right now (process ${holder.pid})`, {
      hint,
      details: { run, pid: holder.pid },
    });
  }
  const who = holderText(holder);
  const what = `${isImport ? 'Another' : 'An'} import of ${noun} into ${new URL(baseUrl).host} is running`;
  return new ProcError('import_busy', who === '' ? what : `${what} (${who})`, {
    hint,
    details: { run: holder?.run ?? null, pid: holder?.pid ?? null },
  });
}
