import { existsSync } from 'node:fs';
import type { Ports } from '../../../core/ports.ts';
import type { Row } from '../../../core/result.ts';
import { plainDecimal } from '../../../core/text/decimal.ts';
import { someOf } from '../../../core/text/listed.ts';
import { numberText } from '../../../core/text/raw-number.ts';
import { parseResponse } from '../../../core/text/strict-json.ts';
import { HISTORY } from '../../../history/store.ts';
import type { Writer } from '../../../history/written-by.ts';
import { findingText } from '../../../messages/findings.ts';
import { sentence } from '../../../messages/problems.ts';
import { importReportMessages } from '../../../messages/reports/import-report.ts';
import { otherNamesText } from '../../plan/other-names.ts';
import type { Facts } from '../../store/facts.ts';
import type { ListedRow } from '../../store/reported-rows.ts';
import type { Run } from '../../store/run-file.ts';
import type { Summary } from '../../store/run-summary.ts';
import { catalogueWord } from '../import-summary.ts';
import { isUnsent, type NextStep, nextSteps } from '../next-steps.ts';
import { countedIn, withReason } from '../words.ts';
import { type RejectedGroup, rejectedGroups } from './rejected-groups.ts';

export const MOST_ROWS = 200;

const FACTS = [
  ...(['firstSentAt', 'finishedAt', 'workedMs', 'fileProblem'] as const),
  ...(['findings', 'otherNames', 'baseline', 'verified'] as const),
] as const;

type ReportedFacts = Readonly<Partial<Pick<Facts, (typeof FACTS)[number]>>>;

/** Plain data: once it is read, the ledger may be closed. */
export interface RunReport
  extends Pick<Summary, 'header' | 'phase' | 'counts' | 'parked' | 'repaired' | 'running'> {
  readonly facts: ReportedFacts;
  /** The record that `imports show` prints. */
  readonly shown: Row;
  readonly steps: readonly NextStep[];
  readonly rejectedFile: string | undefined;
  readonly first: Readonly<Record<FirstRows, readonly ListedRow[]>>;
  /** The bodies of the first pending rows, by row number; empty once sending has begun. */
  readonly bodies: ReadonlyMap<number, Body>;
  readonly rejected: readonly RejectedGroup[];
  readonly rate: readonly RateSpan[];
  readonly writer: Writer | undefined;
}

type FirstRows = 'unconfirmed' | 'sending' | 'pending' | 'duplicate' | 'created';

export async function readReport(
  run: Run,
  summary: Summary,
  shown: Row,
  ports: Ports<'io' | 'self' | 'store'>,
): Promise<RunReport> {
  const { counts, running } = summary;
  const file = run.files.rejectedFile;
  const rejectedFile = file !== undefined && existsSync(file) ? file : undefined;
  const historyId = run.get('historyId');
  const entry =
    historyId === undefined ? undefined : await (await ports.store.open(HISTORY)).get(historyId);
  const first = (state: FirstRows, count: number): readonly ListedRow[] =>
    firstOf(run, state, Math.min(count, MOST_ROWS), running !== undefined);
  const pending = first('pending', counts.pending);
  return {
    header: summary.header,
    phase: summary.phase,
    counts,
    parked: summary.parked,
    repaired: summary.repaired,
    running,
    facts: factsOf(summary),
    shown,
    steps: nextSteps(summary, rejectedFile, ports),
    rejectedFile,
    first: {
      unconfirmed: first('unconfirmed', counts.unconfirmed),
      sending: first('sending', counts.sending ?? 0),
      pending,
      duplicate: first('duplicate', counts.duplicates),
      created: first('created', counts.created),
    },
    bodies: new Map(isUnsent(summary) ? pending.map(({ row }) => [row, bodyOf(run, row)]) : []),
    rejected: counts.rejected === 0 ? [] : rejectedGroups(run),
    rate: sendingRate(run),
    writer: entry?.writer,
  };
}

function factsOf(run: Summary): ReportedFacts {
  return Object.fromEntries(FACTS.map((key) => [key, run.fact(key)]));
}

function bodyOf(run: Run, row: number): Body {
  const text = run.rows.at(row)?.body;
  return text === undefined || text === null ? {} : exactBody(text);
}

/** Stops as soon as it has enough rows, because a search for more could read the whole run. */
function firstOf(
  run: Run,
  state: FirstRows,
  most: number,
  isRunning: boolean,
): readonly ListedRow[] {
  const rows: ListedRow[] = [];
  if (most === 0) return rows;
  for (const row of run.rows.reported.listed(state, isRunning)) {
    rows.push(row);
    if (rows.length === most) break;
  }
  return rows;
}

export function reportFigures(report: RunReport): Row {
  const { parked, facts, shown, steps, rejected, rate, writer } = report;
  const { firstSentAt, finishedAt, workedMs } = facts;
  return {
    ...shown,
    parked,
    firstSentAt: timeOf(firstSentAt),
    finishedAt: timeOf(finishedAt),
    seconds: workedMs === undefined ? null : Math.round(workedMs) / 1000,
    actor: writer?.actor ?? null,
    user: writer?.user ?? null,
    host: writer?.host ?? null,
    job: writer?.job ?? null,
    version: writer?.version ?? null,
    steps: steps.map(({ what, rows, command }) => ({ what, rows, command })),
    warnings: warningsOf(report),
    reasons: rejected.map(({ reason, count, rows }) => ({
      reason: reason === undefined ? null : sentence(reason),
      rows: count,
      examples: rows.map(withReason),
    })),
    rate,
  };
}

function timeOf(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString();
}

interface Warning {
  readonly kind: string;
  readonly message: string;
}

export function warningsOf({ header, facts }: RunReport): readonly Warning[] {
  const { warnings: words } = importReportMessages(countedIn(header));
  const { fileProblem, otherNames, baseline, verified } = facts;
  const warnings: Warning[] = [];
  const add = (kind: string, message: string) => warnings.push({ kind, message });
  if (fileProblem !== undefined) {
    add('file_problem', words.fileProblem(header.source.name, sentence(fileProblem)));
  }
  for (const found of facts.findings ?? []) add(found.kind, findingText(found));
  if (otherNames !== undefined) add('other_names', otherNamesText(otherNames));
  if (baseline !== undefined && catalogueWord(baseline) !== 'complete') {
    add('catalogue_unverified', words.unverified);
  }
  if (verified !== undefined) {
    const { twice, twiceHere = 0, named, hidden = 0, notListed = [] } = verified;
    if (twice > 0) {
      const codes = named.map(({ code, ids }) => `${code} (${ids.join(', ')})`);
      add('codes_doubled', words.twice(twice, someOf(codes, twice), twiceHere));
    }
    if (hidden > 0) {
      const codes = notListed.map(({ code, id }) => `${code} (${id})`);
      add('created_not_listed', words.hidden(hidden, someOf(codes, hidden)));
    } else if (!verified.isComplete) add('not_verified', words.notVerified);
  }
  return warnings;
}

type Body = Readonly<Record<string, unknown>>;

/** Numbers keep all their digits. */
function exactBody(text: string): Body {
  return parseResponse(text) as Body;
}

/**
 * The fields of a body in one line: `amount: 1250.5 · groups: Workshop (12 × Brakes; 4 × item-7)`.
 *
 * @param shown fields to leave out, because other columns show them
 */
export function contentText(body: Body, shown: readonly string[]): string {
  return Object.entries(body)
    .filter(([field]) => !shown.includes(field))
    .map(([field, value]) => `${field}: ${textOf(value)}`)
    .join(' · ');
}

function textOf(value: unknown): string {
  const digits = numberText(value);
  if (digits !== undefined) return plainDecimal(digits);
  if (Array.isArray(value)) return value.map((one) => textOf(one)).join('; ');
  if (typeof value !== 'object' || value === null) return String(value);
  const { items, quantity, ...fields } = value as Body;
  const own = Object.values(fields).map((one) => textOf(one));
  const said = own.join(', ');
  if (items !== undefined) return `${said} (${textOf(items)})`.trim();
  return quantity === undefined ? said : `${textOf(quantity)} × ${said}`;
}

export interface RateSpan {
  /** ISO time at which the span begins. */
  readonly at: string;
  readonly rows: number;
  /** Rounded to a tenth. */
  readonly perSecond: number;
}

/** The most spans, so that their table stays short in the summary of a CI job. */
const MOST_SPANS = 20;

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** No span is shorter than a second, because the report shows times to the second. */
const SPANS_MS = [
  ...[1, 2, 5, 10, 30].map((seconds) => seconds * SECOND),
  ...[1, 2, 5, 10, 30].map((minutes) => minutes * MINUTE),
  ...[1, 6, 24].map((hours) => hours * HOUR),
];

/** Rows sent over time, in equal spans; empty if nothing was sent. */
function sendingRate(run: Run): readonly RateSpan[] {
  const time = run.rows.reported.sendingTime();
  if (time === undefined) return [];
  const { first, last } = time;
  const spanMs =
    SPANS_MS.find((span) => (last - first) / span < MOST_SPANS) ??
    Math.ceil((last - first + 1) / MOST_SPANS);
  const counts = new Map(
    run.rows.reported.sentPerSpan(first, spanMs).map(({ span, rows }) => [span, rows]),
  );
  const spans = Math.floor((last - first) / spanMs) + 1;
  return Array.from({ length: spans }, (_, span) => {
    const rows = counts.get(span) ?? 0;
    return {
      at: new Date(first + span * spanMs).toISOString(),
      rows,
      perSecond: Math.round((rows / spanMs) * 10 * SECOND) / 10,
    };
  });
}
