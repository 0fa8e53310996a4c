import { grouped } from '../../core/text/decimal.ts';
import { placeOf } from './words.ts';

/** Something in a file that looks wrong but may be intended. Its rows stay in the plan. */
export interface Finding {
  readonly kind: 'line_breaks';
  readonly count: number;
  readonly samples: readonly FindingSample[];
}

export interface FindingSample {
  readonly value: string;
  readonly row: number;
  readonly line: number | null;
}

export function findingText({ count, samples }: Finding): string {
  const shown = samples.map(({ value, row, line }) => `${value} (${placeOf(row, line)})`);
  const more = count > samples.length ? ', …' : '';
  const values = count === 1 ? '1 value has' : `${grouped(count)} values have`;
  return `${values} line breaks: ${shown.join(', ')}${more}`;
}
