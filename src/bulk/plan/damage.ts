import type { MappedRow } from '../record.ts';

/** Codes that a warning names. */
const NAMED = 3;

/** `1.2E+10`: a long number, of which a spreadsheet kept the beginning. */
const SCIENTIFIC = /^\d(?:[.,]\d+)?e\+\d{2,}$/i;

const MONTH = '(?:jan|ene|feb|mar|apr|abr|may|jun|jul|aug|ago|sept?|oct|nov|dec|dic)\\.?';

/** `12-Mar`, `Mar-12`, `2026-03-12`: what a spreadsheet makes of `3-12`. */
const DATE = new RegExp(
  `^(?:\\d{1,2}[-/. ]${MONTH}(?:[-/. ]\\d{2,4})?|${MONTH}[-/. ]\\d{1,4}|(?:19|20)\\d\\d-\\d\\d-\\d\\d(?:[T ]00:00:00)?)$`,
  'i',
);

/** Only digits, and how many of them most such codes have, tell that zeros are gone. */
const DIGITS = /^\d+$/;

/**
 * Notices what spreadsheets do to codes. Nothing is repaired, as nobody knows what was there: a code
 * whose digits are gone rejects its row; what may be meant is a warning.
 */
export class Damage {
  readonly #fields: readonly string[];
  readonly #isWorkbook: boolean;
  #dates = 0;
  readonly #dateSamples: string[] = [];
  #numbers = 0;
  readonly #numberSamples: string[] = [];
  /** Codes of digits alone by their length; those with a leading zero apart. */
  readonly #lengths = new Map<number, number>();
  readonly #samples = new Map<number, string>();
  #withZero = 0;

  /** @param fields those that hold codes */
  constructor(fields: readonly string[], isWorkbook: boolean) {
    this.#fields = fields;
    this.#isWorkbook = isWorkbook;
  }

  /** The row itself, or rejected where its code cannot be what it was. */
  observe(row: MappedRow, isNumber: (field: string) => boolean): MappedRow {
    for (const field of this.#fields) {
      const code = row.body?.[field];
      if (typeof code !== 'string') continue;
      if (SCIENTIFIC.test(code)) {
        const message = `${code} is what a spreadsheet leaves of a long number: its other digits are gone`;
        return { ...row, body: undefined, problem: { field, message } };
      }
      if (DATE.test(code)) this.#dates += sampled(this.#dateSamples, code);
      else if (this.#isWorkbook && isNumber(field)) {
        this.#numbers += sampled(this.#numberSamples, code);
      }
      if (DIGITS.test(code)) {
        if (code.startsWith('0')) this.#withZero++;
        this.#lengths.set(code.length, (this.#lengths.get(code.length) ?? 0) + 1);
        this.#samples.set(code.length, this.#samples.get(code.length) ?? code);
      }
    }
    return row;
  }

  warnings(): string[] {
    const field = this.#fields[0] ?? 'code';
    const found: string[] = [];
    if (this.#dates > 0) {
      const look = this.#dates === 1 ? 'looks like a date' : 'look like dates';
      found.push(
        `${values(this.#dates)} of ${field} ${look} (${this.#dateSamples.join(', ')}): a spreadsheet may have made that of codes such as 3-12`,
      );
    }
    if (this.#numbers > 0) {
      const stand =
        this.#numbers === 1
          ? 'stands in the workbook as a number'
          : 'stand in the workbook as numbers';
      found.push(
        `${values(this.#numbers)} of ${field} ${stand} (${this.#numberSamples.join(', ')}): zeros before it are gone, if there were any`,
      );
    }
    const short = this.#shorter();
    if (short !== undefined) found.push(short);
    return found;
  }

  /** Where codes with leading zeros have one length, those of digits that are shorter lost theirs. */
  #shorter(): string | undefined {
    const lengths = [...this.#lengths].sort((a, b) => b[1] - a[1]);
    const [usual] = lengths;
    if (usual === undefined || this.#withZero === 0) return undefined;
    const [length, count] = usual;
    const shorter = lengths.filter(([one]) => one < length);
    const total = shorter.reduce((sum, [, n]) => sum + n, 0);
    // Codes of many lengths have none that is usual.
    if (total === 0 || total > count) return undefined;
    const shown = shorter.slice(0, NAMED).map(([one]) => this.#samples.get(one));
    const [have, their] = total === 1 ? ['has', 'its'] : ['have', 'their'];
    return `${values(total)} of ${this.#fields[0]} ${have} fewer than ${length} digits, as the others do (${shown.join(', ')}): a spreadsheet may have taken ${their} zeros`;
  }
}

function values(count: number): string {
  return count === 1 ? '1 value' : `${count} values`;
}

function sampled(into: string[], code: string): 1 {
  if (into.length < NAMED) into.push(code);
  return 1;
}
