import type { Finding } from '../../../messages/findings.ts';
import { columnOf } from '../../map/mapping.ts';
import { rowsIn } from '../../report/words.ts';
import type { MappedRow } from '../../source/record.ts';
import { found, type RowStep, type RowWork, type StepContext } from '../row-step.ts';

const NAMED = 3;

/** `1.2E+10`: a spreadsheet kept only the beginning of a long number. */
const SCIENTIFIC = /^\d(?:[.,]\d+)?e\+\d{2,}$/i;

const MONTHS = [
  ['jan', 'january', 'ene', 'enero', 'feb', 'february', 'febrero', 'mar', 'march', 'marzo'],
  ['apr', 'april', 'abr', 'abril', 'may', 'mayo', 'jun', 'june', 'junio', 'jul', 'july', 'julio'],
  ['aug', 'august', 'ago', 'agosto', 'sep', 'sept', 'september', 'septiembre', 'set', 'setiembre'],
  ['oct', 'october', 'octubre', 'nov', 'november', 'noviembre'],
  ['dec', 'december', 'dic', 'diciembre'],
].flat();
const MONTH = `(?:${MONTHS.join('|')})\\.?`;
const DAY = '(?:0?[1-9]|[12]\\d|3[01])';
const OF_YEAR = '(?:0?[1-9]|1[0-2])';
const YEAR = '(?:19|20)\\d\\d';

/**
 * Dates into which a spreadsheet turns codes such as `3-12`, in the formats of several countries.
 */
const DATES = [
  // 12-Mar, 12-mar-26
  `${DAY}[-/. ]${MONTH}(?:[-/. ]\\d{2,4})?`,
  // Mar-12
  `${MONTH}[-/. ]\\d{1,4}`,
  // 2026-03-12
  `${YEAR}([-/.])${OF_YEAR}\\1${DAY}`,
  // 12/03/2026, 12.03.2026, 3/12/2026
  `(?:${DAY}([-/.])${OF_YEAR}|${OF_YEAR}([-/.])${DAY})[-/.]${YEAR}`,
  // 12/03/26. With another separator, e.g. 12-03-26, this is an ordinary code.
  `(?:${DAY}/${OF_YEAR}|${OF_YEAR}/${DAY})/\\d\\d`,
];
const TIME = '(?:[T ]\\d{1,2}:\\d\\d(?::\\d\\d)?)?';
const DATE = DATES.map((date) => new RegExp(`^${date}${TIME}$`, 'i'));

/** Numbers with fewer digits count as counters, e.g. 98, 99, 100: their length is not fixed. */
const FIXED_DIGITS = 4;

/** Only a code of digits can have lost leading zeros. */
const DIGITS = /^\d+$/;

/**
 * Detects damage that spreadsheets do to codes. A code that lost digits rejects its row. Other
 * signs are only reported, because the code may be right.
 */
export const damagedCodes: RowStep = {
  begin(run) {
    const codes = codeFieldsOf(run).map((field) => ({
      field,
      column: columnOf(run.mapping, field),
    }));
    if (codes.length === 0) return undefined;
    return new DamagedCodes(codes, run.source.format.workbook !== undefined);
  },
};

export function codeFieldsOf({ target, shape, mapping }: StepContext): readonly string[] {
  return [
    target.keyField,
    ...(target.codeFields ?? []),
    ...(shape.references ?? []).flatMap(({ field, into }) => (into === undefined ? [] : field)),
  ].filter((field) => mapping.fields[field] !== undefined);
}

/** `column` is undefined if the field is not a copy of one column. */
export interface CodeField {
  readonly field: string;
  readonly column: string | undefined;
}

export class DamagedCodes implements RowWork {
  readonly #columns: readonly CodeStatistics[];

  constructor(codes: readonly CodeField[], isWorkbook: boolean) {
    this.#columns = codes.map((code) => new CodeStatistics(code, isWorkbook));
  }

  apply(row: MappedRow): MappedRow {
    if (row.body === undefined) return row;
    let observed = row;
    for (const column of this.#columns) {
      const { field } = column;
      const code = row.body[field];
      if (typeof code !== 'string') continue;
      if (SCIENTIFIC.test(code)) {
        const problem = { code: 'digits_lost', field, args: { text: code } } as const;
        return { ...row, body: undefined, problem };
      }
      if (!column.isDate(code, row.fields)) continue;
      observed = found(observed, { kind: 'dates', field, sample: { value: code } });
    }
    return observed;
  }

  findings(): Finding[] {
    return this.#columns.flatMap((column) => column.findings());
  }

  warnings(): string[] {
    return this.#columns.flatMap((column) => column.warnings());
  }
}

interface OfLength {
  count: number;
  least: number;
  most: number;
  readonly sample: string;
}

class CodeStatistics {
  readonly field: string;
  /** Undefined if the source is not a workbook. */
  readonly #column: string | undefined;
  #numbers = 0;
  readonly #numberSamples: string[] = [];
  readonly #lengths = new Map<number, OfLength>();
  #withZero = 0;

  constructor({ field, column }: CodeField, isWorkbook: boolean) {
    this.field = field;
    this.#column = isWorkbook ? column : undefined;
  }

  /** Observes the code. @returns whether it looks like a date */
  isDate(code: string, fields: MappedRow['fields']): boolean {
    const isDate = DATE.some((date) => date.test(code));
    if (!isDate && this.#isNumberIn(fields) && this.#numbers++ < NAMED) {
      this.#numberSamples.push(code);
    }
    if (DIGITS.test(code)) this.#measure(code);
    return isDate;
  }

  #measure(code: string): void {
    if (code.startsWith('0')) this.#withZero++;
    const value = Number(code);
    const known = this.#lengths.get(code.length);
    if (known === undefined) {
      this.#lengths.set(code.length, { count: 1, least: value, most: value, sample: code });
      return;
    }
    known.count++;
    if (value < known.least) known.least = value;
    if (value > known.most) known.most = value;
  }

  #isNumberIn(fields: MappedRow['fields']): boolean {
    if (this.#column === undefined || fields === undefined) return false;
    return typeof (fields as Readonly<Record<string, unknown>>)[this.#column] === 'number';
  }

  findings(): Finding[] {
    const short = this.#shorter();
    return short === undefined ? [] : [short];
  }

  /** A warning instead of a finding, because many codes never had leading zeros. */
  warnings(): string[] {
    if (this.#numbers === 0) return [];
    const stand =
      this.#numbers === 1 ? 'is a number in the workbook' : 'are numbers in the workbook';
    return [
      `${rowsIn(this.#numbers, 'value')} of ${this.field} ${stand} (${this.#numberSamples.join(', ')}): any leading zeros are lost`,
    ];
  }

  /**
   * Codes with fewer digits than usual have probably lost leading zeros. Reports them only if other
   * codes have leading zeros, or if nearly all codes have the same length.
   */
  #shorter(): Finding | undefined {
    const lengths = [...this.#lengths].sort((a, b) => b[1].count - a[1].count);
    const [usual] = lengths;
    if (usual === undefined) return undefined;
    const [digits, all] = usual;
    const shorter = lengths.filter(([one]) => one < digits);
    const count = shorter.reduce((sum, [, one]) => sum + one.count, 0);
    const isUsual =
      this.#withZero > 0
        ? // This is not the usual length if the shorter codes outnumber the codes of this length.
          count <= all.count
        : this.#isFixed(digits, all, count);
    if (count === 0 || !isUsual) return undefined;
    const samples = shorter.slice(0, NAMED).map(([, one]) => ({ value: one.sample }));
    return { kind: 'lost_zeros', field: this.field, count, samples, digits };
  }

  /**
   * Whether nearly all codes have this length by design. False for a sequence such as 9998, 9999,
   * 10000, which has just reached a new length.
   */
  #isFixed(digits: number, { count, least }: OfLength, shorter: number): boolean {
    const longest = Math.max(...this.#lengths.keys());
    const below = this.#lengths.get(digits - 1)?.most ?? 0;
    const isSequence = least - below <= 10 ** (digits - 1) / 100;
    return digits >= FIXED_DIGITS && digits === longest && count >= 4 * shorter && !isSequence;
  }
}

/**
 * Rejects codes of a CSV file that begin with `=` or an apostrophe, without the mark of proc's own
 * exports: what is left of a formula or of a mark is no code.
 */
export const formulaCodes: RowStep = {
  begin(run) {
    const { choices } = run.header;
    if (choices.allow.includes('formula-codes') || choices.csvRaw === true) return undefined;
    const codes = codeFieldsOf(run).flatMap((field) => {
      const column = columnOf(run.mapping, field);
      return column === undefined ? [] : [{ field, column }];
    });
    return {
      apply(row) {
        const { formulas } = row;
        if (formulas === undefined || row.body === undefined) return row;
        const found = codes.find(({ column }) => formulas.includes(column));
        if (found === undefined) return row;
        const text = (row.fields as Readonly<Record<string, unknown>>)[found.column];
        const args = { text: String(text) };
        const problem = { code: 'formula', field: found.field, args } as const;
        return { ...row, body: undefined, problem };
      },
    };
  },
};
