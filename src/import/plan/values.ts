import { isObject } from '../../core/is-object.ts';
import type { Row } from '../../core/result.ts';
import { grouped } from '../../core/text/decimal.ts';
import { numberText } from '../../core/text/raw-number.ts';
import { parseResponse } from '../../core/text/strict-json.ts';
import { importPlanMessages } from '../../messages/planning.ts';
import { truncate, widthOf } from '../../output/format/width.ts';
import type { Run } from '../store/run-file.ts';

/** What is special about a sample row. */
type Kind = 'first' | 'longest' | 'shortest' | 'frequent' | 'unusual';

/** Values of one field, over all rows to create. Of numbers, the smallest counts as the shortest. */
interface FieldValues {
  readonly field: string;
  /** How many rows have a value; of lines, how many lines. */
  readonly filled: number;
  readonly distinct: number;
  /** There are more distinct values than were counted. */
  readonly isAtLeast?: true;
  readonly shortest: unknown;
  readonly longest: unknown;
  /** The most frequent value; absent if none is repeated. */
  readonly frequent?: { readonly value: unknown; readonly count: number };
  /** The first value. */
  readonly sample: unknown;
}

interface SampleRow {
  readonly row: number;
  readonly line: number | null;
  /** Why the row is a sample, e.g. `longest name`. */
  readonly shows: readonly string[];
  /** All fields that are sent; of a requisition with several lines, those of the first line. */
  readonly values: Row;
  /** Of a requisition: the number of lines. */
  readonly lines?: number;
}

/** The values of a plan, as a person sees them before they agree. */
export interface PlanValues {
  readonly rows: readonly SampleRow[];
  readonly fields: readonly FieldValues[];
  /** Codes of records, by the id that is sent. */
  readonly spelled?: Readonly<Record<string, string>>;
}

const MOST_ROWS = 8;
const FIRST_ROWS = 2;
/** Beyond this, a field's distinct values are not counted: memory stays bounded. */
const MOST_DISTINCT = 10_000;

/** Characters other than those of ordinary texts in languages of the Latin script. */
const UNUSUAL = /[^\p{Script=Latin}\p{N} .,;:/()&'"+%#°ºª*×_@!?=<>[\]{}|~$€£‐–—-]/u;

/** @returns undefined if no row is to be created */
export function planValues(run: Run): PlanValues | undefined {
  const { planned } = run.rows;
  const fields = new Map<string, FieldStatistics>();
  const first: number[] = [];
  for (const batch of planned.bodiesIn('pending')) {
    for (const { row, body } of batch) {
      if (first.length < FIRST_ROWS) first.push(row);
      for (const [field, value] of valuesIn(parseResponse(body) as Row)) {
        let statistics = fields.get(field);
        if (statistics === undefined) {
          statistics = new FieldStatistics(field);
          fields.set(field, statistics);
        }
        statistics.see(value, row);
      }
    }
  }
  if (first.length === 0) return undefined;
  const all = [...fields.values()];
  const rows = chosen(first, all).map(([row, shows]): SampleRow => {
    const { line, body: text } = run.rows.at(row)!;
    const body = parseResponse(text!) as Row;
    const values: Record<string, unknown> = {};
    for (const [field, value] of valuesIn(body)) if (!(field in values)) values[field] = value;
    const lines = linesIn(body).length;
    return {
      ...{ row, line, shows, values },
      ...(lines > 1 ? { lines } : {}),
    };
  });
  return {
    ...{ rows, fields: all.map((one) => one.values()) },
    spelled: run.get('spelled') ?? {},
  };
}

/** The fields of a body with their values. Groups and lines have the names of flat rows. */
function* valuesIn(body: Row): Generator<readonly [string, unknown]> {
  for (const [field, value] of Object.entries(body)) {
    if (field !== 'groups' || !Array.isArray(value)) yield [field, value];
  }
  for (const group of groupsIn(body)) {
    const { items: _, ...own } = group;
    for (const [field, value] of Object.entries(own)) yield [`group.${field}`, value];
  }
  for (const { itemId, item, ...line } of linesIn(body)) {
    if (itemId !== undefined) yield ['item.id', itemId];
    if (isObject(item)) {
      for (const [field, value] of Object.entries(item)) yield [`item.${field}`, value];
    }
    yield* Object.entries(line);
  }
}

function groupsIn({ groups }: Row): readonly Row[] {
  return Array.isArray(groups) ? groups.filter(isObject) : [];
}

function linesIn(body: Row): readonly Row[] {
  return groupsIn(body).flatMap(({ items }) =>
    Array.isArray(items) ? items.filter(isObject) : [],
  );
}

interface Seen {
  readonly value: unknown;
  readonly size: number;
  readonly row: number;
}

class FieldStatistics {
  readonly field: string;
  #filled = 0;
  #first: Seen | undefined;
  #shortest: Seen | undefined;
  #longest: Seen | undefined;
  #unusual: Seen | undefined;
  readonly #counts = new Map<
    string,
    { count: number; readonly value: unknown; readonly row: number }
  >();
  #isAtLeast = false;

  constructor(field: string) {
    this.field = field;
  }

  see(value: unknown, row: number): void {
    if (value === null || value === undefined || value === '') return;
    this.#filled++;
    const text = textOf(value);
    const size = isNumber(value) ? Number(text) : text.length;
    const seen = { value, size, row };
    this.#first ??= seen;
    if (this.#shortest === undefined || size < this.#shortest.size) this.#shortest = seen;
    if (this.#longest === undefined || size > this.#longest.size) this.#longest = seen;
    if (typeof value === 'string' && UNUSUAL.test(value)) this.#unusual ??= seen;
    const known = this.#counts.get(text);
    if (known !== undefined) known.count++;
    else if (this.#counts.size < MOST_DISTINCT) this.#counts.set(text, { count: 1, value, row });
    else this.#isAtLeast = true;
  }

  #frequent() {
    let most: { count: number; readonly value: unknown; readonly row: number } | undefined;
    for (const one of this.#counts.values()) {
      if (one.count > (most?.count ?? 1)) most = one;
    }
    return most;
  }

  values(): FieldValues {
    const frequent = this.#frequent();
    return {
      field: this.field,
      filled: this.#filled,
      distinct: this.#counts.size,
      ...(this.#isAtLeast ? { isAtLeast: true } : {}),
      shortest: this.#shortest?.value ?? null,
      longest: this.#longest?.value ?? null,
      ...(frequent === undefined
        ? {}
        : { frequent: { value: frequent.value, count: frequent.count } }),
      sample: this.#first?.value ?? null,
    };
  }

  /** The rows that show something special about the field. */
  *special(): Generator<{ readonly row: number; readonly kind: Kind }> {
    if (this.#unusual !== undefined) yield { row: this.#unusual.row, kind: 'unusual' };
    if (this.#filled === 0 || this.#shortest?.size === this.#longest?.size) return;
    yield { row: this.#longest!.row, kind: 'longest' };
    yield { row: this.#shortest!.row, kind: 'shortest' };
    const frequent = this.#frequent();
    if (frequent !== undefined) yield { row: frequent.row, kind: 'frequent' };
  }
}

/**
 * The first rows, then again and again the row that shows most of what no chosen row shows yet.
 *
 * @returns by row, in the order of the rows, what each shows
 */
function chosen(
  first: readonly number[],
  fields: readonly FieldStatistics[],
): readonly (readonly [number, readonly string[]])[] {
  const shows = new Map<number, string[]>(first.map((row) => [row, []]));
  const open = fields.flatMap((one) =>
    [...one.special()].map(({ row, kind }) => ({ row, text: `${kind} ${one.field}` })),
  );
  const take = (row: number): void => {
    const own = open.filter((one) => one.row === row).map(({ text }) => text);
    shows.set(row, own);
  };
  for (const row of first) take(row);
  while (shows.size < MOST_ROWS) {
    const counts = new Map<number, number>();
    for (const { row } of open) if (!shows.has(row)) counts.set(row, (counts.get(row) ?? 0) + 1);
    const [next] = [...counts].sort(([a, more], [b, less]) => less - more || a - b);
    if (next === undefined) break;
    take(next[0]);
  }
  return [...shows].sort(([a], [b]) => a - b);
}

function isNumber(value: unknown): boolean {
  return numberText(value) !== undefined;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (numberText(value) ?? JSON.stringify(value));
}

const NAME_WIDTH = 22;
const VALUE_WIDTH = 26;
const SHOWN_WIDTH = 48;

/** For a terminal: a line for each field, then the sample rows. */
export function valuesText({ rows, fields, spelled = {} }: PlanValues): readonly string[] {
  const words = importPlanMessages;
  const shown = (field: string, value: unknown): string => {
    const text = textOf(value);
    return field === 'orderId' && Object.hasOwn(spelled, text) ? spelled[text]! : text;
  };
  const { values: labels } = words;
  const table = [
    [labels.field, labels.filled, labels.distinct, labels.shortest, labels.longest],
    ...fields.map(({ field, filled, distinct, isAtLeast, shortest, longest }) => [
      truncate(field, NAME_WIDTH),
      grouped(filled),
      `${isAtLeast === true ? '>' : ''}${grouped(distinct)}`,
      truncate(shown(field, shortest), VALUE_WIDTH),
      truncate(shown(field, longest), VALUE_WIDTH),
    ]),
  ];
  const widths = table[0]!.map((_, at) => Math.max(...table.map((cells) => widthOf(cells[at]!))));
  const line = (cells: readonly string[]): string =>
    `    ${cells
      .map((cell, at) =>
        at === 1 || at === 2 ? cell.padStart(widths[at]!) : padded(cell, widths[at]!),
      )
      .join('  ')
      .trimEnd()}`;
  return [
    ...table.map(line),
    ...rows.map(({ row, line: at, values, lines }) => {
      const cells = Object.entries(values).map(
        ([field, value]) => `${field} ${truncate(shown(field, value), SHOWN_WIDTH)}`,
      );
      const more = lines === undefined ? '' : ` · ${words.lines(lines)}`;
      return `    ${words.place(row, at)}: ${cells.join(' · ')}${more}`;
    }),
  ];
}

export function padded(text: string, width: number): string {
  const own = truncate(text, width);
  return own + ' '.repeat(Math.max(0, width - widthOf(own)));
}
