import type { Finding } from '../../../messages/findings.ts';
import { columnOf } from '../../map/mapping.ts';
import { rowsIn } from '../../report/words.ts';
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
    return watchCodes(codes, run.source.format.workbook !== undefined);
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

export function watchCodes(codes: readonly CodeField[], isWorkbook: boolean): RowWork {
  const watched = codes.map(({ field, column }) => ({
    field,
    column: isWorkbook ? column : undefined,
    numbers: { count: 0, samples: [] as string[] },
    lengths: new Map<number, OfLength>(),
    withZero: 0,
  }));
  return {
    apply(row) {
      if (row.body === undefined) return row;
      const fields = row.fields as Readonly<Record<string, unknown>> | undefined;
      let observed = row;
      for (const one of watched) {
        const { field, column } = one;
        const code = row.body[field];
        if (typeof code !== 'string') continue;
        if (SCIENTIFIC.test(code)) {
          const problem = { code: 'digits_lost', field, args: { text: code } } as const;
          return { ...row, body: undefined, problem };
        }
        if (DIGITS.test(code)) {
          if (code.startsWith('0')) one.withZero++;
          measure(one.lengths, code);
        }
        if (DATE.some((date) => date.test(code))) {
          observed = found(observed, { kind: 'dates', field, sample: { value: code } });
        } else if (column !== undefined && typeof fields?.[column] === 'number') {
          if (one.numbers.count++ < NAMED) one.numbers.samples.push(code);
        }
      }
      return observed;
    },
    findings: () =>
      watched.flatMap(({ field, lengths, withZero }) => shorter(field, lengths, withZero > 0)),
    // Warnings instead of findings, because many codes never had leading zeros.
    warnings: () =>
      watched.flatMap(({ field, numbers: { count, samples } }) => {
        if (count === 0) return [];
        const stand = count === 1 ? 'is a number in the workbook' : 'are numbers in the workbook';
        return [
          `${rowsIn(count, 'value')} of ${field} ${stand} (${samples.join(', ')}): any leading zeros are lost`,
        ];
      }),
  };
}

interface OfLength {
  count: number;
  least: number;
  most: number;
  readonly sample: string;
}

type Lengths = Map<number, OfLength>;

function measure(lengths: Lengths, code: string): void {
  const value = Number(code);
  const known = lengths.get(code.length);
  if (known === undefined) {
    lengths.set(code.length, { count: 1, least: value, most: value, sample: code });
    return;
  }
  known.count++;
  if (value < known.least) known.least = value;
  if (value > known.most) known.most = value;
}

/**
 * Codes with fewer digits than usual have probably lost leading zeros. Reports them only if other
 * codes have leading zeros, or if nearly all codes have the same length.
 */
function shorter(field: string, lengths: Lengths, hasZeros: boolean): Finding[] {
  const sorted = [...lengths].sort((a, b) => b[1].count - a[1].count);
  const [usual] = sorted;
  if (usual === undefined) return [];
  const [digits, all] = usual;
  const less = sorted.filter(([one]) => one < digits);
  const count = less.reduce((sum, [, one]) => sum + one.count, 0);
  // This is not the usual length if the shorter codes outnumber the codes of this length.
  const isUsual = hasZeros ? count <= all.count : isFixed(lengths, digits, count);
  if (count === 0 || !isUsual) return [];
  const samples = less.slice(0, NAMED).map(([, one]) => ({ value: one.sample }));
  return [{ kind: 'lost_zeros', field, count, samples, digits }];
}

/**
 * Whether nearly all codes have this length by design. False for a sequence such as 9998, 9999,
 * 10000, which has just reached a new length.
 */
function isFixed(lengths: Lengths, digits: number, shorterCodes: number): boolean {
  const { count, least } = lengths.get(digits)!;
  const longest = Math.max(...lengths.keys());
  const below = lengths.get(digits - 1)?.most ?? 0;
  const isSequence = least - below <= 10 ** (digits - 1) / 100;
  return digits >= FIXED_DIGITS && digits === longest && count >= 4 * shorterCodes && !isSequence;
}

/**
 * Rejects codes of a CSV file that begin with `=` or an apostrophe, without the mark of proc's own
 * exports: what is left of a formula or of a mark is no code.
 */
export const formulaCodes: RowStep = {
  begin(run) {
    const { choices } = run.header;
    if (choices.allow.includes('formula-codes')) return undefined;
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
