import { grouped } from '../../core/numbers.ts';
import { placeOf } from './words.ts';

/** Something in a file that looks wrong but may be intended. Its rows stay in the plan. */
export interface Finding {
  /** `odd_values`: those that `--allow-odd` sends. */
  readonly kind: 'line_breaks' | 'odd_values';
  readonly count: number;
  readonly samples: readonly FindingSample[];
}

export interface FindingSample {
  readonly value: string;
  readonly row: number;
  readonly line: number | null;
}

export function findingText({ kind, count, samples }: Finding): string {
  const shown = samples.map(({ value, row, line }) => `${value} (${placeOf(row, line)})`);
  const more = count > samples.length ? ', …' : '';
  const isOne = count === 1;
  const values =
    kind === 'odd_values'
      ? `${isOne ? '1 odd value is' : `${grouped(count)} odd values are`} sent`
      : `${isOne ? '1 value has' : `${grouped(count)} values have`} line breaks`;
  return `${values}: ${shown.join(', ')}${more}`;
}
