import { grouped } from '../../core/numbers.ts';
import type { Column, Row } from '../../core/result.ts';
import { elapsedText } from '../../core/time.ts';
import type { RowState, StoredRun } from '../../ledger/run-queries.ts';
import type { EndedRun, FaultyRows, Findings } from '../ended-run.ts';
import type { Holder } from '../import-lock.ts';
import type { RunHeader } from '../run-header.ts';
import { targetOf } from '../targets/all-targets.ts';
import { countIn, rowsIn } from './words.ts';

/** What can have become of a record. The sum of these counts is the number of records. */
export const COUNTS = [
  ...(['created', 'existing', 'sentBefore', 'repeated'] as const),
  ...(['rejected', 'unconfirmed', 'dropped', 'pending'] as const),
] as const;
type Outcome = (typeof COUNTS)[number];
export type Counts = Readonly<Record<Outcome, number>>;

/** A run as reports see it: of this command, or from the ledger. */
export interface ReportedRun extends Omit<EndedRun, 'stop'>, Partial<Pick<EndedRun, 'stop'>> {
  /** The process that works on it, or was killed while it did. */
  readonly holder?: Holder | undefined;
}

/**
 * A run from the ledger. Rows that were open in other runs when it was planned may be decided there by now, so only the
 * summary of the import itself calls them unconfirmed.
 */
export function reported(run: StoredRun, holder?: Holder): ReportedRun & { number: number } {
  const { number, rows, hasEnded } = run;
  const findings = (run.findings ?? {}) as Findings;
  const stored = run.header as RunHeader;
  const { sentBefore, unconfirmed } = stored.planned;
  const planned = { ...stored.planned, sentBefore: sentBefore + unconfirmed, unconfirmed: 0 };
  return { number, rows, hasEnded, findings, header: { ...stored, planned }, holder };
}

export function isRunning({ holder }: ReportedRun): boolean {
  return holder?.isAlive === true;
}

export function isListed({ noun }: Pick<RunHeader, 'noun'>): boolean {
  return targetOf(noun).listing !== undefined;
}

/** In another ledger, a resume cannot tell which of the rows that were sent before `--again` meant. */
export function isAgainElsewhere({ choices, againUpTo, noun }: RunHeader): boolean {
  return choices.again && againUpTo === undefined && !isListed({ noun });
}

/** Nor can it tell which of equal rows others have sent. */
export function stopsAtHit(header: RunHeader): boolean {
  return header.choices.sendEqual || isAgainElsewhere(header);
}

/** What a state of the ledger or of a draft is called. */
export function outcomeOf(state: string, header: Pick<RunHeader, 'noun'>): Outcome {
  // If no process works on the run, nobody waits for the answers.
  if (state === 'sending') return 'unconfirmed';
  if (state === 'abandoned') return 'dropped';
  // Without a list, only the ledger can tell that a row exists.
  return state === 'existing' && !isListed(header) ? 'sentBefore' : (state as Outcome);
}

/** The states of rows in the ledger that have this outcome. */
export function statesOf(header: RunHeader, outcome: Outcome): readonly RowState[] {
  const states: readonly RowState[] = [
    ...(['pending', 'sending', 'created', 'existing'] as const),
    ...(['rejected', 'unconfirmed', 'dropped', 'abandoned'] as const),
  ];
  return states.filter((state) => outcomeOf(state, header) === outcome);
}

export function countsOf(run: ReportedRun): Counts {
  const { rows, header } = run;
  const { existing, sentBefore, repeated, rejected, unconfirmed } = header.planned;
  const counts = {
    ...{ created: 0, existing, sentBefore, repeated, rejected, unconfirmed },
    ...{ dropped: 0, pending: 0 },
  };
  for (const [state, count] of Object.entries(rows)) {
    const isAwaited = state === 'sending' && isRunning(run);
    counts[isAwaited ? 'pending' : outcomeOf(state, header)] += count;
  }
  return counts;
}

/** `resolve`: only a person can tell the outcome of its unconfirmed rows. */
export function leftOf(run: ReportedRun): 'resume' | 'resolve' | 'nothing' {
  const { number, hasEnded, rows, header } = run;
  if (number === undefined) return 'nothing';
  const { pending = 0, unconfirmed = 0, sending = 0 } = rows;
  const isOpen = unconfirmed + sending > 0;
  if (hasEnded) return isOpen ? 'resolve' : 'nothing';
  return isOpen && pending === 0 && !isListed(header) && !isRunning(run) ? 'resolve' : 'resume';
}

/** The heading of a key in tables: `sentBefore` → `sent before`. */
export function headingOf(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

/** Without counts that are zero, and what is not known. */
export function columnsOf(value: Row): readonly Column[] {
  return Object.entries(value).flatMap(([key, shown]): Column[] => {
    const isEmpty = (shown ?? 0) === 0 || (Array.isArray(shown) && shown.length === 0);
    const kind = typeof shown === 'number' ? 'count' : 'text';
    return isEmpty ? [] : [{ key, header: headingOf(key), kind }];
  });
}

/** E.g. `2 of 3 rows created, 1 rejected`. Counts that are zero are left out. */
export function countsText(run: ReportedRun): string {
  const counts = countsOf(run);
  const { header } = run;
  const others = COUNTS.slice(1).filter((key) => counts[key] > 0);
  return [
    `${grouped(counts.created)} of ${countIn(header, header.planned.rows)} created`,
    ...others.map((key) => `${grouped(counts[key])} ${headingOf(key)}`),
  ].join(', ');
}

export function tookText({ findings }: ReportedRun): string {
  return elapsedText((findings.workedMs ?? 0) / 1_000);
}

/** Records that a message names. */
const NAMED = 3;

/** What the list shows after the run that should not be so. */
export function faultsOf(findings: Findings): readonly string[] {
  const { missing, doubled, differing, unread, verified } = findings;
  const texts = [
    ...textOf(missing, 'the list does not show'),
    ...textOf(doubled, 'the list has another record with the code of'),
    ...textOf(differing, 'the list shows other values for'),
  ];
  if (texts.length > 0 || verified !== false) return texts;
  return [`the created rows could not be verified${unread === undefined ? '' : `: ${unread}`}`];
}

function textOf(faulty: FaultyRows | undefined, fault: string): readonly string[] {
  if (faulty === undefined) return [];
  const { count, rows } = faulty;
  const named = rows.slice(0, NAMED).map(({ row, code, id, other }) => {
    const ids = [id, other].filter((one) => one !== null && one !== undefined).join(', ');
    return `${code ?? `row ${row}`}${ids === '' ? '' : ` (${ids})`}`;
  });
  const more = count > named.length ? ` and ${grouped(count - named.length)} more` : '';
  return [`${fault} ${rowsIn(count)} that proc created: ${named.join(', ')}${more}`];
}
