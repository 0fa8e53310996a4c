import type { Ports } from '../core/ports.ts';
import {
  type ImportLock,
  type Lockable,
  lockImport,
  type TakingOver,
  type Waiting,
} from './import-lock.ts';
import type { RunHeader } from './store/facts.ts';
import { runFailure } from './store/ledger-failure.ts';
import { Run } from './store/run-file.ts';

/** A run by its name. The header never changes, so it may be read before the run is locked. */
export interface NamedRun {
  readonly folder: string;
  /** Of the file of the run. */
  readonly path: string;
  readonly header: RunHeader;
}

interface NewRun {
  /** Undefined for a preview, which needs no lock and leaves nothing behind. */
  readonly place: Lockable | undefined;
  /** How long to wait for the lock. */
  readonly waitMs: number;
  readonly takingOver?: TakingOver;
  /** Checks what other commands may have changed meanwhile; returns the new run. */
  begin(): Promise<Pick<NamedRun, 'path' | 'header'>>;
}

type Opening = Pick<Waiting, 'waitMs' | 'takingOver'> & {
  /** See {@link Run.open}. */
  readonly remakes?: boolean;
};

/**
 * The only way to change a run: name → lock → open → act → close. What `act` does must depend only on
 * what it reads from the run: while this command waited for the lock, others may have changed
 * everything else.
 *
 * @param waitMs how long to wait for the lock
 * @throws ProcError `import_busy`; `reference_not_found` if the run was removed meanwhile
 */
export async function withRun<T>(
  { folder, path, header }: NamedRun,
  { waitMs, takingOver, remakes }: Opening,
  { self }: Ports<'self'>,
  act: (run: Run) => Promise<T>,
): Promise<T> {
  const waiting = { ...self, waitMs, takingOver, run: header.run };
  const lock = await lockImport({ folder, ...header }, waiting);
  let run: Run | undefined;
  try {
    run = await Run.open(path, { remakes });
    await lock.tell(header.run);
    return await act(run);
  } catch (thrown) {
    throw runFailure(path, thrown);
  } finally {
    await end(run, lock);
  }
}

/**
 * Locks a run that may be removed. It is not opened, because it may be damaged.
 *
 * @param act reads the run again, and calls `remove` to remove it with its rows
 * @throws ProcError `import_busy`
 */
export async function withRemovable<T>(
  { folder, path, header }: NamedRun,
  { self }: Ports<'self'>,
  act: (remove: (isUnsent?: boolean) => Promise<void>) => Promise<T>,
): Promise<T> {
  const lock = await lockImport({ folder, ...header }, { ...self, run: header.run });
  try {
    return await act(async (isUnsent) => {
      await lock.tell(header.run);
      await Run.remove(path, isUnsent);
    });
  } finally {
    await lock.release();
  }
}

/**
 * Creates a run under its lock. If `act` fails before it begins to send, the run is removed.
 *
 * @throws ProcError `import_busy`
 */
export async function withNewRun<T>(
  { place, waitMs, takingOver, begin }: NewRun,
  { self }: Ports<'self'>,
  act: (run: Run) => Promise<T>,
): Promise<T> {
  const lock =
    place === undefined ? undefined : await lockImport(place, { ...self, waitMs, takingOver });
  let run: Run | undefined;
  try {
    const { path, header } = await begin();
    run = await Run.create(path, header, place !== undefined);
    await lock?.tell(header.run);
    return await act(run);
  } catch (thrown) {
    if (run === undefined) throw thrown;
    const failure = runFailure(run.path, thrown);
    if (await isRemovable(run)) await run.discard();
    throw failure;
  } finally {
    await end(run, lock);
  }
}

/** The lock is released also if the end of the run fails: nobody should wait for it in vain. */
async function end(run: Run | undefined, lock: ImportLock | undefined): Promise<void> {
  try {
    await run?.finish();
  } finally {
    try {
      run?.close();
    } finally {
      await lock?.release();
    }
  }
}

/** A file that cannot be read is kept, because its rows may have been sent. */
async function isRemovable(run: Run): Promise<boolean> {
  try {
    return !run.isSent && (await run.isOurs());
  } catch {
    return false;
  }
}
