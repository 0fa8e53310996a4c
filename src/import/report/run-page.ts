import type { Context } from '../../context.ts';
import { momentText } from '../../core/moment.ts';
import { grouped } from '../../core/numbers.ts';
import { capital } from '../../core/wording.ts';
import { rowsOfRun } from '../../ledger/run-queries.ts';
import type { Sql } from '../../ledger/sql.ts';
import {
  barChart,
  commandLine,
  heading,
  pageEnd,
  pageHead,
  paragraph,
  table,
} from '../../output/html-page.ts';
import { otherNamesText } from '../plan/plan-page.ts';
import { rejectedFilesOf } from './files.ts';
import { rowLayout } from './row-record.ts';
import { nextFor, runCommand } from './run-endings.ts';
import {
  COUNTS,
  type Counts,
  countsOf,
  countsText,
  faultsOf,
  type ReportedRun,
  statesOf,
  tookText,
} from './run-summary.ts';

const MOST_ROWS = 200;

interface PagedRun extends ReportedRun {
  readonly number: number;
  readonly sql: Sql;
}

/** The page of `imports report`. Rows are read while it is written: a run may have a million. */
export async function* runPage(run: PagedRun, ctx: Context): AsyncGenerator<string> {
  const { header, findings } = run;
  const next = nextFor(run, ctx);
  const { source, profile, environment, organization, baseUrl, startedAt, writer } = header;
  const counts = countsOf(run);
  const started = momentText(Date.parse(startedAt));
  const lead = `${countsText(run)}.`;
  yield pageHead({
    title: `Import of ${source.name}`,
    place: [profile, environment, started],
    lead,
  });
  if (next.length > 0) yield heading('What to do next');
  for (const { command, why } of next) {
    yield paragraph(`${why}:`);
    yield commandLine(command);
  }
  yield heading('Rows by state');
  const bars = COUNTS.flatMap((label) =>
    counts[label] === 0 ? [] : [{ label, value: counts[label], text: grouped(counts[label]) }],
  );
  yield barChart(`Bar chart of the rows by state: ${lead}`, bars);
  const warnings = [
    ...faultsOf(findings),
    ...(header.otherNames === undefined ? [] : [otherNamesText(header.otherNames)]),
  ];
  if (warnings.length > 0) yield heading('Warnings');
  for (const text of warnings) yield paragraph(text);
  yield* rows(run, 'unconfirmed', ['row', 'line', 'code', 'name', 'reason']);
  yield* rows(run, 'rejected', ['row', 'line', 'code', 'name', 'reason']);
  const files = counts.rejected === 0 ? [] : rejectedFilesOf(header, ctx);
  if (files.length > 0) yield paragraph(`Rejected rows are in ${files.join(' and ')}.`);
  yield* rows(run, 'pending', ['row', 'line', 'code', 'name']);
  yield* rows(run, 'created', ['row', 'line', 'id', 'code'], Number.POSITIVE_INFINITY);
  yield heading('About this import');
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['run', header.run],
    ['service', baseUrl],
    ['organization', organization],
    ['sent by', writer && `${writer.user} on ${writer.host}`],
    ['CI job', writer?.job],
    ['took', tookText(run)],
    ['file', source.path],
    ['digest of the plan', header.digest],
  ];
  const known = facts.flatMap(([label, value]) => (value === undefined ? [] : [[label, value]]));
  yield* table(['fact', 'value'], known);
  yield pageEnd(ctx.clock.now());
}

/** The rows in the ledger with a state. The plan's own are in the file of rejected rows. */
async function* rows(
  { sql, number, header, rows: counts }: PagedRun,
  state: keyof Counts,
  fields: readonly string[],
  most = MOST_ROWS,
): AsyncGenerator<string> {
  const { record } = rowLayout(header);
  const states = statesOf(header, state);
  const count = states.reduce((sum, one) => sum + (counts[one] ?? 0), 0);
  let shown = 0;
  for await (const lot of rowsOfRun(sql, number, states)) {
    if (shown === 0) yield heading(`${capital(state)} rows (${grouped(count)})`);
    const cells = lot
      .slice(0, most - shown)
      .map((row) => record(row))
      .map((row) => fields.map((field) => (row[field] ?? null) as string | number | null));
    yield* table(fields, cells);
    shown += cells.length;
    if (shown < most) continue;
    yield paragraph(`The first ${most} rows. To list all:`);
    yield commandLine(`${runCommand('rows', header)} --state ${state}`);
    return;
  }
}
