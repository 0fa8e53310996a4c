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
import type { Lang } from '../../../core/text/phrase.ts';
import { inShell } from '../../../core/text/typed.ts';
import { momentText } from '../../../core/time/moment.ts';
import { importRunMessages } from '../../../messages/import-run.ts';
import {
  type ImportReportMessages,
  importReportMessages,
} from '../../../messages/reports/import-report.ts';
import { reasonIn } from '../../../messages/row-reasons.ts';
import type { ListedRow } from '../../ledger/rows/reported-rows.ts';
import type { Mapping, Rule } from '../../map/mapping.ts';
import { countsText } from '../import-summary.ts';
import { isUnsent } from './next-steps.ts';
import { MOST_PER_GROUP } from './rejected-groups.ts';
import { MOST_ROWS, type RunReport, warningsOf } from './run-report.ts';

export interface DocumentOptions {
  readonly lang: Lang;
  /** ms */
  readonly now: number;
  /** All created rows, if the reader asked for them. */
  readonly created: Iterable<ListedRow> | undefined;
}

/** Builds the report of one run in one language. */
export function runDocument(report: RunReport, options: DocumentOptions): ReportDocument {
  return new RunDocument(report, options).document();
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

/** The states in the order in which a reader should see them. */
const STATES = {
  created: 'green',
  existing: 'blue',
  duplicates: 'violet',
  rejected: 'red',
  unknown: 'orange',
  pending: 'grey',
  dropped: 'brown',
  filtered: 'grey',
} as const satisfies Record<string, BarColour>;

class RunDocument {
  readonly #report: RunReport;
  readonly #options: DocumentOptions;
  readonly #words: ImportReportMessages;

  constructor(report: RunReport, options: DocumentOptions) {
    this.#report = report;
    this.#options = options;
    this.#words = importReportMessages[options.lang];
  }

  document(): ReportDocument {
    const { phase, header, shown } = this.#report;
    const { lang, now } = this.#options;
    const words = this.#words;
    const isPlanned = isUnsent({ phase });
    const sections = [
      this.#next(),
      this.#unconfirmed(),
      this.#rejected(),
      this.#options.created === undefined ? undefined : this.#created(),
      this.#warnings(),
      isPlanned ? this.#toSend() : undefined,
      this.#states(),
      this.#rate(),
      this.#duplicates(),
      this.#options.created === undefined ? this.#created() : undefined,
      this.#mapping(),
      this.#about(),
    ];
    const counts = `${countsText(shown, lang)}.`;
    return {
      lang,
      title: words.title(header.source.name),
      place: [header.profile, header.environment, momentText(Date.parse(header.startedAt))]
        .filter((part) => part !== undefined)
        .join(' · '),
      lead: isPlanned ? `${words.nothingSent} ${counts}` : counts,
      tone: this.#tone(),
      sections: sections.filter((section) => section !== undefined),
      footer: words.footer(VERSION, momentText(now)),
    };
  }

  #tone(): Tone {
    const { counts, steps } = this.#report;
    if (counts.unknown > 0) return 'bad';
    return steps.length > 0 ? 'attention' : 'good';
  }

  #next(): Section {
    const { next } = this.#words;
    const { steps, rejectedFile = '' } = this.#report;
    const blocks = steps.flatMap(({ what, rows, command }): readonly Block[] => {
      const text =
        what === 'writeRejected'
          ? next.writeRejected
          : what === 'repair'
            ? next.repair(rows, rejectedFile)
            : next[what](rows);
      return [
        { kind: 'text', text },
        { kind: 'command', text: command },
      ];
    });
    return {
      title: next.title,
      blocks: blocks.length > 0 ? blocks : [{ kind: 'text', text: next.nothing }],
    };
  }

  #unconfirmed(): Section | undefined {
    const { counts, first } = this.#report;
    if (counts.unknown === 0) return undefined;
    const { title, text } = this.#words.unconfirmed;
    const table = this.#rows(title, 'unconfirmed', counts.unknown, first.unconfirmed, [
      'row',
      'line',
      'code',
      'name',
      'sentAt',
      'reason',
    ]);
    return { title, tone: 'bad', blocks: [{ kind: 'text', text }, table] };
  }

  #rejected(): Section | undefined {
    const { counts, repaired, rejected } = this.#report;
    const { rejected: count } = counts;
    if (count === 0) return undefined;
    const words = this.#words.rejected;
    const { lang } = this.#options;
    const said = rejected.map(({ reason, ...group }) => ({
      ...group,
      reason: reason === undefined ? words.other : reasonIn(lang, reason),
    }));
    const groups = said.map(({ reason, count: rows, rows: shown }): Table => {
      const differs = shown.some((row) => reasonIn(lang, row.reason) !== reason);
      const columns: readonly ColumnName[] = ['row', 'line', 'code', 'name', 'cell'];
      return {
        kind: 'table',
        title: words.reasonOf(reason, rows),
        sheet: words.sheet,
        sheetColumns: this.#columns([...columns, 'reason']),
        columns: this.#columns(differs ? [...columns, 'reason'] : columns, shown),
        rows: shown.map((row) => ({
          ...row,
          cell: row.cells
            .map(({ column, value }) => `${column}: ${value === '' ? words.emptyCell : value}`)
            .join(' · '),
          reason: reasonIn(lang, row.reason),
        })),
        count: rows,
        most: MOST_PER_GROUP,
        all: this.#rowsCommand('rejected'),
      };
    });
    const later = repaired === 0 ? '' : ` ${words.repaired(repaired)}`;
    const blocks: Block[] = [{ kind: 'text', text: `${words.text(count)}${later}` }];
    if (said.length > 1) {
      blocks.push({
        kind: 'table',
        title: words.reasons,
        columns: this.#columns(['reason', 'rows']),
        rows: said.map(({ reason, count: rows }) => ({ reason, rows })),
        count: said.length,
        most: undefined,
      });
    }
    return { title: words.title, tone: 'attention', blocks: [...blocks, ...groups] };
  }

  #warnings(): Section | undefined {
    const { title } = this.#words.warnings;
    const items = warningsOf(this.#report, this.#options.lang).map(({ message }) => message);
    if (items.length === 0) return undefined;
    return { title, tone: 'attention', blocks: [{ kind: 'list', items }] };
  }

  #toSend(): Section | undefined {
    const { counts, first } = this.#report;
    const { pending } = counts;
    if (pending === 0) return undefined;
    const { title, text, table } = this.#words.toSend;
    const rows = this.#rows(table, 'pending', pending, first.pending, [
      'row',
      'line',
      'code',
      'name',
    ]);
    return { title, blocks: [{ kind: 'text', text: text(pending) }, rows] };
  }

  #states(): Section {
    const { title, chart, all } = this.#words.states;
    const { labels } = importRunMessages[this.#options.lang];
    const { counts } = this.#report;
    const states = Object.entries(STATES).flatMap(([state, colour]) => {
      const value = counts[state as keyof typeof STATES] ?? 0;
      const label = labels[state as keyof typeof STATES];
      return value === 0 ? [] : [{ label, value, text: grouped(value), colour }];
    });
    const table: Table = {
      kind: 'table',
      title,
      columns: this.#columns(['state', 'rows']),
      rows: [
        ...states.map(({ label, value }) => ({ state: label, rows: value })),
        { state: all, rows: counts.rows },
      ],
      count: states.length + 1,
      most: undefined,
    };
    const said = states.map(({ label, text }) => `${text} ${label}`).join(', ');
    if (states.length === 0) return { title, blocks: [table] };
    return { title, blocks: [{ kind: 'bars', title: chart(said), bars: states }, table] };
  }

  #rate(): Section | undefined {
    const { rate } = this.#report;
    const { title, chart, unit, table } = this.#words.rate;
    const [first] = rate;
    const last = rate.at(-1);
    if (first === undefined || last === undefined) return undefined;
    const most = Math.max(...rate.map(({ perSecond }) => perSecond));
    const spans: Table = {
      kind: 'table',
      title: table,
      columns: this.#columns(['time', 'rows', 'perSecond']),
      rows: rate.map(({ at, rows, perSecond }) => ({ time: clockTime(at), rows, perSecond })),
      count: rate.length,
      most: undefined,
      isFolded: true,
    };
    const said = chart(String(most), clockTime(first.at), clockTime(last.at));
    const points = rate.map(({ at, perSecond }) => ({ label: clockTime(at), value: perSecond }));
    // A line needs two points.
    const drawing: readonly Block[] =
      points.length < 2 ? [] : [{ kind: 'line', title: said, points, unit }];
    return { title, blocks: [...drawing, spans] };
  }

  #duplicates(): Section | undefined {
    const { counts, first } = this.#report;
    const { duplicates } = counts;
    if (duplicates === 0) return undefined;
    const { title, table } = this.#words.duplicates;
    const rows = this.#rows(table(duplicates), 'duplicate', duplicates, first.duplicate, [
      'row',
      'line',
      'code',
      'name',
      'reason',
    ]);
    return { title, blocks: [{ ...rows, sheet: title, isFolded: true }] };
  }

  #created(): Section | undefined {
    const { header, counts, first } = this.#report;
    const { created: all } = this.#options;
    const { created } = counts;
    if (created === 0) return undefined;
    const { title, table, cannotDelete } = this.#words.created;
    const rows = this.#rows(table(created), 'created', created, first.created, [
      'row',
      'line',
      'id',
      'code',
      'name',
    ]);
    const note = { kind: 'text', text: cannotDelete(nounOf(header.noun)) } as const;
    return {
      title,
      blocks:
        all === undefined
          ? [{ ...rows, sheet: title, isFolded: true }, note]
          : [note, { ...rows, sheet: title, rows: all, most: undefined }],
    };
  }

  #mapping(): Section | undefined {
    const { header } = this.#report;
    const { mapping, rules } = this.#words;
    const { fields } = header.mapping as Mapping;
    const rows = Object.entries(fields).map(([field, rule]) => ({
      field,
      value: ruleText(rule, rules),
    }));
    if (header.groupBy !== undefined) rows.push({ field: mapping.groupBy, value: header.groupBy });
    if (rows.length === 0) return undefined;
    return {
      title: mapping.title,
      blocks: [
        {
          kind: 'table',
          title: mapping.table,
          sheet: mapping.title,
          columns: this.#columns(['field', 'value']),
          rows,
          count: rows.length,
          most: undefined,
        },
      ],
    };
  }

  #about(): Section {
    const { header, facts, writer } = this.#report;
    const { about } = this.#words;
    const { labels } = importRunMessages[this.#options.lang];
    const { source } = header;
    const { finishedAt, workedMs, sealed } = facts;
    const lines: readonly (Fact | undefined)[] = [
      { label: labels.run, value: header.run, isCode: true },
      { label: about.service, value: header.baseUrl, isCode: true },
      given(labels.profile, header.profile),
      given(labels.environment, header.environment),
      given(labels.organization, header.organization),
      given(about.sentBy, writer && about.writer(writer.actor, writer.host, writer.version)),
      { label: labels.startedAt, value: momentText(Date.parse(header.startedAt)) },
      given(about.finished, finishedAt === undefined ? undefined : momentText(finishedAt)),
      given(
        about.took,
        workedMs === undefined ? undefined : about.seconds(String(Math.round(workedMs) / 1000)),
      ),
      { label: about.file, value: source.name },
      given(about.size, source.bytes === null ? undefined : about.bytes(source.bytes)),
      { label: about.hash, value: source.hash, isCode: true },
      ...(sealed === undefined
        ? []
        : [{ label: about.digest, value: sealed.digest, isCode: true }]),
      given(
        labels.choices,
        choicesText(header.choices as unknown as Readonly<Record<string, unknown>>),
      ),
    ];
    return {
      title: about.title,
      blocks: [{ kind: 'facts', facts: lines.filter((line) => line !== undefined) }],
    };
  }

  #rows(
    title: string,
    state: ListedRow['state'],
    count: number,
    rows: readonly ListedRow[],
    columns: readonly ColumnName[],
  ): Table {
    const { lang } = this.#options;
    return {
      kind: 'table',
      title,
      columns: this.#columns(columns, rows),
      rows: rows.map((row) => ({
        ...row,
        reason: row.reason === null ? null : reasonIn(lang, row.reason),
        sentAt: row.sentAt === null ? null : momentText(row.sentAt),
      })),
      count,
      most: MOST_ROWS,
      all: this.#rowsCommand(state),
    };
  }

  /** Without the columns that are empty in all rows. */
  #columns(
    names: readonly ColumnName[],
    rows?: readonly Readonly<Partial<Record<ColumnName, unknown>>>[],
  ): readonly TableColumn[] {
    const optional = (name: ColumnName) => ['line', 'code', 'name', 'reason'].includes(name);
    const isEmpty = (name: ColumnName) =>
      rows?.every((row) => row[name] === null || row[name] === undefined) === true;
    return names
      .filter((name) => !(optional(name) && isEmpty(name)))
      .map((name) => ({
        key: name,
        header: this.#words.columns[name],
        kind: KINDS[name] ?? 'text',
      }));
  }

  #rowsCommand(state: ListedRow['state']): string {
    return `proc imports rows ${inShell(this.#report.header.run)} --state ${inShell(state)}`;
  }
}

function given(label: string, value: string | undefined): Fact | undefined {
  return value === undefined || value === '' ? undefined : { label, value };
}

/** The plural that messages use. */
function nounOf(noun: string): string {
  return noun.endsWith('s') ? noun : `${noun}s`;
}

function ruleText(rule: Rule, words: ImportReportMessages['rules']): string {
  if ('column' in rule) return words.column(rule.column);
  if ('template' in rule) return words.template(rule.template);
  if ('jmespath' in rule) return words.expression(rule.jmespath);
  if ('constant' in rule) return words.constant(rule.constant);
  return words.from(rule.from);
}

/** `--on-existing skip --no-code reject`: what is set. */
function choicesText(choices: Readonly<Record<string, unknown>>): string {
  return Object.entries(choices)
    .filter(([, value]) => value !== undefined && value !== null && value !== false)
    .flatMap(([key, value]) => (Array.isArray(value) ? value : [value]).map((one) => [key, one]))
    .map(([key, value]) => (value === true ? flagOf(key) : `${flagOf(key)} ${inShell(value)}`))
    .join(' ');
}

function flagOf(key: string): string {
  return `--${kebab(key)}`;
}

/** `14:05:09`, on the clock of this machine. */
function clockTime(iso: string): string {
  const time = new Date(iso);
  const two = (n: number) => String(n).padStart(2, '0');
  return `${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`;
}
