import type {
  BarColour,
  Block,
  Fact,
  ReportDocument,
  Section,
  Table,
  TableColumn,
  Tone,
} from '../../../core/document/document.ts';
import { VERSION } from '../../../core/proc-version.ts';
import { grouped } from '../../../core/text/decimal.ts';
import { kebab } from '../../../core/text/kebab.ts';
import { inShell } from '../../../core/text/typed.ts';
import { elapsedText } from '../../../core/time/duration.ts';
import { momentText } from '../../../core/time/moment.ts';
import { importRunMessages } from '../../../messages/import-run.ts';
import { sentence, sentenceIn } from '../../../messages/problems.ts';
import {
  type ImportReportMessages,
  importReportMessages,
} from '../../../messages/reports/import-report.ts';
import type { Mapping, Rule } from '../../map/mapping.ts';
import type { ListedRow } from '../../store/reported-rows.ts';
import { targetOf } from '../../targets/all-targets.ts';
import { countsText } from '../import-summary.ts';
import { isUnsent, stepText } from '../next-steps.ts';
import { countedIn } from '../words.ts';
import { MOST_PER_GROUP, reasonBeside } from './rejected-groups.ts';
import { contentText, MOST_ROWS, type RateSpan, type RunReport, warningsOf } from './run-report.ts';

interface DocumentOptions {
  /** Unix time, in ms. */
  readonly now: number;
  readonly created: Iterable<ListedRow> | undefined;
}

export function runDocument(report: RunReport, { now, created }: DocumentOptions): ReportDocument {
  const words = importReportMessages(countedIn(report.header));
  const content: RunContent = { report, words, created };
  const { phase, header, shown, running } = report;
  const isPlanned = isUnsent({ phase });
  const said = [
    running && words.running(running.pid, momentOf(running.since)),
    isPlanned ? words.nothingSent : undefined,
    `${countsText(shown)}.`,
  ];
  return {
    title: words.title(header.source.name),
    place: [header.profile, header.environment, momentText(Date.parse(header.startedAt))]
      .filter((part) => part !== undefined)
      .join(' · '),
    lead: said.filter((sentence) => sentence !== undefined).join(' '),
    tone: toneOf(report),
    sections: sectionsOf(content),
    footer: words.footer(VERSION, momentText(now)),
  };
}

function momentOf(iso: string | undefined): string | undefined {
  return iso === undefined ? undefined : momentText(Date.parse(iso));
}

function toneOf({ counts, steps, running }: RunReport): Tone {
  if (running !== undefined) return 'neutral';
  if (counts.unconfirmed > 0) return 'bad';
  return steps.length > 0 ? 'attention' : 'good';
}

interface RunContent {
  readonly report: RunReport;
  readonly words: ImportReportMessages;
  /** All created rows, if the user asked for them. */
  readonly created: Iterable<ListedRow> | undefined;
}

/** The sections of a report in their order. A section is undefined if it has nothing to say. */
const SECTIONS: readonly ((content: RunContent) => Section | undefined)[] = [
  nextSection,
  (content) => rowsSection(content, 'sending', content.words.sending),
  (content) => rowsSection(content, 'unconfirmed', content.words.unconfirmed, 'bad'),
  rejectedSection,
  (content) => (content.created === undefined ? undefined : createdSection(content)),
  warningsSection,
  (content) =>
    isUnsent(content.report) ? rowsSection(content, 'pending', content.words.toSend) : undefined,
  statesSection,
  rateSection,
  (content) => rowsSection(content, 'duplicate', content.words.duplicates),
  (content) => (content.created === undefined ? createdSection(content) : undefined),
  mappingSection,
  aboutSection,
];

function sectionsOf(content: RunContent): readonly Section[] {
  return SECTIONS.map((section) => section(content)).filter((section) => section !== undefined);
}

type ColumnName = keyof ImportReportMessages['columns'];

const KINDS: Partial<Record<ColumnName, TableColumn['kind']>> = {
  row: 'number',
  line: 'number',
  code: 'code',
  id: 'code',
  cell: 'code',
  rows: 'count',
  perSecond: 'number',
};

/** Left out if they are empty in all rows. */
const OPTIONAL: readonly ColumnName[] = ['line', 'code', 'name', 'reason', 'content'];

type Cells = Readonly<Partial<Record<ColumnName, unknown>>>;

function columnsOf(
  { words }: RunContent,
  names: readonly ColumnName[],
  rows?: readonly Cells[],
): readonly TableColumn[] {
  const isEmpty = (name: ColumnName) => rows?.every((row) => (row[name] ?? null) === null) === true;
  return names
    .filter((name) => !(OPTIONAL.includes(name) && isEmpty(name)))
    .map((name) => ({ key: name, header: words.columns[name], kind: KINDS[name] ?? 'text' }));
}

function tableOf(
  content: RunContent,
  title: string,
  names: readonly ColumnName[],
  rows: readonly Cells[],
): Table {
  const columns = columnsOf(content, names);
  return { kind: 'table', title, columns, rows, count: rows.length, most: undefined };
}

/** What a table of rows shows, by their state. */
const ROW_COLUMNS = {
  sending: ['row', 'line', 'code', 'name'],
  unconfirmed: ['row', 'line', 'code', 'name', 'sentAt', 'reason'],
  pending: ['row', 'line', 'code', 'name', 'content'],
  duplicate: ['row', 'line', 'code', 'name', 'reason'],
  created: ['row', 'line', 'id', 'code', 'name'],
} as const satisfies Record<keyof RunReport['first'], readonly ColumnName[]>;

/** The first rows in a state, and the command that lists all. Undefined if there are none. */
function rowTable(
  content: RunContent,
  state: keyof typeof ROW_COLUMNS,
  title: string | ((count: number) => string),
): Table | undefined {
  const { counts, first } = content.report;
  const count = counts[state === 'duplicate' ? 'duplicates' : state] ?? 0;
  if (count === 0) return undefined;
  const rows = first[state].map((row) => ({
    ...row,
    content: contentOf(row, content),
    reason: sentenceIn(row.reason),
    sentAt: row.sentAt === null ? null : momentText(row.sentAt),
  }));
  const columns = columnsOf(content, ROW_COLUMNS[state], rows);
  // Soon these rows have another state, so no command can list them.
  const rest =
    state === 'sending'
      ? { most: rows.length }
      : { most: MOST_ROWS, all: rowsCommand(content, state) };
  const named = typeof title === 'string' ? title : title(count);
  return { kind: 'table', title: named, columns, rows, count, ...rest };
}

interface RowsWords {
  readonly title: string;
  /** Before the table. Without it, the table is folded. */
  readonly text?: string | ((count: number) => string);
  readonly table?: string | ((count: number) => string);
}

function rowsSection(
  content: RunContent,
  state: keyof typeof ROW_COLUMNS,
  { title, text, table: titleOfTable = title }: RowsWords,
  tone?: Tone,
): Section | undefined {
  const table = rowTable(content, state, titleOfTable);
  if (table === undefined) return undefined;
  if (text === undefined) return { title, blocks: [{ ...table, sheet: title, isFolded: true }] };
  const said = typeof text === 'string' ? text : text(table.count);
  return { title, ...(tone && { tone }), blocks: [{ kind: 'text', text: said }, table] };
}

/** The fields of a row to send that have no column. */
function contentOf({ row }: ListedRow, { report }: RunContent): string | null {
  const key = targetOf(report.header.noun).keyField;
  return contentText(report.bodies.get(row) ?? {}, [key, 'name', 'title']) || null;
}

function rowsCommand({ report }: RunContent, state: ListedRow['state']): string {
  return `proc imports rows ${inShell(report.header.run)} --state ${inShell(state)}`;
}

function nextSection({ report, words }: RunContent): Section {
  const { steps, rejectedFile } = report;
  const { title, nothing } = words.next;
  const blocks = steps.flatMap((step): readonly Block[] => [
    { kind: 'text', text: stepText(step, words, rejectedFile) },
    { kind: 'command', text: step.command },
  ]);
  return { title, blocks: blocks.length > 0 ? blocks : [{ kind: 'text', text: nothing }] };
}

function rejectedSection(content: RunContent): Section | undefined {
  const { counts, repaired, rejected } = content.report;
  const { rejected: count } = counts;
  if (count === 0) return undefined;
  const words = content.words.rejected;
  const said = rejected.map(({ reason, ...group }) => ({
    ...group,
    reason: reason === undefined ? words.other : sentence(reason),
  }));
  const groups = said.map(({ reason, count: rows, rows: shown }): Table => {
    const differs = shown.some((row) => reasonBeside(row) !== reason);
    const columns: readonly ColumnName[] = ['row', 'line', 'code', 'name', 'cell'];
    return {
      kind: 'table',
      title: words.reasonOf(reason, rows),
      sheet: words.sheet,
      sheetColumns: columnsOf(content, [...columns, 'reason']),
      columns: columnsOf(content, differs ? [...columns, 'reason'] : columns, shown),
      rows: shown.map((row) => ({
        ...row,
        cell: row.cells
          .map(({ column, value }) => `${column}: ${value === '' ? words.emptyCell : value}`)
          .join(' · '),
        reason: reasonBeside(row),
      })),
      count: rows,
      most: MOST_PER_GROUP,
      all: rowsCommand(content, 'rejected'),
    };
  });
  const later = repaired === 0 ? '' : ` ${words.repaired(repaired)}`;
  const reasons = said.map(({ reason, count: rows }) => ({ reason, rows }));
  return {
    title: words.title,
    tone: 'attention',
    blocks: [
      { kind: 'text', text: `${words.text(count)}${later}` },
      ...(said.length > 1 ? [tableOf(content, words.reasons, ['reason', 'rows'], reasons)] : []),
      ...groups,
    ],
  };
}

function warningsSection({ report, words }: RunContent): Section | undefined {
  const { title } = words.warnings;
  const items = warningsOf(report).map(({ message }) => message);
  if (items.length === 0) return undefined;
  return { title, tone: 'attention', blocks: [{ kind: 'list', items }] };
}

/** In the order of the table and the chart. */
const STATES = {
  created: 'green',
  existing: 'blue',
  duplicates: 'violet',
  rejected: 'red',
  unconfirmed: 'orange',
  sending: 'blue',
  pending: 'grey',
  dropped: 'brown',
} as const satisfies Record<string, BarColour>;

function statesSection(content: RunContent): Section {
  const { title, chart, all } = content.words.states;
  const { report } = content;
  const { counts } = report;
  const { labels } = importRunMessages;
  const states = Object.entries(STATES).flatMap(([state, colour]) => {
    const value = counts[state as keyof typeof STATES] ?? 0;
    const label = labels[state as keyof typeof STATES];
    return value === 0 ? [] : [{ label, value, text: grouped(value), colour }];
  });
  const table = tableOf(
    content,
    title,
    ['state', 'rows'],
    [
      ...states.map(({ label, value }) => ({ state: label, rows: value })),
      { state: all, rows: counts.rows },
    ],
  );
  if (states.length === 0) return { title, blocks: [table] };
  const said = states.map(({ label, text }) => `${text} ${label}`).join(', ');
  return { title, blocks: [{ kind: 'bars', title: chart(said), bars: states }, table] };
}

function rateSection(content: RunContent): Section | undefined {
  const { rate } = content.report;
  const { title, chart, unit, table, sheet } = content.words.rate;
  const [first] = rate;
  const last = rate.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const clockTime = timesOf(rate);
  const most = Math.max(...rate.map(({ perSecond }) => perSecond));
  const rows = rate.map(({ at, ...span }) => ({ time: clockTime(at), ...span }));
  const spans = tableOf(content, table, ['time', 'rows', 'perSecond'], rows);
  const said = chart(String(most), clockTime(first.at), clockTime(last.at));
  const points = rate.map(({ at, perSecond }) => ({ label: clockTime(at), value: perSecond }));
  const drawing: readonly Block[] =
    points.length < 2 ? [] : [{ kind: 'line', title: said, points, unit }];
  return { title, blocks: [...drawing, { ...spans, sheet, isFolded: true }] };
}

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * `14:05:09`, in the time zone of this machine. The date is added if the times span a day or more.
 */
function timesOf(rate: readonly RateSpan[]): (iso: string) => string {
  const [first, last] = [rate[0], rate.at(-1)].map((span) => Date.parse(span?.at ?? ''));
  const isLong = Number(last) - Number(first) >= DAY_MS;
  return (iso) => {
    const time = new Date(iso);
    const two = (n: number) => String(n).padStart(2, '0');
    const clock = [time.getHours(), time.getMinutes(), time.getSeconds()].map(two).join(':');
    if (!isLong) return clock;
    return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())} ${clock}`;
  };
}

/** All created rows with `--created`, else the first ones. */
function createdSection(content: RunContent): Section | undefined {
  const { title, table: titleOf, cannotDelete } = content.words.created;
  const table = rowTable(content, 'created', titleOf);
  if (table === undefined) return undefined;
  const { noun } = content.report.header;
  // Messages use the plural: `requisition` becomes `requisitions`.
  const note = {
    kind: 'text',
    text: cannotDelete(noun.endsWith('s') ? noun : `${noun}s`),
  } as const;
  const blocks: readonly Block[] =
    content.created === undefined
      ? [{ ...table, sheet: title, isFolded: true }, note]
      : [note, { ...table, sheet: title, rows: content.created, most: undefined }];
  return { title, blocks };
}

function mappingSection(content: RunContent): Section | undefined {
  const { header } = content.report;
  const { mapping, rules } = content.words;
  const { fields } = header.mapping as Mapping;
  const rows = Object.entries(fields).map(([field, rule]) => ({
    field,
    value: ruleText(rule, rules),
  }));
  if (header.groupBy !== undefined) rows.push({ field: mapping.groupBy, value: header.groupBy });
  if (rows.length === 0) return undefined;
  const { title } = mapping;
  const table = tableOf(content, mapping.table, ['field', 'value'], rows);
  return { title, blocks: [{ ...table, sheet: title }] };
}

function ruleText(rule: Rule, words: ImportReportMessages['rules']): string {
  if ('column' in rule) return words.column(rule.column);
  if ('template' in rule) return words.template(rule.template);
  if ('constant' in rule) return words.constant(rule.constant);
  return words.from(rule.from);
}

function aboutSection({ report, words: { about } }: RunContent): Section {
  const { header, facts, writer } = report;
  const { labels } = importRunMessages;
  const { source } = header;
  const { finishedAt, workedMs } = facts;
  const code = (label: string, value: string): Fact => ({ label, value, isCode: true });
  const lines: readonly (Fact | undefined)[] = [
    code(labels.run, header.run),
    code(about.service, header.baseUrl),
    given(labels.profile, header.profile),
    given(labels.environment, header.environment),
    given(labels.organization, header.organization),
    given(
      about.sentBy,
      writer && about.writer(writer.user, writer.host, writer.actor, writer.version),
    ),
    given(about.job, writer?.job),
    { label: labels.startedAt, value: momentText(Date.parse(header.startedAt)) },
    given(about.finished, finishedAt === undefined ? undefined : momentText(finishedAt)),
    given(about.took, workedMs === undefined ? undefined : elapsedText(workedMs / 1000)),
    { label: about.file, value: source.name },
    given(about.size, source.bytes === null ? undefined : about.bytes(source.bytes)),
    code(about.hash, source.hash),
    given(
      labels.choices,
      choicesText(header.choices as unknown as Readonly<Record<string, unknown>>),
    ),
  ];
  const shown = lines.filter((line) => line !== undefined);
  return { title: about.title, blocks: [{ kind: 'facts', facts: shown }] };
}

function given(label: string, value: string | undefined): Fact | undefined {
  return value === undefined || value === '' ? undefined : { label, value };
}

/** The choices as flags: `--on-existing skip --no-code reject`. */
function choicesText(choices: Readonly<Record<string, unknown>>): string {
  return Object.entries(choices)
    .filter(([, value]) => value !== undefined && value !== null && value !== false)
    .flatMap(([key, value]) => (Array.isArray(value) ? value : [value]).map((one) => [key, one]))
    .map(([key, value]) => `--${kebab(key)}${value === true ? '' : ` ${inShell(value)}`}`)
    .join(' ');
}
