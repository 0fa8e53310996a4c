import type {
  BarColour,
  Block,
  Fact,
  ReportDocument,
  Section,
  Table,
  TableColumn,
} from '../../../core/document/document.ts';
import { VERSION } from '../../../core/proc-version.ts';
import type { Row } from '../../../core/result.ts';
import { exactNumber, grouped, sumDecimals } from '../../../core/text/decimal.ts';
import { numberText } from '../../../core/text/raw-number.ts';
import { momentText } from '../../../core/time/moment.ts';
import {
  type OrdersReportMessages,
  ordersReportMessages,
} from '../../../messages/reports/orders-report.ts';
import { reportAmount } from '../../../output/document/table-text.ts';
import { meaningOf } from '../../../output/format/status-colour.ts';
import { snapshotText } from '../changes/snapshot.ts';
import { type Dimension, type OrderTotals, UNKNOWN } from '../order-totals.ts';
import type { OrderFigures } from './order-figures.ts';

export interface OrdersContent {
  readonly figures: OrderFigures;
  readonly totals: OrderTotals;
  readonly by: readonly Dimension[];
  /** The most rows of `totals` to show (`--limit`). */
  readonly limit: number | undefined;
  readonly isWhole: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly baseUrl: string;
  readonly profile: string | undefined;
  readonly environment: string | undefined;
  /** The flags that filter orders, e.g. `--status complete --since 30d`. */
  readonly filter: string;
}

const MOST_CHANGES = 200;
const MOST_MONTHS = 36;
const MOST_STATUSES = 6;

export function ordersDocument(report: OrdersContent): ReportDocument {
  const { figures, now, profile, environment } = report;
  const words = ordersReportMessages;
  const months = figures.months.rows();
  const currencies = [...new Set(months.map(({ currency }) => String(currency)))];
  const sections = [
    incomplete(report, words),
    totals(report, words),
    changes(report, words),
    ...currencies.map((currency) => monthly(months, currency, words)),
    largest(figures, currencies, words),
    missing(figures, words),
    about(report, words),
  ];
  return {
    title: words.title,
    place: [profile, environment, momentText(now)].filter((part) => part !== undefined).join(' · '),
    lead: lead(report, words),
    tone: report.isWhole ? 'neutral' : 'bad',
    data: totalsTable(report, 'orders', (key) => key),
    sections: sections.filter((section) => section !== undefined),
    footer: words.footer(VERSION, momentText(now)),
  };
}

function lead({ figures, totals: all }: OrdersContent, words: OrdersReportMessages): string {
  if (figures.orders === 0) return words.none;
  const statuses = figures
    .statuses()
    .map(({ status, orders }) => `${grouped(orders)} ${shown('status', status, words)}`);
  // A line must not end between an amount and its currency.
  const amounts = byCurrency(all).map(({ amount, currency }) =>
    reportAmount(amount, shown('currency', currency, words)).replaceAll(' ', '\u00a0'),
  );
  return words.lead(words.orders(figures.orders), statuses.join(', '), amounts.join(', '));
}

function byCurrency(all: OrderTotals): readonly { currency: string; amount: string }[] {
  const rows = all.rows();
  return [...Map.groupBy(rows, ({ currency }) => String(currency))].map(([currency, group]) => ({
    currency,
    amount: sumOf(group),
  }));
}

function sumOf(rows: readonly Row[]): string {
  return sumDecimals(rows.map(({ amount }) => numberText(amount) ?? '0'));
}

function incomplete({ isWhole }: OrdersContent, words: OrdersReportMessages): Section | undefined {
  if (isWhole) return undefined;
  const { title, text } = words.incomplete;
  return { title, tone: 'bad', blocks: [{ kind: 'text', text }] };
}

function totals(report: OrdersContent, words: OrdersReportMessages): Section {
  const names = report.by.map((dimension) => words.dimensions[dimension]);
  const title = words.totals.title(names.join(` ${words.and} `));
  const table = totalsTable(report, title, (key) => words.columns[key]);
  const { sheet, never } = words.totals;
  const rows = report.totals.rows();
  return {
    title,
    blocks: [
      { ...table, rows: rows.map((row) => shownRow(row, words)), sheet },
      { kind: 'text', text: never },
    ],
  };
}

/** The value of a dimension in the language of the report. */
function shown(dimension: Dimension, value: string, words: OrdersReportMessages): string {
  return value === UNKNOWN ? words.without[dimension] : value;
}

function shownRow(row: Row, words: OrdersReportMessages): Row {
  return Object.fromEntries(
    Object.entries(row).map(([key, value]) => [
      key,
      value === UNKNOWN && key in words.without ? words.without[key as Dimension] : value,
    ]),
  );
}

type ColumnName = keyof OrdersReportMessages['columns'];

function totalsTable(
  { totals: all, limit }: OrdersContent,
  title: string,
  header: (key: ColumnName) => string,
): Table {
  const rows = all.rows();
  const keys = Object.keys(rows[0] ?? { status: 0, currency: 0, orders: 0, amount: 0 });
  const isKeyed = header('orders') === 'orders' && title === 'orders';
  return {
    kind: 'table',
    title,
    columns: keys
      .filter((key) => isKeyed || key !== 'withoutAmount')
      .map((key) => ({ key, header: header(key as ColumnName), ...kindOf(key) })),
    rows,
    count: rows.length,
    most: limit,
  };
}

function kindOf(key: string): Pick<TableColumn, 'kind'> {
  if (key === 'orders' || key === 'withoutAmount') return { kind: 'count' };
  return key === 'amount' || key === 'previousAmount' ? { kind: 'amount' } : {};
}

function monthly(rows: readonly Row[], currency: string, words: OrdersReportMessages): Section {
  const { title, chart, table, total, all, latest } = words.months;
  const name = shown('currency', currency, words);
  const own = rows.filter((row) => row.currency === currency);
  const parts = statusParts(own, words);
  const months = [...Map.groupBy(own, ({ month }) => String(month))];
  const amounts = months.map(([month, group]) => ({
    month: shown('month', month, words),
    total: sumOf(group),
    ...partSums(group, parts),
  }));
  const latestMonths = amounts.slice(-MOST_MONTHS);
  const most = Math.max(...latestMonths.map((one) => Number(one.total)));
  const said = chart(name, latestMonths.length, reportAmount(String(most), name));
  const keys = parts.map((_, index) => `part${index}`);
  const columns: readonly TableColumn[] = [
    { key: 'month', header: words.columns.month },
    ...parts.map(({ name }, index) => ({
      key: `part${index}`,
      header: name,
      kind: 'amount' as const,
    })),
    ...(parts.length > 1 ? [{ key: 'total', header: total, kind: 'amount' as const }] : []),
  ];
  const exact = (row: Readonly<Record<string, string | undefined>>) =>
    Object.fromEntries(
      Object.entries(row).map(([key, value]) => [
        key,
        key === 'month' || value === undefined ? value : exactNumber(value),
      ]),
    );
  const lines = [...amounts, { month: all, total: sumOf(own), ...partSums(own, parts) }];
  const blocks: Block[] = [
    {
      kind: 'stacks',
      title: said,
      parts: coloured(parts),
      stacks: latestMonths.map((row) => ({
        label: row.month,
        values: keys.map((key) => Number((row as Record<string, string | undefined>)[key] ?? 0)),
        text: `${row.month}: ${reportAmount(row.total, name)}`,
      })),
    },
    {
      kind: 'table',
      title: table(name),
      sheet: title(name),
      columns,
      currency: name,
      rows: lines.map(exact),
      count: lines.length,
      most: undefined,
    },
  ];
  if (amounts.length > MOST_MONTHS) {
    blocks.splice(1, 0, { kind: 'text', text: latest(MOST_MONTHS) });
  }
  return { title: title(name), blocks };
}

interface Part {
  readonly name: string;
  readonly statuses: readonly string[];
}

function statusParts(rows: readonly Row[], words: OrdersReportMessages): readonly Part[] {
  const counts = [...Map.groupBy(rows, ({ status }) => String(status))]
    .map(([status, group]) => ({
      status,
      orders: group.reduce((sum, { orders }) => sum + Number(orders), 0),
    }))
    .sort((a, b) => b.orders - a.orders);
  const own = counts.splice(0, counts.length > MOST_STATUSES ? MOST_STATUSES - 1 : MOST_STATUSES);
  const parts = own.map(({ status }) => ({
    name: shown('status', status, words),
    statuses: [status],
  }));
  if (counts.length === 0) return parts;
  return [...parts, { name: words.other, statuses: counts.map(({ status }) => status) }];
}

const COLOURS = { good: 'green', open: 'orange', bad: 'red' } as const;
const OTHERS: readonly BarColour[] = ['blue', 'violet', 'brown', 'grey', 'green', 'orange', 'red'];

/**
 * Gives each part the colour of its meaning. A part without a meaning, or whose colour is taken, gets the
 * next free colour.
 */
function coloured(parts: readonly Part[]): readonly { name: string; colour: BarColour }[] {
  const taken = new Set<BarColour>();
  return parts.map(({ name }) => {
    const meaning = meaningOf(name);
    const own = meaning === undefined ? undefined : COLOURS[meaning];
    const isFree = own !== undefined && !taken.has(own);
    const colour = isFree ? own : (OTHERS.find((one) => !taken.has(one)) ?? 'grey');
    taken.add(colour);
    return { name, colour };
  });
}

function partSums(
  rows: readonly Row[],
  parts: readonly Part[],
): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(
    parts.map(({ statuses }, index) => {
      const own = rows.filter(({ status }) => statuses.includes(String(status)));
      return [`part${index}`, own.length === 0 ? undefined : sumOf(own)];
    }),
  );
}

function largest(
  figures: OrderFigures,
  currencies: readonly string[],
  words: OrdersReportMessages,
): Section | undefined {
  const tables = currencies.flatMap((currency): readonly Table[] => {
    const rows = figures.largest(currency);
    if (rows.length === 0) return [];
    return [
      {
        kind: 'table',
        title: words.largest.table(shown('currency', currency, words)),
        columns: columnsNamed(['code', 'name', 'status', 'createdAt', 'amount'], words),
        rows: rows.map((row) => ({ ...row, createdAt: dayOf(row.createdAt) })),
        count: rows.length,
        most: undefined,
      },
    ];
  });
  return tables.length === 0 ? undefined : { title: words.largest.title, blocks: tables };
}

function dayOf(value: unknown): string | null {
  return typeof value === 'string' ? value.slice(0, 10) : null;
}

function missing(
  { orders, withoutDate, withoutAmount }: OrderFigures,
  words: OrdersReportMessages,
): Section | undefined {
  if (orders === 0) return undefined;
  const { title, nothing, date, amount } = words.missing;
  const share = (count: number) => `${Math.round((count / orders) * 1000) / 10} %`;
  const items = [
    ...(withoutDate === 0 ? [] : [date(words.orders(withoutDate), share(withoutDate))]),
    ...(withoutAmount === 0 ? [] : [amount(words.orders(withoutAmount), share(withoutAmount))]),
  ];
  if (items.length === 0) return { title, blocks: [{ kind: 'text', text: nothing }] };
  return { title, tone: 'attention', blocks: [{ kind: 'list', items }] };
}

function changes(
  { figures, isWhole }: OrdersContent,
  words: OrdersReportMessages,
): Section | undefined {
  const found = figures.changes(isWhole);
  if (found === undefined || figures.before === undefined) return undefined;
  const { title, since, counts: count, table, gone: goneTitle, notGone } = words.changes;
  const { rows, counts } = found;
  const said = [
    count.new(counts.new),
    count.changed(counts.changed),
    ...(isWhole ? [count.gone(counts.gone)] : []),
  ];
  const blocks: Block[] = [
    { kind: 'text', text: since(snapshotText(figures.before), said.join(', ')) },
  ];
  if (!isWhole) blocks.push({ kind: 'text', text: notGone });
  const current = rows.filter(({ change }) => change !== 'gone');
  if (current.length > 0) {
    const names = ['change', 'code', 'name', 'previousStatus', 'status', 'previousAmount'] as const;
    const shown = current.map((row) => ({
      ...row,
      change: words.change[row.change as keyof typeof words.change],
      previousAmount: found.hadNoAmount.has(row) ? words.changes.noAmount : amountBefore(row),
    }));
    blocks.push(changesTable(table, [...names, 'amount'], shown, words));
  }
  const gone = rows.filter(({ change }) => change === 'gone');
  if (gone.length > 0) {
    blocks.push(changesTable(goneTitle, ['code', 'name', 'status', 'amount'], gone, words));
  }
  return { title, blocks };
}

function changesTable(
  title: string,
  names: readonly ColumnName[],
  rows: readonly Row[],
  words: OrdersReportMessages,
): Table {
  return {
    kind: 'table',
    title,
    columns: columnsNamed(names, words),
    sheetColumns: columnsNamed([...names, 'currency'], words),
    rows: rows.map((row) => ({ ...row, amount: row.amount ?? words.changes.noAmount })),
    count: rows.length,
    most: MOST_CHANGES,
    all: 'proc orders changes --since SNAPSHOT',
  };
}

function columnsNamed(
  names: readonly ColumnName[],
  words: OrdersReportMessages,
): readonly TableColumn[] {
  return names.map((name) => ({
    key: name === 'name' ? 'title' : name,
    header: words.columns[name],
    ...(name === 'code' ? { kind: 'code' as const } : kindOf(name)),
  }));
}

/** The amount before the change, with its currency if the currency has changed too. */
function amountBefore({ amount, previousAmount, previousCurrency }: Row): unknown {
  if (typeof previousCurrency !== 'string') return previousAmount;
  const before = numberText(previousAmount ?? amount);
  return before === undefined ? previousAmount : reportAmount(before, previousCurrency);
}

function about(report: OrdersContent, words: OrdersReportMessages): Section {
  const { title, service, profile, environment, filter } = words.about;
  const facts: readonly Fact[] = [
    { label: service, value: report.baseUrl, isCode: true },
    { label: profile, value: report.profile ?? '' },
    { label: environment, value: report.environment ?? '' },
    { label: filter, value: report.filter },
  ];
  return {
    title,
    blocks: [{ kind: 'facts', facts: facts.filter(({ value }) => value !== '') }],
  };
}
