import type { Context } from '../../context.ts';
import type { Result } from '../../core/result.ts';
import { countOldHistory, pruneHistory, pruneRuns } from '../../ledger/decided-rows.ts';
import { findRun, runsIn, type StoredRun } from '../../ledger/run-queries.ts';
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
  const sql = (await ledgerOf(ctx))?.sql;
  const all = sql === undefined ? [] : await runsIn(sql);
  const named = sql === undefined ? [] : await Promise.all(typed.map((name) => findRun(sql, name)));
  const numbers = new Set(named.map(({ number }) => number));
  const isMeant = (run: StoredRun) =>
    numbers.has(run.number) || (typed.length === 0 && before !== undefined && run.begunAt < before);
  const meant = all.filter(isMeant);
  const old = meant.filter((run) => leftOf(reported(run)) === 'nothing');
  const open = meant.length - old.length;
  if (open > 0) {
    const text = `${rowsIn(open, 'run')} ${open === 1 ? 'stays' : 'stay'}: rows are pending or unconfirmed. List ${open === 1 ? 'it' : 'them'}: proc imports list --open`;
    ctx.io.say({ kind: 'notice', text });
  }
  const kept = (removed: number) => ({ removed, kept: all.length - removed });
  if (ctx.flags.dryRun) {
    const { removed: wouldRemove, kept: stays } = kept(old.length);
    const wouldRemoveHistory =
      sql === undefined || before === undefined ? 0 : await countOldHistory(sql, before);
    const next = wouldRemove + wouldRemoveHistory === 0 ? { next: [] } : {};
    return {
      kind: 'record',
      value: { dryRun: true, wouldRemove, kept: stays, wouldRemoveHistory, ...next },
    };
  }
  if (sql === undefined || (old.length === 0 && before === undefined))
    return { kind: 'record', value: { ...kept(0), historyRemoved: 0 } };
  const what = `remove ${rowsIn(old.length, 'ended run')}${before === undefined ? '' : ' and old history'}`;
  await confirmChange(what, ctx);
  const removed = await pruneRuns(sql, old);
  const historyRemoved = before === undefined ? 0 : await pruneHistory(sql, before);
  // Another process may be using the ledger. Then the next pruning gives the space back.
  if (removed + historyRemoved > 0) await sql.run('VACUUM').catch(() => undefined);
  return { kind: 'record', value: { ...kept(removed), historyRemoved } };
}
