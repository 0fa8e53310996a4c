import { sentence, sentenceIn } from '../../core/problem/sentence.ts';
import type { Next, Row } from '../../core/result.ts';
import { inShell } from '../../core/text/typed.ts';
import { elapsedText } from '../../core/time/duration.ts';
import { momentText } from '../../core/time/moment.ts';
import type { Writer } from '../../history/written-by.ts';
import {
  barChart,
  commandLine,
  heading,
  pageEnd,
  pageHead,
  paragraph,
  table,
} from '../../output/html-page.ts';
import { otherNamesText } from '../plan/other-names.ts';
import type { ListedRow } from '../store/reported-rows.ts';
import type { Run } from '../store/run-file.ts';
import type { Summary } from '../store/run-summary.ts';
import { findingText } from './findings.ts';
import { COUNTS, countsText } from './old-summary.ts';

const MOST_ROWS = 200;

interface Shown {
  readonly summary: Summary;
  /** The record that `imports show` prints. */
  readonly record: Row;
  readonly steps: readonly Next[];
  /** Who sent the rows, as far as history knows. */
  readonly writer: Writer | undefined;
  readonly now: number;
}

/** The page of `imports report`. Rows are read while it is written: a run may have a million. */
export function* runPage(
  run: Run,
  { summary, record, steps, writer, now }: Shown,
): Generator<string> {
  const { header, counts, phase } = summary;
  const { run: name, source, profile, environment, organization, baseUrl, startedAt } = header;
  const started = momentText(Date.parse(startedAt));
  const lead = `${countsText(record)}.`;
  yield pageHead({
    title: `Import of ${source.name}`,
    place: [profile, environment, started],
    lead,
  });
  if (steps.length > 0) yield heading('What to do next');
  for (const { command, why } of steps) {
    yield paragraph(`${why}:`);
    yield commandLine(command);
  }
  yield heading('Rows by state');
  const bars = COUNTS.slice(1).flatMap((state) => {
    const value = counts[state] ?? 0;
    return value === 0 ? [] : [{ label: state, value, text: String(value) }];
  });
  yield barChart(`Bar chart of the rows by state: ${lead}`, bars);
  yield* warnings(run);
  yield* rows(run, 'unconfirmed', ['row', 'line', 'code', 'name', 'reason'], counts.unconfirmed);
  yield* rows(run, 'rejected', ['row', 'line', 'code', 'name', 'reason'], counts.rejected);
  yield* rows(run, 'pending', ['row', 'line', 'code', 'name'], counts.pending);
  yield* rows(
    run,
    'created',
    ['row', 'line', 'id', 'code', 'name'],
    counts.created,
    counts.created,
  );
  yield heading('About this import');
  const [workedMs, finishedAt] = [run.get('workedMs'), run.get('finishedAt')];
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['run', `${name} (${phase})`],
    ['service', baseUrl],
    ['organization', organization],
    ['sent by', writer && `${writer.user} on ${writer.host} (${writer.actor})`],
    ['CI job', writer?.job],
    ['finished', finishedAt === undefined ? undefined : momentText(finishedAt)],
    ['took', workedMs === undefined ? undefined : elapsedText(workedMs / 1000)],
    ['file', source.path],
    ['SHA-256', source.hash],
  ];
  yield* table(
    ['fact', 'value'],
    facts.flatMap(([label, value]) => (value === undefined ? [] : [[label, value]])),
  );
  yield pageEnd(now);
}

function* warnings(run: Run): Generator<string> {
  const [fileProblem, otherNames] = [run.get('fileProblem'), run.get('otherNames')];
  const texts = [
    ...(fileProblem === undefined ? [] : [sentence(fileProblem)]),
    ...(run.get('findings') ?? []).map(findingText),
    ...(otherNames === undefined ? [] : [otherNamesText(otherNames)]),
    ...(run.get('verified')?.isComplete === false
      ? ['The created rows could not be verified in the list afterwards.']
      : []),
  ];
  if (texts.length > 0) yield heading('Warnings');
  for (const text of texts) yield paragraph(text);
}

type Field = 'row' | 'line' | 'id' | 'code' | 'name' | 'reason';

function* rows(
  run: Run,
  state: ListedRow['state'],
  fields: readonly Field[],
  count: number,
  most = MOST_ROWS,
): Generator<string> {
  if (count === 0) return;
  yield heading(`${state.slice(0, 1).toUpperCase()}${state.slice(1)} rows (${count})`);
  yield* table(fields, cellsOf(run, state, fields, most));
  if (count > most) {
    yield paragraph(`The first ${most} of ${count} rows. To list all:`);
    yield commandLine(`proc imports rows ${inShell(run.header.run)} --state ${inShell(state)}`);
  }
}

function* cellsOf(
  run: Run,
  state: ListedRow['state'],
  fields: readonly Field[],
  most: number,
): Generator<readonly (string | number | null)[]> {
  let left = most;
  for (const row of run.rows.reported.listed(state)) {
    yield fields.map((field) => (field === 'reason' ? sentenceIn(row.reason) : row[field]));
    if (--left === 0) return;
  }
}
