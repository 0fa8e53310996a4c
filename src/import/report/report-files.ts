import { existsSync, statSync } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { ProcError, systemCode } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import { importPlanMessages } from '../../messages/planning.ts';
import { isSameFile } from '../../store/regular-file.ts';
import { runNamedIn } from '../map/repair/marks.ts';
import { originOf } from '../source/xlsx/open-book.ts';
import { Run } from '../store/run-file.ts';
import { runPath } from '../store/runs.ts';
import type { Files } from './import-summary.ts';
import { checkRejectedName, isWorkbookName, writeRejected } from './rejected/rejected-file.ts';
import { writeRowsFile } from './rows-file.ts';

/** `proc imports resume` and `proc imports send` can change the names of the result files. */
export function renameFiles(
  run: Run,
  {
    rejected,
    results,
  }: { readonly rejected?: string | undefined; readonly results?: string | undefined },
  cwd: string,
): void {
  if (rejected === undefined && results === undefined) return;
  checkRejectedName(rejected, run.header.source.format);
  run.note({
    ...(rejected === undefined ? {} : { rejectedFile: resolve(cwd, rejected) }),
    ...(results === undefined ? {} : { resultsFile: resolve(cwd, results) }),
  });
}

/**
 * Returns the first error instead of throwing it, so that the summary of the run is still shown.
 */
export async function writeFiles(
  run: Run,
  ports: Ports<'io'>,
): Promise<Files & { undelivered: ProcError | undefined }> {
  const { rejectedFile, resultsFile } = run.files;
  const words = importPlanMessages[await ports.io.lang()];
  let undelivered: ProcError | undefined;
  const attempt = async (
    path: string | undefined,
    write: (path: string) => string | Promise<string>,
  ) => {
    if (path === undefined) return undefined;
    try {
      return await write(path);
    } catch (thrown) {
      if (!(thrown instanceof ProcError)) throw thrown;
      undelivered ??= thrown;
      return undefined;
    }
  };
  const hasRejected = run.counts().rejected > 0;
  const files = {
    rejectedFile: await attempt(hasRejected ? rejectedFile : undefined, async (path) => {
      const free = (await mayOverwrite(path, run)) ? path : besides(path, run.header.run);
      if (free !== path) {
        const text = words.rejectedBeside(free, path);
        ports.io.say({ kind: 'notice', text });
      }
      await writeRejected(run, free);
      run.note({
        rejectedFile: free,
        rejectedWritten: { file: free, modifiedMs: statSync(free).mtimeMs },
      });
      return free;
    }),
    resultsFile: await attempt(resultsFile, async (path) => {
      await writeRowsFile(run, path, '--results');
      return path;
    }),
  };
  return { ...files, undelivered };
}

function besides(path: string, run: string): string {
  const ending = extname(path);
  return join(dirname(path), `${basename(path, ending)}-${run}${ending}`);
}

/** Not the source, and not a file of rejected rows that changed since proc wrote it: a person may be repairing it. */
async function mayOverwrite(path: string, run: Run): Promise<boolean> {
  const now = statSync(path, { throwIfNoEntry: false });
  if (now === undefined || !now.isFile()) return true;
  if (isSameFile(path, run.header.source.path)) return false;
  const isBook = isWorkbookName(path);
  try {
    const own = run.get('rejectedWritten');
    if (own?.file === path) return own.modifiedMs === now.mtimeMs;
    const other = isBook ? await originOf(path) : runNamedIn(path);
    // Some spreadsheets remove the name of the run: a person may be repairing a workbook without it.
    if (other === undefined) return !isBook;
    return (await writtenBy(other, dirname(run.path))) === now.mtimeMs;
  } catch (thrown) {
    // Nobody knows what a file is that cannot be read.
    if (thrown instanceof ProcError || systemCode(thrown) !== undefined) return false;
    throw thrown;
  }
}

/** When the run wrote its file of rejected rows, in ms; undefined if that is not known. */
async function writtenBy(name: string, folder: string): Promise<number | undefined> {
  const path = runPath(folder, name);
  if (!existsSync(path)) return undefined;
  const run = await Run.read(path);
  try {
    return run.get('rejectedWritten')?.modifiedMs;
  } finally {
    run.close();
  }
}
