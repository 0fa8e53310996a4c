import type { Column, Row } from '../../core/result.ts';
import type { Baseline } from '../ledger/header.ts';
import type { Summary } from '../ledger/run-summary.ts';
import type { Stop } from '../send/sending.ts';

export const SUMMARY_COLUMNS: readonly Column[] = [
  { key: 'run', header: 'RUN' },
  { key: 'rows', header: 'ROWS', kind: 'number' },
  { key: 'created', header: 'CREATED', kind: 'number' },
  { key: 'existing', header: 'EXISTING', kind: 'number' },
  { key: 'duplicates', header: 'DUPLICATES', kind: 'number' },
  { key: 'dropped', header: 'DROPPED', kind: 'number' },
  { key: 'rejected', header: 'REJECTED', kind: 'number' },
  { key: 'unknown', header: 'UNKNOWN', kind: 'number' },
  { key: 'pending', header: 'PENDING', kind: 'number' },
];

export interface Files {
  readonly rejectedFile: string | undefined;
  readonly resultsFile: string | undefined;
}

/** Whether all that existed before the run was known, as scripts read it. */
export function catalogueWord(baseline: Baseline | 'not read' | undefined): string {
  return baseline === 'complete' || baseline === 'searched' ? 'complete' : 'unverified';
}

/** What is known of the list before and after the run; nothing where there is none. */
function listFacts(run: Summary): Row {
  const baseline = run.fact('baseline');
  const verified = run.fact('verified');
  const { twice = 0, named, hidden = 0, notListed } = verified ?? {};
  return {
    ...(baseline === undefined ? {} : { catalogue: catalogueWord(baseline) }),
    ...(verified === undefined ? {} : { verified: verified.isComplete }),
    ...(twice === 0 ? {} : { createdTwice: twice, twice: named }),
    ...(hidden === 0 ? {} : { createdNotListed: hidden, notListed }),
  };
}

/** The result of a run, for tables and scripts. */
export function summarise(
  run: Summary,
  files: Files,
  stop: Stop | undefined,
  resume: string | undefined,
): Row {
  const { header, counts } = run;
  const workedMs = run.fact('workedMs') ?? 0;
  const fileProblem = run.fact('fileProblem');
  const unguarded = run.fact('unguarded');
  const isOver = stop === undefined && counts.pending === 0;
  return {
    run: header.run,
    source: header.source.name,
    ...counts,
    ...run.ordered,
    ...repairedIn(run),
    ...listFacts(run),
    seconds: Math.round(workedMs) / 1000,
    ...(unguarded === undefined ? {} : { unguarded }),
    ...(fileProblem === undefined ? {} : { fileProblem }),
    ...(files.rejectedFile === undefined ? {} : { rejectedFile: files.rejectedFile }),
    ...(files.resultsFile === undefined ? {} : { resultsFile: files.resultsFile }),
    ...(counts.unknown === 0 ? {} : { inDoubt: run.unconfirmed }),
    ...(stop === undefined ? {} : { stopped: stop.why }),
    ...(isOver || resume === undefined ? {} : { resume }),
  };
}

export function repairedIn({ repaired }: Summary): { readonly repaired?: number } {
  return repaired === 0 ? {} : { repaired };
}
