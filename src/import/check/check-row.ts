import { joinPath } from '../../core/json.ts';
import { numberText, textOf } from '../../core/numbers.ts';
import { type Problem, together } from '../../core/row-problem.ts';
import { check, show } from '../../core/validate.ts';
import { listed } from '../../core/wording.ts';
import { compileMapping } from '../map/compile.ts';
import { spreadsheetError } from '../map/convert.ts';
import { columnOf } from '../map/mapping.ts';
import { folded } from '../map/parse-mapping.ts';
import type { Planning } from '../plan/plan.ts';
import type { Finding, FindingSample } from '../report/findings.ts';
import type { MappedRow, SourceRecord } from '../source/record.ts';
import type { ImportTarget } from '../targets/import-target.ts';

type Fields = Readonly<Record<string, unknown>>;

const FINDINGS: readonly Finding['kind'][] = ['odd_values', 'line_breaks'];
const SAMPLES = 3;

/** Reads records, with all that is wrong with each; and counts what is odd but sent. */
export class RowReader {
  readonly #planning: Planning;
  readonly #map: ReturnType<typeof compileMapping>;
  /** Columns that alone fill a field, each with its folded name. */
  readonly #columns: readonly (readonly [column: string, name: string])[];
  readonly #findings = FINDINGS.map((kind) => ({ kind, count: 0, samples: [] as FindingSample[] }));

  /** @param shape if rows are grouped, with the fields and references of flat rows */
  constructor(planning: Planning, shape: ImportTarget) {
    const { mapping, groupBy } = planning;
    this.#planning = planning;
    // What makes one body of several rows is needed in one of them.
    const needed = groupBy === undefined ? shape.needed : undefined;
    this.#map = compileMapping(mapping, { fields: shape.fields, needed });
    const columns = Object.keys(mapping.fields).flatMap((field) => columnOf(mapping, field) ?? []);
    this.#columns = columns.map((column) => [column, folded(column)]);
  }

  /** From record to body. */
  read(record: SourceRecord): MappedRow {
    const { row, line, fields } = record;
    if (fields === undefined) {
      const { place, ...unread } = record.problem!;
      // A mistake inside a record that has lines of its own keeps its place.
      const at = place?.line === undefined ? (line === undefined ? { row } : { line }) : {};
      const problem = { ...unread, place: { file: this.#planning.source.name, ...at, ...place } };
      return { row, line, fields, body: undefined, problem, isUnread: true };
    }
    if (this.#isHeader(fields)) {
      const problem = { text: 'repeats the header' };
      return { ...this.#map({ ...record, fields }), body: undefined, problem, isNotData: true };
    }
    return this.#map({ ...record, fields });
  }

  /** Adds odd values to the problems of a row, or counts them. */
  check(row: MappedRow): MappedRow {
    const { body, fields, problem } = row;
    const { format } = this.#planning.source;
    // A stray quote may have joined rows.
    if (format.kind === 'csv' && format.workbook === undefined) this.#countBreaks(row);
    if (body === undefined || fields === undefined) return row;
    const odd = oddValues(body);
    if (odd.length === 0) return row;
    if (this.#planning.allowOdd) {
      for (const { field, value } of odd) this.#note('odd_values', `${field} ${show(value)}`, row);
      return row;
    }
    const problems = odd.map(({ field, value }): Problem => {
      const shown = JSON.stringify(value).replace(/\p{Cf}/gu, escaped);
      const text = `${shown} looks like the mistake of a program; --allow-odd sends it`;
      return { text, field };
    });
    return { ...row, problem: together([problem, ...problems]) };
  }

  findings(): readonly Finding[] {
    return this.#findings.filter(({ count }) => count > 0);
  }

  #note(kind: Finding['kind'], value: string, { row, line }: MappedRow): void {
    const found = this.#findings[FINDINGS.indexOf(kind)]!;
    if (++found.count <= SAMPLES) found.samples.push({ value, row, line: line ?? null });
  }

  /** Each mapped cell has the header of its column. */
  #isHeader(fields: Fields): boolean {
    let same = 0;
    for (const [column, name] of this.#columns) {
      const text = textOf(fields[column])?.trim();
      if (text === undefined || text === '') continue;
      if (folded(text) !== name) return false;
      same++;
    }
    return same > 1;
  }

  #countBreaks(row: MappedRow): void {
    const { fields } = row;
    for (const column in fields) {
      const value = fields[column];
      if (typeof value === 'string' && /[\r\n]/.test(value)) this.#note('line_breaks', column, row);
    }
  }
}

/** What lines of a requisition are in. */
const NESTED = new Set(['groups', 'items', 'item']);
const NAMING = new Set(['code', 'reference', 'account', 'name']);
/** Control characters other than tab and line ends. */
const CONTROL = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/;
/** Such as zero-width spaces. Names of some languages need them. */
const INVISIBLE = /\p{Cf}/u;
/** `1.2E+10`, `100423.0`: a program took a code for a number. */
const NUMBER = /^\d(?:[.,]\d+)?e\+\d{2,}$|^\d+\.0$/i;
const NOTHING: ReadonlySet<string> = new Set(['NaN', '<NA>', 'undefined', '[object Object]']);

interface Odd {
  readonly field: string;
  readonly value: string;
}

/** Values that no person has meant: nothing can delete what they would create. */
function oddValues(body: object, path = ''): readonly Odd[] {
  const found: Odd[] = [];
  for (const key in body) {
    const value = (body as Record<string, unknown>)[key];
    if (typeof value === 'object' && value !== null && numberText(value) === undefined) {
      if (Array.isArray(body) || NESTED.has(key))
        found.push(...oddValues(value, joined(path, key, body)));
    } else {
      const field = key.slice(key.lastIndexOf('.') + 1);
      const text = NAMING.has(field) ? textOf(value)?.trim() : undefined;
      if (text !== undefined && (isOdd(text) || (field !== 'name' && INVISIBLE.test(text))))
        found.push({ field: joined(path, key, body), value: text });
    }
  }
  return found;
}

function isOdd(text: string): boolean {
  return (
    NOTHING.has(text) ||
    CONTROL.test(text) ||
    NUMBER.test(text) ||
    spreadsheetError(text) !== undefined
  );
}

function escaped(char: string): string {
  return `\\u{${char.codePointAt(0)!.toString(16)}}`;
}

function joined(path: string, key: string, parent: object): string {
  // The fields of flat rows have dots in their names.
  if (path === '') return Array.isArray(parent) ? `[${key}]` : key;
  return joinPath(path, Array.isArray(parent) ? Number(key) : key);
}

/** The check of whole bodies against the contract; several flat rows may have made one. */
export class BodyChecker {
  readonly #target: ImportTarget;
  readonly #unknown = new Set<string>();

  constructor(target: ImportTarget) {
    this.#target = target;
  }

  /**
   * @param isKnown whether a problem of the row is in this field, so that it need not be said again
   * @returns the body without fields that the contract does not have; and what is wrong with it
   */
  check(body: Fields, isKnown: (problem: Problem) => boolean): Pick<MappedRow, 'body' | 'problem'> {
    const { isChecked, create, plain, problemsIn } = this.#target;
    if (isChecked !== true || create.body === undefined) return { body };
    const given = plain?.(body) ?? body;
    const { value, issues, unknown } = check(create.body, given);
    for (const { field } of unknown) this.#unknown.add(field.replace(/\[\d+\]/g, '[]'));
    const problems = [
      ...issues.map(({ field, message }): Problem => ({ text: message, field })),
      ...(problemsIn?.(given) ?? []),
    ];
    const problem = together(problems.filter((one) => !isKnown(one)));
    return { body: (value ?? given) as Fields, problem };
  }

  /** Called after the last row. */
  warnings(): readonly string[] {
    if (this.#unknown.size === 0) return [];
    const fields = listed([...this.#unknown], MOST_NAMED);
    return [`these fields are not in the contract and are not sent: ${fields}`];
  }
}

const MOST_NAMED = 12;
