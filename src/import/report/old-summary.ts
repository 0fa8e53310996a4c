import { sentence } from '../../core/problem/sentence.ts';
import type { Column, Next, RecordResult, Row } from '../../core/result.ts';
import { elapsedText } from '../../core/time/duration.ts';
import type { Stop } from '../open-run.ts';
import type { Baseline, Facts, RunHeader } from '../store/facts.ts';
import type { Run } from '../store/run-file.ts';
import type { Summary } from '../store/run-summary.ts';
import { importRunMessages } from './labels.ts';
import { countedIn, countOf, withReason } from './words.ts';

export const COUNTS = [
  ...['rows', 'created', 'existing', 'duplicates', 'dropped', 'rejected', 'unconfirmed', 'pending'],
] as const;

/** How a table shows a run's summary. Only labels are translated: JSON and CSV use the keys. */
export function summaryLayout(): Required<Pick<RecordResult, 'columns' | 'labels'>> {
  const { labels } = importRunMessages;
  return {
    columns: [
      { key: 'run', header: labels.run },
      ...COUNTS.map((key) => ({ key, header: labels[key], kind: 'count' }) as const),
    ],
    labels,
  };
}

/** Keys that the brief table leaves out, except for `catalogue: unverified` and `verified: false`. */
const UNSAID = [
  'counts',
  'next',
  'catalogue',
  'verified',
  'seconds',
  'source',
  'otherNames',
  'codesChanged',
];

/** Leaves out counts that are zero; see also {@link UNSAID}. */
export function briefColumns(value: Row): readonly Column[] {
  const { columns, labels } = summaryLayout();
  const counts: readonly string[] = COUNTS;
  return Object.keys(value)
    .filter((key) => (counts.includes(key) ? value[key] !== 0 : isWorthSaying(key, value[key])))
    .map(
      (key) => columns.find((column) => column.key === key) ?? { key, header: labels[key] ?? key },
    );
}

function isWorthSaying(key: string, value: unknown): boolean {
  return !UNSAID.includes(key) || value === false || value === 'unverified';
}

/** The result of a run in a sentence: `items.csv: 2 of 3 rows created, 1 rejected (1.1 s)`. */
export function summarySentence(value: Row): string {
  return `${value.source}: ${countsText(value)} (${elapsedText(Number(value.seconds))})`;
}

/**
 * E.g. `2 of 3 rows created, 1 rejected`. Counts that are zero are left out.
 *
 * @param numbers the language of separators in numbers. Default `en`: tables on a terminal use
 * English separators in every language.
 */
export function countsText(value: Row): string {
  const { created, ...others } = importRunMessages.result;
  const count = (key: string) => Number(value[key] ?? 0);
  const parts = (Object.keys(others) as readonly (keyof typeof others)[])
    .filter((key) => count(key) > 0)
    .map((key) => others[key](count(key)));
  const of = countOf(count('rows'), value.counts === undefined ? 'rows' : 'requisitions');
  return [created(count('created'), of), ...parts].join(', ');
}

const NAMED = 10;

export interface Files {
  readonly rejectedFile: string | undefined;
  readonly resultsFile: string | undefined;
}

/** The value of `catalogue` in JSON. */
export function catalogueWord(baseline: Baseline | 'not read' | undefined): string {
  return baseline === 'complete' || baseline === 'searched' ? 'complete' : 'unverified';
}

/** What is known about the list before and after the run; empty for nouns without a list. */
function listFacts(run: Summary): Row {
  const baseline = run.fact('baseline');
  const verified = run.fact('verified');
  const { twice = 0, named, hidden = 0, notListed, refused } = verified ?? {};
  return {
    ...(baseline === undefined ? {} : { catalogue: catalogueWord(baseline) }),
    ...(verified === undefined ? {} : { verified: verified.isComplete }),
    ...(twice === 0 ? {} : { createdTwice: twice, twice: named }),
    ...(hidden === 0 ? {} : { createdNotListed: hidden, notListed }),
    ...(refused === undefined ? {} : { rejectedButListed: refused }),
  };
}

/** The keys are the same in the plan and in the summary. */
export function otherNamesRecord(found: Facts['otherNames'] | undefined): Row {
  if (found === undefined) return {};
  const { count, samples } = found;
  return { renamed: count, otherNames: samples };
}

/** Empty if the counts are of rows. */
export function countedRecord(header: Pick<RunHeader, 'groupBy'>): Row {
  const counts = countedIn(header);
  return counts === 'rows' ? {} : { counts };
}

interface Ended {
  readonly files: Files;
  readonly stop: Stop | undefined;
  /** The command that goes on; undefined if none can. */
  readonly resume: string | undefined;
  readonly next: readonly Next[];
}

export function summarise(summary: Summary, run: Run, { files, stop, resume, next }: Ended): Row {
  const { header, counts } = summary;
  const workedMs = summary.fact('workedMs') ?? 0;
  const fileProblem = summary.fact('fileProblem');
  const unguarded = summary.fact('unguarded');
  const changed = summary.fact('codesChanged');
  const isOver = stop === undefined && counts.pending === 0;
  return {
    run: header.run,
    source: header.source.name,
    ...countedRecord(header),
    ...counts,
    ...(summary.fact('ordersLines') === true ? run.rows.planned.countLines('created') : {}),
    ...listFacts(summary),
    ...otherNamesRecord(summary.fact('otherNames')),
    ...(changed === undefined ? {} : { codesChanged: changed }),
    seconds: Math.round(workedMs) / 1000,
    ...(unguarded === undefined ? {} : { unguarded }),
    ...(fileProblem === undefined ? {} : { fileProblem: sentence(fileProblem) }),
    ...(files.rejectedFile === undefined ? {} : { rejectedFile: files.rejectedFile }),
    ...(files.resultsFile === undefined ? {} : { resultsFile: files.resultsFile }),
    ...(counts.unconfirmed === 0
      ? {}
      : { unconfirmedRows: run.rows.reported.unconfirmed(NAMED).map(withReason) }),
    ...(stop === undefined ? {} : { stopped: stop.why }),
    ...(isOver || resume === undefined ? {} : { resume }),
    next,
  };
}
