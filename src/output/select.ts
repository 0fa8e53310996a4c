import { ProcError } from '../core/errors.ts';
import type { Say } from '../core/io.ts';
import {
  compareDecimals,
  eitherNumber,
  grouped,
  isDecimal,
  numberText,
  readNumber,
} from '../core/numbers.ts';
import type { Row, RowsResult, Sort } from '../core/result.ts';
import { nearest } from '../core/wording.ts';
import { decimalOf, isAmountField, valueAt } from './cell.ts';
import { batched, batchesOf } from './format.ts';

/** One condition: a field (dotted path), an operator and the value as typed. */
export interface Condition {
  readonly field: string;
  readonly operator: '=' | '!=' | '<' | '<=' | '>' | '>=' | '~';
  readonly value: string;
}

// Two operators in a row (`>>`, `=>`, `==`) are a typo. A value may begin with an operator only after a space.
const CONDITION = /^\s*([^\s=!<>~]+)\s*(!=|<=|>=|=|<|>|~)(?![=<>~])\s*(.*?)\s*$/s;

/** @throws ProcError `invalid_usage` with the invalid condition */
export function parseWhere(texts: readonly string[], flag = '--where'): Condition[] {
  return texts.map((text) => {
    const [, field = '', operator, value = ''] = CONDITION.exec(text) ?? [];
    if (operator === undefined) {
      throw new ProcError(
        'invalid_usage',
        `${flag} '${text}' is not a condition: expected FIELD, an operator (= != < <= > >= ~) and a value`,
        {
          hint: `Use e.g. ${flag} 'amount>=50000', in quotes because the shell interprets < and >`,
        },
      );
    }
    const reading = isAmountField(field) && operator !== '~' ? readNumber(value) : undefined;
    if (reading?.kind === 'ambiguous') {
      const spelt = (number: string) => `${flag} '${field}${operator}${number}'`;
      throw new ProcError('invalid_usage', `${flag} '${text}': ${value} ${eitherNumber(reading)}`, {
        hint: `Write ${spelt(reading.grouped)} or ${spelt(reading.divided)}`,
      });
    }
    // Without this error, a misspelt number (`amount>10OO`) would look like a filter that no row meets.
    if (/^[<>]/.test(operator) && isAmountField(field) && !isDecimal(value)) {
      throw new ProcError('invalid_usage', `${flag} '${text}': "${value}" is not a number`, {
        hint: `Use a number without separators, e.g. ${flag} '${field}${operator}1000'`,
      });
    }
    return { field, operator: operator as Condition['operator'], value };
  });
}

export function matches(row: Row, conditions: readonly Condition[]): boolean {
  return conditions.every((condition) => meets(valueAt(row, condition.field), condition));
}

function meets(value: unknown, { field, operator, value: wanted }: Condition): boolean {
  // Missing and null equal only the empty text.
  if (value === undefined || value === null) {
    return operator === '=' ? wanted === '' : operator === '!=' && wanted !== '';
  }
  const number = isAmountField(field) && isDecimal(wanted) ? decimalOf(value) : numberText(value);
  const text = number ?? (typeof value === 'object' ? JSON.stringify(value) : String(value));
  if (operator === '~') return text.toLowerCase().includes(wanted.toLowerCase());
  const order = compare(text, wanted, number !== undefined);
  if (operator === '=' || operator === '!=') return (order === 0) === (operator === '=');
  // A text is neither more nor less than an amount.
  if (order === undefined || (number === undefined && isAmountField(field))) return false;
  return (
    (order === 0 && operator.endsWith('=')) || (operator.startsWith('<') ? order < 0 : order > 0)
  );
}

/** A day, which begins at midnight UTC, or a time with its zone. */
const TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d))?$/;

/**
 * Numbers and amounts are compared as exact decimals, and never with words; days and times as moments. Other text is
 * compared as text: the code `00042` is not `42`.
 */
function compare(text: string, wanted: string, isNumber: boolean): number | undefined {
  if (isNumber) return isDecimal(wanted) ? compareDecimals(text, wanted) : undefined;
  if (text === wanted) return 0;
  if (TIME.test(text) && TIME.test(wanted)) {
    const apart = Date.parse(text) - Date.parse(wanted);
    if (!Number.isNaN(apart)) return apart;
  }
  return text < wanted ? -1 : 1;
}

export interface Selection {
  /** Throws `invalid_usage` after the last row, and the failure of a list that is cut off. */
  readonly batches: AsyncIterable<readonly Row[]>;
  readonly seen: { fetched: number; matched: number };
  /** Says how many rows matched, and what the filter could not judge. */
  report(say: Say): void;
}

interface Asked {
  readonly where: readonly Condition[];
  readonly fields?: readonly string[] | undefined;
  readonly sort?: Sort | undefined;
  readonly limit?: number | undefined;
}

type Selected = Pick<RowsResult, 'rows'> & Partial<Omit<RowsResult, 'kind' | 'rows'>>;

/** Filter of the command → `--where` → `--sort` → `--limit`. */
export function select(result: Selected, asks: Asked): Selection {
  const { filter, isSorted = false } = result;
  const { where, fields = [], limit = result.limit ?? Number.POSITIVE_INFINITY } = asks;
  const sort = isSorted ? undefined : (asks.sort ?? result.sort);
  const seen = { fetched: 0, matched: 0 };
  const isFiltered = where.length > 0 || filter !== undefined;
  const asked = new AskedFields(result);
  for (const field of fields) asked.add(field, '--fields');
  for (const { field } of where) asked.add(field, '--where');
  if (asks.sort !== undefined) asked.add(asks.sort.field, '--sort');

  async function* matching(most: number): AsyncGenerator<readonly Row[]> {
    let matched = 0;
    for await (const batch of batchesOf(result)) {
      seen.fetched += batch.length;
      asked.note(batch);
      // The command's own filter counts rows that it cannot judge. So it must see every row, and comes
      // before `--where`.
      const found = isFiltered
        ? batch.filter((row) => filter?.keeps(row) !== false && matches(row, where))
        : batch;
      const room = most - matched;
      matched += Math.min(found.length, room);
      seen.matched = matched;
      yield found.length > room ? found.slice(0, room) : found;
      if (found.length >= room) return asked.refuseMissing();
    }
    filter?.end();
    asked.refuseMissing();
  }

  async function* sorted(by: Sort): AsyncGenerator<readonly Row[]> {
    const all: Row[] = [];
    for await (const batch of matching(Number.POSITIVE_INFINITY)) {
      for (const row of batch) all.push(row);
    }
    all.sort(comparator(by));
    seen.matched = Math.min(all.length, limit);
    yield* batched(all.slice(0, limit));
  }

  const flags = [...(where.length > 0 ? ['--where'] : []), ...(filter?.flags ?? [])].join(', ');
  return {
    batches: sort === undefined ? matching(limit) : sorted(sort),
    seen,
    report(say) {
      for (const text of filter?.warnings() ?? []) say({ kind: 'warning', text });
      if (!isFiltered) return;
      const { fetched, matched } = seen;
      const end = matched === limit ? ', stopped by --limit' : '';
      const rows = fetched === 1 ? 'row matches' : 'rows match';
      const counts = `${grouped(matched)} of ${grouped(fetched)} fetched ${rows}${end}`;
      say({ kind: 'notice', text: `${flags}: ${counts}` });
    },
  };
}

/** Numbers and amounts first, as exact decimals; then text; rows without the field last. */
function comparator({ field, dir }: Sort) {
  const sign = dir === 'desc' ? -1 : 1;
  const number = isAmountField(field) ? decimalOf : numberText;
  return (left: Row, right: Row): number => {
    const [a, b] = [valueAt(left, field) ?? undefined, valueAt(right, field) ?? undefined];
    if (a === undefined || b === undefined)
      return Number(a === undefined) - Number(b === undefined);
    const [m, n] = [number(a), number(b)];
    if (m !== undefined && n !== undefined) return sign * compareDecimals(m, n);
    if (m !== undefined || n !== undefined) return sign * (m === undefined ? 1 : -1);
    const [s, t] = [a, b].map((one) => (typeof one === 'string' ? one : JSON.stringify(one)));
    return sign * (s! < t! ? -1 : s! > t! ? 1 : 0);
  };
}

/** What a command says about its rows: the fields that it documents. */
type KnownFields = Pick<Selected, 'fields' | 'columns'>;

/**
 * The fields that flags name. One that neither the command documents nor a row has is a mistake, which
 * would otherwise look like a list without such rows. Of a path, e.g. `delivery.date`, the first name counts.
 */
class AskedFields {
  readonly #names: Set<string>;
  readonly #open = new Map<string, string>();
  #isEmpty = true;

  constructor({ fields = [], columns = [] }: KnownFields) {
    this.#names = new Set([...fields, ...columns.map(({ key }) => key)]);
  }

  add(field: string, flag: string): void {
    if (!this.#names.has(field.split('.')[0]!)) this.#open.set(field, flag);
  }

  note(rows: readonly Row[]): void {
    if (this.#open.size === 0) return;
    for (const row of rows) {
      this.#isEmpty = false;
      for (const name of Object.keys(row)) this.#names.add(name);
    }
  }

  /** @throws ProcError `invalid_usage`. An empty list cannot tell. */
  refuseMissing(): void {
    if (this.#isEmpty) return;
    for (const [field, flag] of this.#open) {
      const isKnown = this.#names.has(field) || this.#names.has(field.split('.')[0]!);
      if (!isKnown) throw unknownField(flag, field, this.#names);
    }
  }

  /**
   * JMESPath has no error for a misspelt field: the result is null or empty, as if there were no such rows. Names
   * count at any depth.
   */
  refuseUnread(reads: ReadonlySet<string>, rows: readonly Row[]): void {
    const note = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return;
      for (const [key, inner] of Object.entries(value)) {
        if (!Array.isArray(value)) this.#names.add(key);
        note(inner);
      }
    };
    rows.forEach(note);
    const field = [...reads].find((name) => !this.#names.has(name));
    if (field !== undefined) throw unknownField('--query', field, this.#names);
  }
}

/**
 * For fields of rows that are not a list.
 *
 * @throws ProcError `invalid_usage`
 */
export function refuseUnknown(
  flag: string,
  fields: readonly string[],
  rows: readonly Row[],
  known: KnownFields,
): void {
  const asked = new AskedFields(known);
  for (const field of fields) asked.add(field, flag);
  asked.note(rows);
  asked.refuseMissing();
}

/** @throws ProcError `invalid_usage` */
export function refuseUnread(
  reads: ReadonlySet<string>,
  rows: readonly Row[],
  known: KnownFields,
): void {
  // A dry run shows requests, which have other fields.
  if (rows.some(({ dryRun }) => dryRun !== true)) new AskedFields(known).refuseUnread(reads, rows);
}

function unknownField(flag: string, field: string, names: ReadonlySet<string>): ProcError {
  const near = nearest(field, names);
  return new ProcError('invalid_usage', `${flag}: no row has a field "${field}"`, {
    hint: near === undefined ? `Fields: ${[...names].join(', ')}` : `Did you mean ${near}?`,
  });
}
