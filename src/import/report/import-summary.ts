import type { Row } from '../../core/result.ts';
import type { Baseline } from '../ledger/header.ts';
import type { Journal } from '../ledger/journal.ts';
import type { Counts } from '../ledger/rows/states.ts';
import { countOrderLines } from '../plan/order-lines.ts';
import type { Stop } from '../send/sending.ts';

/** Rows in doubt that a summary names. */
const NAMED = 10;

export interface Counted {
  readonly rows: number;
  /** Left out by `--where`; absent where nothing was. */
  readonly filtered?: number;
  readonly created: number;
  readonly existing: number;
  readonly duplicates: number;
  readonly dropped: number;
  readonly rejected: number;
  readonly unknown: number;
  readonly pending: number;
}

/** Counts that add up: a row whose outcome nobody wrote down is unknown. */
export function counted(counts: Counts): Counted {
  return {
    rows: Object.values(counts).reduce((sum, count) => sum + count, 0),
    ...(counts.filtered === 0 ? {} : { filtered: counts.filtered }),
    created: counts.created,
    existing: counts.existing,
    duplicates: counts.duplicate,
    dropped: counts.dropped,
    rejected: counts.rejected,
    unknown: counts.unknown + counts.sent,
    pending: counts.pending,
  };
}

export interface Files {
  readonly rejectedFile: string | undefined;
  readonly resultsFile: string | undefined;
}

/** Whether all that existed before the run was known, as scripts read it. */
export function catalogueWord(baseline: Baseline | 'not read' | undefined): string {
  return baseline === 'complete' || baseline === 'searched' ? 'complete' : 'unverified';
}

/** What is known of the list before and after the run; nothing where there is none. */
function listFacts(journal: Journal): Row {
  const baseline = journal.get('baseline');
  const verified = journal.get('verified');
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
  journal: Journal,
  files: Files,
  stop: Stop | undefined,
  resume: string | undefined,
): Row {
  const counts = counted(journal.counts());
  const workedMs = journal.get('workedMs') ?? 0;
  const fileProblem = journal.get('fileProblem');
  const unguarded = journal.get('unguarded');
  const isOver = stop === undefined && counts.pending === 0;
  return {
    run: journal.header.run,
    source: journal.header.source.name,
    ...counts,
    ...(journal.get('ordersLines') === true ? countOrderLines(journal, 'created') : {}),
    ...repairedIn(journal),
    ...listFacts(journal),
    seconds: Math.round(workedMs) / 1000,
    ...(unguarded === undefined ? {} : { unguarded }),
    ...(fileProblem === undefined ? {} : { fileProblem }),
    ...(files.rejectedFile === undefined ? {} : { rejectedFile: files.rejectedFile }),
    ...(files.resultsFile === undefined ? {} : { resultsFile: files.resultsFile }),
    ...(counts.unknown === 0 ? {} : { inDoubt: inDoubt(journal) }),
    ...(stop === undefined ? {} : { stopped: stop.why }),
    ...(isOver || resume === undefined ? {} : { resume }),
  };
}

/** Rejected rows that a later run brought in; they count by what became of them there. */
export function repairedIn(journal: Journal): { readonly repaired?: number } {
  const n = journal.reported.countRepaired();
  return n === 0 ? {} : { repaired: n };
}

function inDoubt(journal: Journal): Row[] {
  return journal.reported.unconfirmed(NAMED);
}
