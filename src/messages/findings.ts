import { isObject } from '../core/is-object.ts';
import { grouped } from '../core/text/decimal.ts';
import { importPlanMessages } from './planning.ts';

/** Something in a file that looks wrong but may be intended. Its rows stay in the plan. */
export interface Finding {
  readonly kind: FindingKind;
  /** Undefined if the finding is about rows or several fields. */
  readonly field?: string | undefined;
  readonly count: number;
  readonly samples: readonly FindingSample[];
  /** `lost_zeros` only: the usual number of digits. */
  readonly digits?: number | undefined;
}

export interface FindingSample {
  readonly value: string;
  /** Undefined if the value does not belong to one row. */
  readonly row?: number | undefined;
  readonly line?: number | null | undefined;
  /**
   * Of twins: the same code or unit in another spelling. Without a `row`, the code is in the catalogue.
   */
  readonly other?: Omit<FindingSample, 'other'> | undefined;
}

/** What one row adds to a finding. */
export interface RowFinding extends Pick<Finding, 'kind' | 'field'> {
  readonly sample: FindingSample;
}

export type FindingKind = keyof typeof WORDS;

interface FindingWords extends Finding {
  /** The samples, as a list. */
  readonly list: string;
}

const WORDS = {
  twins: (found) =>
    `${found.count === 1 ? `1 ${found.field} matches another ${found.field}` : `${grouped(found.count)} ${found.field}s match other ${found.field}s`} except for case, spaces, dashes or Unicode form: ${found.list}`,
  unit_twins: (found) =>
    `${found.count === 1 ? '1 unit of measure differs from another' : `${grouped(found.count)} units of measure differ from others`} only in case, spaces or dashes: ${found.list}`,
  mojibake: (found) =>
    `${found.count === 1 ? '1 row has text' : `${grouped(found.count)} rows have text`} that was probably read in a wrong encoding: ${found.list}`,
  html_entities: (found) =>
    `${found.count === 1 ? '1 row has' : `${grouped(found.count)} rows have`} HTML entities instead of characters: ${found.list}`,
  line_breaks: (found) =>
    `${found.count === 1 ? '1 value has' : `${grouped(found.count)} values have`} line breaks: ${found.list}`,
  zero_amounts: (found) =>
    found.count === 1
      ? `1 row has the ${found.field} 0 (row ${found.list})`
      : `${grouped(found.count)} rows have the ${found.field} 0 (rows ${found.list})`,
  no_address: (found) =>
    found.count === 1
      ? `1 requisition has a delivery without an address (row ${found.list})`
      : `${grouped(found.count)} requisitions have a delivery without an address (rows ${found.list})`,
  lost_zeros: (found) =>
    found.count === 1
      ? `1 value of ${found.field} has fewer than the usual ${found.digits} digits (${found.list}): a spreadsheet may have removed its leading zeros`
      : `${grouped(found.count)} values of ${found.field} have fewer than the usual ${found.digits} digits (${found.list}): a spreadsheet may have removed their leading zeros`,
  unmapped_name: (found) =>
    `no column is mapped to ${found.field}, so ${found.count === 1 ? 'the row has no value' : `none of the ${grouped(found.count)} rows has a value`} for it (--map ${found.field}=COLUMN)`,
  missing_amounts: (found) =>
    found.count === 1
      ? `1 row has no ${found.field} (row ${found.list})`
      : `${grouped(found.count)} rows have no ${found.field} (rows ${found.list})`,
  other_currency: (found) =>
    `${found.count === 1 ? '1 row has' : `${grouped(found.count)} rows have`} a ${found.field} different from the order: ${found.list}`,
  exceeded_amounts: (found) =>
    `for ${found.count === 1 ? '1 order' : `${grouped(found.count)} orders`}, the rows of this file add up to more than the ${found.field} of the order: ${found.list}`,
  dates: (found) =>
    `${found.count === 1 ? '1 value' : `${grouped(found.count)} values`} of ${found.field} ${found.count === 1 ? 'looks like a date' : 'look like dates'} (${found.list}): a spreadsheet may have converted codes such as 3-12`,
} as const satisfies Readonly<Record<string, (found: FindingWords) => string>>;

type SaidOfRow = (field: string, value: string) => string;

/** Of one row, for lists and files of rows. */
const OF_ROW: Readonly<Partial<Record<FindingKind, SaidOfRow>>> = {
  twins: (field, value) =>
    `${field} ${value} differs from another only in case, spaces, dashes or Unicode form`,
  unit_twins: (field, value) =>
    `${field} ${value} differs from another only in case, spaces or dashes`,
  mojibake: (_, value) => `text was probably read in a wrong encoding: ${value}`,
  html_entities: (_, value) => `HTML entities instead of characters: ${value}`,
  zero_amounts: (field) => `${field} is 0`,
  no_address: () => 'a delivery without an address',
  lost_zeros: (field, value) => `${field} ${value} may have lost leading zeros`,
  missing_amounts: (field) => `no ${field}`,
  other_currency: (_, value) => `a currency different from the order: ${value}`,
  exceeded_amounts: (_, value) => `the rows of this file exceed the order: ${value}`,
  dates: (field, value) => `${field} ${value} looks like a date`,
};

/** Whether a value of a file is a list of findings of one row. */
export function isRowFindings(value: unknown): value is readonly RowFinding[] {
  const isFinding = (one: unknown): boolean => {
    if (!isObject(one)) return false;
    const { kind, field, sample } = one as Partial<Record<string, unknown>>;
    return (
      typeof kind === 'string' &&
      Object.hasOwn(OF_ROW, kind) &&
      (field === undefined || typeof field === 'string') &&
      isObject(sample) &&
      typeof (sample as { readonly value?: unknown }).value === 'string'
    );
  };
  return Array.isArray(value) && value.length > 0 && value.every(isFinding);
}

export function rowFindingText({ kind, field = '', sample }: RowFinding): string {
  const { value, other } = sample;
  const text = OF_ROW[kind]?.(field, value) ?? kind;
  return other === undefined ? text : `${text} (${other.value})`;
}

/** Counts the findings of rows. Memory stays bounded: it keeps some samples of each kind and field. */
export class FindingTally {
  readonly #found = new Map<string, { count: number; samples: FindingSample[] } & RowFinding>();

  add(findings: readonly RowFinding[]): void {
    for (const one of findings) {
      const key = `${one.kind} ${one.field ?? ''}`;
      const known = this.#found.get(key);
      if (known === undefined) {
        this.#found.set(key, { ...one, count: 1, samples: [one.sample] });
        continue;
      }
      known.count++;
      if (known.samples.length < SAMPLES) known.samples.push(one.sample);
    }
  }

  /** In the order of {@link Finding.kind} above. */
  findings(): readonly Finding[] {
    const order = Object.keys(WORDS);
    return [...this.#found.values()]
      .sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind))
      .map(({ kind, field, count, samples }) => ({
        kind,
        ...(field === undefined ? {} : { field }),
        count,
        samples,
      }));
  }
}

const SAMPLES = 3;

export function findingText(found: Finding): string {
  const shown = found.samples.map((sample) => sampleText(sample)).join(', ');
  const more = found.count > found.samples.length ? ', …' : '';
  return WORDS[found.kind]({ ...found, list: `${shown}${more}` });
}

function sampleText({ value, row, line, other }: FindingSample): string {
  const { place } = importPlanMessages;
  const at = row === undefined ? '' : ` (${place(row, line ?? null)})`;
  if (other === undefined) return `${value}${at}`;
  const where = other.row === undefined ? 'existing' : place(other.row, other.line ?? null);
  return `${value}${at} and ${other.value} (${where})`;
}
