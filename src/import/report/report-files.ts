import { existsSync, statSync } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { ProcError, systemCode } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import { importPlanMessages } from '../../messages/planning.ts';
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
      if (isBeingRepaired(run, path)) {
        ports.io.say({
          kind: 'notice',
          text: words.notOverwritten(path),
        });
        return path;
      }
      const free = await freePath(path, run);
      if (free !== path) {
        const text = words.rejectedBeside(free, path);
        ports.io.say({ kind: 'notice', text });
      }
      await writeRejected(run, free);
      run.note({
        rejectedFile: free,
        rejectedWritten: statSync(free).mtimeMs,
        rejectedWrittenTo: free,
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

/** The file has changed since this run wrote it, so a person may be repairing it. */
function isBeingRepaired(run: Run, path: string): boolean {
  const written = run.get('rejectedWritten');
  const now = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  const isTheOne = path === (run.get('rejectedWrittenTo') ?? run.header.rejectedFile);
  return isTheOne && written !== undefined && now !== undefined && now !== written;
}

/**
 * Chooses another name if the path is the source itself, or a file that a person may be repairing.
 */
async function freePath(path: string, run: Run): Promise<string> {
  if (!(await isNeeded(path, run))) return path;
  const ending = extname(path);
  return join(dirname(path), `${basename(path, ending)}-${run.header.run}${ending}`);
}

async function isNeeded(path: string, { header, path: own }: Run): Promise<boolean> {
  const now = statSync(path, { throwIfNoEntry: false });
  if (now === undefined || !now.isFile()) return false;
  const source = statSync(header.source.path, { throwIfNoEntry: false });
  if (source !== undefined && source.ino === now.ino && source.dev === now.dev) return true;
  const isBook = isWorkbookName(path);
  try {
    const run = isBook ? await originOf(path) : runNamedIn(path);
    // Some spreadsheets remove the name of the run: a person may be repairing a workbook without it.
    if (run === undefined) return isBook;
    return run !== header.run && (await writtenBy(run, dirname(own))) !== now.mtimeMs;
  } catch (thrown) {
    // Nobody knows what a file is that cannot be read.
    if (thrown instanceof ProcError || systemCode(thrown) !== undefined) return true;
    throw thrown;
  }
}

/** When the run wrote its file of rejected rows, in ms; undefined if that is not known. */
async function writtenBy(name: string, folder: string): Promise<number | undefined> {
  const path = runPath(folder, name);
  if (!existsSync(path)) return undefined;
  const run = await Run.read(path);
  try {
    return run.get('rejectedWritten');
  } finally {
    run.close();
  }
}
