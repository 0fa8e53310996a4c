import { existsSync, statSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { ProcError, systemCode } from '../../../core/errors.ts';
import { Journal } from '../../ledger/journal.ts';
import { journalPath } from '../../ledger/runs.ts';
import { runNamedIn } from '../../map/repair/marks.ts';
import { originOf } from '../../source/xlsx/workbook-origin.ts';
import { isWorkbookName } from './rejected-workbook.ts';

/**
 * Chooses another name if the path is the source itself, or a file that a person may be repairing.
 */
export async function freePath(path: string, journal: Journal): Promise<string> {
  if (!(await isNeeded(path, journal))) return path;
  const ending = extname(path);
  return join(dirname(path), `${basename(path, ending)}-${journal.header.run}${ending}`);
}

async function isNeeded(path: string, { header, path: own }: Journal): Promise<boolean> {
  const now = statSync(path, { throwIfNoEntry: false });
  if (now === undefined || !now.isFile()) return false;
  const source = statSync(header.source.path, { throwIfNoEntry: false });
  if (source !== undefined && source.ino === now.ino && source.dev === now.dev) return true;
  const isBook = isWorkbookName(path);
  const run = isBook ? await originOf(path).catch(ignored) : readable(() => runNamedIn(path));
  // Some spreadsheets remove the name of the run: a person may be repairing a workbook without it.
  if (isBook && run === undefined) return true;
  if (run === undefined || run === header.run) return false;
  const written = await writtenBy(run, dirname(own)).catch(ignored);
  return written !== now.mtimeMs;
}

/** When the run wrote its file of rejected rows, in ms; undefined if that is not known. */
async function writtenBy(run: string, folder: string): Promise<number | undefined> {
  const path = journalPath(folder, run);
  if (!existsSync(path)) return undefined;
  const journal = await Journal.read(path);
  try {
    return journal.get('rejectedWritten');
  } finally {
    journal.close();
  }
}

function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (thrown) {
    return ignored(thrown);
  }
}

function ignored(thrown: unknown): undefined {
  if (thrown instanceof ProcError || systemCode(thrown) !== undefined) return undefined;
  throw thrown;
}
