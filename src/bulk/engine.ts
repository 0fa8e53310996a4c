import { discardRun, listRuns, pruneRuns, showRun } from './manage-runs.ts';
import { resolveRows } from './resolve-rows.ts';
import { resumeRun } from './resume-run.ts';
import { importFile } from './start-run.ts';

/** What the commands of bulk import call. */
export const engine = {
  importFile,
  resumeRun,
  resolveRows,
  listRuns,
  showRun,
  discardRun,
  pruneRuns,
};

export type Engine = typeof engine;
