import { grouped } from '../core/text/decimal.ts';
import { importPlanMessages } from './planning.ts';

/** Something in a file that looks wrong but may be intended. Its rows stay in the plan. */
export interface Finding {
  readonly kind: FindingKind;
  /** Undefined if the finding is about rows or several fields. */
  readonly field?: string | undefined;
  readonly count: number;
  readonly samples: readonly FindingSample[];
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
  line_breaks: (found) =>
    `${found.count === 1 ? '1 value has' : `${grouped(found.count)} values have`} line breaks: ${found.list}`,
} as const satisfies Readonly<Record<string, (found: FindingWords) => string>>;

type SaidOfRow = (field: string, value: string) => string;

/** Of one row, for lists and files of rows. */
const OF_ROW: Readonly<Partial<Record<FindingKind, SaidOfRow>>> = {
  twins: (field, value) =>
    `${field} ${value} differs from another only in case, spaces, dashes or Unicode form`,
};

export function rowFindingText({ kind, field = '', sample }: RowFinding): string {
  const { value, other } = sample;
  const text = OF_ROW[kind]?.(field, value) ?? kind;
  return other === undefined ? text : `${text} (${other.value})`;
}

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
