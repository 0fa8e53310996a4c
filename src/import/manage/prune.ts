import type { Context } from '../../context.ts';
import type { Result } from '../../core/result.ts';
import { countOldHistory, pruneHistory, pruneRuns } from '../../ledger/decided-rows.ts';
import { findRun, runsIn } from '../../ledger/run-queries.ts';
import { confirmChange } from '../../terminal/confirm-change.ts';
import { leftOf, reported } from '../report/run-summary.ts';
import { rowsIn } from '../report/words.ts';
import { ledgerOf } from './show-runs.ts';

/**
 * Removes ended runs, and old entries of the history. What was sent stays remembered, so that nothing is sent twice.
 *
 * @param typed names of runs; empty: all that began before `before`
 * @param before ms since the epoch; also for the history. Undefined: the history stays
 * @throws ProcError `reference_not_found`, `ambiguous_reference`
 */
export async function prune(
  typed: readonly string[],
  before: number | undefined,
  ctx: Context,
): Promise<Result> {
  const ledger = await ledgerOf(ctx);
  const { dryRun } = ctx.flags;
  const result = (removed: number, kept: number, history: number): Result => {
    const value = dryRun
      ? { dryRun, wouldRemove: removed, kept, wouldRemoveHistory: history }
      : { removed, kept, historyRemoved: history };
    return { kind: 'record', value: removed + history > 0 ? value : { ...value, next: [] } };
  };
  if (ledger === undefined) return result(0, 0, 0);
  const { sql } = ledger;
  const all = await runsIn(sql);
  const named = await Promise.all(typed.map(async (name) => (await findRun(sql, name)).number));
  const meant = all.filter(({ number, begunAt }) =>
    typed.length > 0 ? named.includes(number) : begunAt < (before ?? 0),
  );
  const old = meant.filter((run) => leftOf(reported(run)) === 'nothing');
  const open = meant.length - old.length;
  if (open > 0) {
    const text = `${rowsIn(open, 'run')} ${open === 1 ? 'stays' : 'stay'}: rows are pending or unconfirmed. List ${open === 1 ? 'it' : 'them'}: proc imports list --open`;
    ctx.io.say({ kind: 'notice', text });
  }
  const history = before === undefined ? 0 : await countOldHistory(sql, before);
  if (dryRun) return result(old.length, all.length - old.length, history);
  const what = `remove ${rowsIn(old.length, 'ended run')}${before === undefined ? '' : ' and old history'}`;
  if (old.length + history > 0) await confirmChange(what, ctx);
  const removed = await pruneRuns(sql, old);
  const isOld = before !== undefined && history > 0;
  const historyRemoved = isOld ? await pruneHistory(sql, before) : 0;
  return result(removed, all.length - removed, historyRemoved);
}
