import { rowsIn } from '../../report/words.ts';
import type { MappedRow } from '../../source/record.ts';
import type { RowStep, RowWork, StagedRun } from '../row-step.ts';

/** How many codes a warning lists. */
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

/** Dates that a spreadsheet makes of codes such as `3-12`, in the formats of several countries. */
const DATES = [
  // 12-Mar, 12-mar-26
  `${DAY}[-/. ]${MONTH}(?:[-/. ]\\d{2,4})?`,
  // Mar-12
  `${MONTH}[-/. ]\\d{1,4}`,
  // 2026-03-12
  `${YEAR}([-/.])${OF_YEAR}\\1${DAY}`,
  // 12/03/2026, 12.03.2026, 3/12/2026
  `(?:${DAY}([-/.])${OF_YEAR}|${OF_YEAR}([-/.])${DAY})[-/.]${YEAR}`,
  // 12/03/26; with another separator this is an ordinary code
  `(?:${DAY}/${OF_YEAR}|${OF_YEAR}/${DAY})/\\d\\d`,
];
const TIME = '(?:[T ]\\d{1,2}:\\d\\d(?::\\d\\d)?)?';
const DATE = DATES.map((date) => new RegExp(`^${date}${TIME}$`, 'i'));

/** Only in codes made of digits alone does the length show that zeros are missing. */
const DIGITS = /^\d+$/;

/**
 * Detects damage that spreadsheets do to codes. Nothing is repaired, because the original is not
 * known: a code with lost digits rejects its row; other signs are warnings.
 */
export const damagedCodes: RowStep = {
  name: 'damaged codes',
  begin(run) {
    const { fields: rules } = run.mapping;
    const codes = codeFieldsOf(run).map((field) => {
      const rule = rules[field];
      return { field, column: rule !== undefined && 'column' in rule ? rule.column : undefined };
    });
    if (codes.length === 0) return undefined;
    return new DamagedCodes(codes, run.source.format.workbook !== undefined);
  },
};

/** The mapped fields that contain codes. */
export function codeFieldsOf({ target, shape, mapping }: StagedRun): readonly string[] {
  return [
    target.keyField,
    ...(target.codeFields ?? []),
    ...(shape.references ?? []).flatMap(({ field, into }) => (into === undefined ? [] : field)),
  ].filter((field) => mapping.fields[field] !== undefined);
}

/** A field that contains codes, and the source column that it copies. */
export interface CodeField {
  readonly field: string;
  readonly column: string | undefined;
}

export class DamagedCodes implements RowWork {
  readonly #columns: readonly CodeStatistics[];

  constructor(codes: readonly CodeField[], isWorkbook: boolean) {
    this.#columns = codes.map((code) => new CodeStatistics(code, isWorkbook));
  }

  /** Returns the row, or rejects it if its code cannot be the original one. */
  apply(row: MappedRow): MappedRow {
    if (row.body === undefined) return row;
    for (const column of this.#columns) {
      const code = row.body[column.field];
      if (typeof code !== 'string') continue;
      if (SCIENTIFIC.test(code)) {
        const message = `${code} is a long number that a spreadsheet shortened: its other digits are lost`;
        return { ...row, body: undefined, problem: { field: column.field, message } };
      }
      column.observe(code, row.fields);
    }
    return row;
  }

  warnings(): string[] {
    return this.#columns.flatMap((column) => column.warnings());
  }
}

/** Statistics of the codes in one field. */
class CodeStatistics {
  readonly field: string;
  /** Its column in a workbook; undefined for other files, where a cell has no type. */
  readonly #column: string | undefined;
  #dates = 0;
  readonly #dateSamples: string[] = [];
  #numbers = 0;
  readonly #numberSamples: string[] = [];
  /** How many all-digit codes have each length. */
  readonly #lengths = new Map<number, number>();
  readonly #samples = new Map<number, string>();
  #withZero = 0;

  constructor({ field, column }: CodeField, isWorkbook: boolean) {
    this.field = field;
    this.#column = isWorkbook ? column : undefined;
  }

  observe(code: string, fields: MappedRow['fields']): void {
    if (DATE.some((date) => date.test(code))) this.#dates += sampled(this.#dateSamples, code);
    else if (this.#isNumberIn(fields)) this.#numbers += sampled(this.#numberSamples, code);
    if (!DIGITS.test(code)) return;
    if (code.startsWith('0')) this.#withZero++;
    this.#lengths.set(code.length, (this.#lengths.get(code.length) ?? 0) + 1);
    this.#samples.set(code.length, this.#samples.get(code.length) ?? code);
  }

  #isNumberIn(fields: MappedRow['fields']): boolean {
    if (this.#column === undefined || fields === undefined) return false;
    return typeof (fields as Readonly<Record<string, unknown>>)[this.#column] === 'number';
  }

  warnings(): string[] {
    const found: string[] = [];
    if (this.#dates > 0) {
      const look = this.#dates === 1 ? 'looks like a date' : 'look like dates';
      found.push(
        `${rowsIn(this.#dates, 'value')} of ${this.field} ${look} (${this.#dateSamples.join(', ')}): a spreadsheet may have converted codes such as 3-12`,
      );
    }
    if (this.#numbers > 0) {
      const stand =
        this.#numbers === 1 ? 'is a number in the workbook' : 'are numbers in the workbook';
      found.push(
        `${rowsIn(this.#numbers, 'value')} of ${this.field} ${stand} (${this.#numberSamples.join(', ')}): any leading zeros are lost`,
      );
    }
    const short = this.#shorter();
    if (short !== undefined) found.push(short);
    return found;
  }

  /**
   * If there are codes with leading zeros and most codes have one length, shorter codes have
   * probably lost their zeros.
   */
  #shorter(): string | undefined {
    const lengths = [...this.#lengths].sort((a, b) => b[1] - a[1]);
    const [usual] = lengths;
    if (usual === undefined || this.#withZero === 0) return undefined;
    const [length, count] = usual;
    const shorter = lengths.filter(([one]) => one < length);
    const total = shorter.reduce((sum, [, n]) => sum + n, 0);
    // If lengths vary this much, no length is the usual one.
    if (total === 0 || total > count) return undefined;
    const shown = shorter.slice(0, NAMED).map(([one]) => this.#samples.get(one));
    const [have, their] = total === 1 ? ['has', 'its'] : ['have', 'their'];
    return `${rowsIn(total, 'value')} of ${this.field} ${have} fewer than the usual ${length} digits (${shown.join(', ')}): a spreadsheet may have removed ${their} leading zeros`;
  }
}

function sampled(into: string[], code: string): 1 {
  if (into.length < NAMED) into.push(code);
  return 1;
}
