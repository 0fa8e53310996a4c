import type { Context } from '../context.ts';
import { ProcError } from '../core/errors.ts';
import { settleMsOf } from '../core/service.ts';
import { parseRate } from './send/pace.ts';

const PATIENCE_MS = 5 * 60_000;

/** Not stored in the run: each command gets its own values. */
export interface RunOptions {
  /** Undefined if proc adapts the number. */
  readonly concurrency: number | undefined;
  /** Maximum requests per second. */
  readonly rate: number | undefined;
  readonly patienceMs: number;
  /** How long proc waits before it looks up an unconfirmed row. */
  readonly settleMs: number;
}

/** @throws ProcError `invalid_usage` */
export async function runOptionsOf(
  { rate }: { readonly rate?: string | undefined },
  ctx: Context,
): Promise<RunOptions> {
  const target = await ctx.target();
  const { concurrency, patienceMs = PATIENCE_MS } = target;
  return {
    concurrency,
    rate: rate === undefined ? undefined : parseRate(rate),
    patienceMs,
    settleMs: settleMsOf(target, ctx.flags),
  };
}

/**
 * The number of rows that `--max-rejected` allows: `5%` of the rows, or a number. Undefined: any number.
 *
 * @throws ProcError `invalid_usage`
 */
export function mostOf(text: string | undefined, rows: number): number | undefined {
  if (text === undefined) return undefined;
  const [, amount, percent] = /^(\d+(?:\.\d+)?)(%?)$/.exec(text.trim()) ?? [];
  const isShare = percent === '%';
  if (amount === undefined || (isShare ? Number(amount) > 100 : amount.includes('.'))) {
    throw new ProcError(
      'invalid_usage',
      `--max-rejected ${JSON.stringify(text)}: expected a percentage such as 5% (0% to 100%) or a number of rows`,
    );
  }
  return isShare ? (rows * Number(amount)) / 100 : Number(amount);
}
