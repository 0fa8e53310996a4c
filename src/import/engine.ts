import { listRuns, planDiscard, planPrune, showRun } from './manage-runs.ts';
import { planResolve } from './reconcile/resolve/resolve-rows.ts';
import { resumeRun } from './resume-run.ts';
import { importFile } from './start-run.ts';

/** What the commands of bulk import call. */
export const engine = {
  importFile,
  resumeRun,
  planResolve,
  listRuns,
  showRun,
  planDiscard,
  planPrune,
};

export type Engine = typeof engine;
