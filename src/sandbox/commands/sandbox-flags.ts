import type { Context } from '../../context.ts';
import { readText } from '../../nouns/shared/body.ts';
import { type Beginning, readSeed } from '../seed.ts';

export const SANDBOX_FLAGS = {
  empty: { kind: 'boolean', doc: 'leave out the sample data; the API keys stay' },
  seed: {
    kind: 'string',
    value: 'file',
    doc: 'JSON file with orders, items, sectors or addresses to start with',
  },
  faults: {
    kind: 'string',
    value: 'text',
    doc: 'faults to simulate, e.g. reset-after=2%,429=3%,latency=20ms,seed=7',
  },
} as const;

/** What a new database begins with: the sample orders end today. @throws ProcError `invalid_input` for the seed */
export async function beginningOf(
  { empty, seed }: { readonly empty: boolean; readonly seed: string | undefined },
  ctx: Context,
): Promise<Beginning> {
  return {
    empty,
    hasItems: true,
    asOf: new Date().toISOString().slice(0, 10),
    seed: seed === undefined ? undefined : readSeed(await readText(ctx, seed), seed),
  };
}
