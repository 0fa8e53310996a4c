import { existsSync, statSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { ProcError } from '../../../core/errors.ts';
import { Journal } from '../../ledger/journal.ts';
import { journalPath } from '../../ledger/runs.ts';
import { runNamedIn } from '../../map/repair/run-named-in.ts';

/**
 * Where to write rejected rows: the given path, or a new file beside it if the path is the source itself
 * or contains rejected rows of another run that a person may be repairing.
 */
export function freePath(path: string, journal: Journal): string {
  if (!isNeeded(path, journal)) return path;
  const ending = extname(path);
  return join(dirname(path), `${basename(path, ending)}-${journal.header.run}${ending}`);
}

function isNeeded(path: string, { header, path: own }: Journal): boolean {
  const now = statSync(path, { throwIfNoEntry: false });
  if (now === undefined || !now.isFile()) return false;
  const source = statSync(header.source.path, { throwIfNoEntry: false });
  if (source !== undefined && source.ino === now.ino && source.dev === now.dev) return true;
  const run = readable(() => runNamedIn(path));
  if (run === undefined || run === header.run) return false;
  const written = readable(() => writtenBy(run, dirname(own)));
  return written !== now.mtimeMs;
}

/** When that run wrote its file, ms; undefined if the run is not known. */
function writtenBy(run: string, folder: string): number | undefined {
  const path = journalPath(folder, run);
  if (!existsSync(path)) return undefined;
  const journal = Journal.open(path, true);
  try {
    return journal.get('rejectedWritten');
  } finally {
    journal.close();
  }
}

/** Undefined if the file or journal cannot be read. */
function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (thrown) {
    if (thrown instanceof ProcError || (thrown as NodeJS.ErrnoException).code !== undefined) {
      return undefined;
    }
    throw thrown;
  }
}
