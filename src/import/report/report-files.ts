import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import type { Journal } from '../ledger/journal.ts';
import type { Files } from './import-summary.ts';
import { freePath } from './rejected/free-path.ts';
import { checkRejectedName, writeRejected } from './rejected/rejected-file.ts';
import { writeResults } from './results-file.ts';

/** `proc imports resume` and `proc imports send` can change the names of the result files. */
export function renameFiles(
  journal: Journal,
  {
    rejected,
    results,
  }: { readonly rejected?: string | undefined; readonly results?: string | undefined },
  cwd: string,
): void {
  if (rejected === undefined && results === undefined) return;
  checkRejectedName(rejected, journal.header.source.format);
  journal.note({
    ...(rejected === undefined ? {} : { rejectedFile: resolve(cwd, rejected) }),
    ...(results === undefined ? {} : { resultsFile: resolve(cwd, results) }),
  });
}

/**
 * Returns the first error instead of throwing it, so that the summary of the run is still shown.
 */
export async function writeFiles(
  journal: Journal,
  ports: Ports<'io'>,
): Promise<Files & { undelivered: ProcError | undefined }> {
  const { rejectedFile, resultsFile } = journal.files;
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
  const hasRejected = journal.counts().rejected > 0;
  const files = {
    rejectedFile: await attempt(hasRejected ? rejectedFile : undefined, async (path) => {
      if (isBeingRepaired(journal, path)) {
        ports.io.say({
          kind: 'notice',
          text: `${path} was not overwritten: it has changed since proc wrote it`,
        });
        return path;
      }
      const free = await freePath(path, journal);
      if (free !== path) {
        const text = `the rejected rows are in ${free}, because ${path} may contain your changes`;
        ports.io.say({ kind: 'notice', text });
      }
      await writeRejected(journal, free);
      journal.note({
        rejectedFile: free,
        rejectedWritten: statSync(free).mtimeMs,
        rejectedWrittenTo: free,
      });
      return free;
    }),
    resultsFile: await attempt(resultsFile, (path) => {
      writeResults(journal, path);
      return path;
    }),
  };
  return { ...files, undelivered };
}

/** The file has changed since this run wrote it, so a person may be repairing it. */
function isBeingRepaired(journal: Journal, path: string): boolean {
  const written = journal.get('rejectedWritten');
  const now = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  const isTheOne = path === (journal.get('rejectedWrittenTo') ?? journal.header.rejectedFile);
  return isTheOne && written !== undefined && now !== undefined && now !== written;
}
