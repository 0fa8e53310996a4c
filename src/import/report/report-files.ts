import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import type { Journal } from '../ledger/journal.ts';
import { freePath } from './free-path.ts';
import type { Files } from './import-summary.ts';
import { writeRejected } from './rejected-file.ts';
import { writeResults } from './results-file.ts';

/** Where the result goes from now on, if a resume says so. */
export function renameFiles(
  journal: Journal,
  {
    rejected,
    results,
  }: { readonly rejected?: string | undefined; readonly results?: string | undefined },
  cwd: string,
): void {
  if (rejected === undefined && results === undefined) return;
  journal.note({
    ...(rejected === undefined ? {} : { rejectedFile: resolve(cwd, rejected) }),
    ...(results === undefined ? {} : { resultsFile: resolve(cwd, results) }),
  });
}

/** A file that cannot be written does not hide what became of the run. */
export function writeFiles(
  journal: Journal,
  ports: Ports<'io'>,
): Files & { undelivered: ProcError | undefined } {
  const { rejectedFile, resultsFile } = journal.files;
  let undelivered: ProcError | undefined;
  const attempt = (path: string | undefined, write: (path: string) => string) => {
    if (path === undefined) return undefined;
    try {
      return write(path);
    } catch (thrown) {
      if (!(thrown instanceof ProcError)) throw thrown;
      undelivered ??= thrown;
      return undefined;
    }
  };
  const hasRejected = journal.counts().rejected > 0;
  const files = {
    rejectedFile: attempt(hasRejected ? rejectedFile : undefined, (path) => {
      if (isBeingRepaired(journal, path)) {
        ports.io.say({
          kind: 'notice',
          text: `${path} was changed since it was written: it is left as it is`,
        });
        return path;
      }
      const free = freePath(path, journal);
      if (free !== path) {
        const text = `${path} holds what may be worked on: it is left as it is, and the rejected rows are in ${free}`;
        ports.io.say({ kind: 'notice', text });
      }
      writeRejected(journal, free);
      journal.note({
        rejectedFile: free,
        rejectedWritten: statSync(free).mtimeMs,
        rejectedWrittenTo: free,
      });
      return free;
    }),
    resultsFile: attempt(resultsFile, (path) => {
      writeResults(journal, path);
      return path;
    }),
  };
  return { ...files, undelivered };
}

/** Somebody works on the file of an earlier end of this run. */
function isBeingRepaired(journal: Journal, path: string): boolean {
  const written = journal.get('rejectedWritten');
  const now = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  const isTheOne = path === (journal.get('rejectedWrittenTo') ?? journal.header.rejectedFile);
  return isTheOne && written !== undefined && now !== undefined && now !== written;
}
