import type { Ports } from '../../../core/ports.ts';
import { HISTORY } from '../../../history/store.ts';
import type { ImportTarget } from '../../targets/import-target.ts';
import type { Journal } from '../journal.ts';
import { scopeOfRun } from '../record-run.ts';

/**
 * Describes what created each id, e.g. `row 7 of this run`. Leaves out ids that were not created
 * from this machine.
 */
export async function holdersOf(
  ids: Iterable<string>,
  journal: Journal,
  target: ImportTarget,
  ports: Ports<'store' | 'self'>,
): Promise<ReadonlyMap<string, string>> {
  const free = new Set(ids);
  const holders = new Map<string, string>();
  const { run } = journal.header;
  const scope = await scopeOfRun(journal, ports);
  for (const id of free) {
    const row = journal.rows.reported.creatorOf(id);
    if (row === undefined) continue;
    holders.set(id, `row ${row} of this run`);
    free.delete(id);
  }
  if (free.size === 0) return holders;
  const history = await ports.store.open(HISTORY);
  const sentRows = history.sentRows(scope);
  for (const one of await sentRows.creators(target.noun, [...free])) {
    if (one.run === run || !free.delete(one.id)) continue;
    holders.set(one.id, `row ${one.row} of run ${one.run}`);
  }
  for (const id of free) {
    const entry = await history.creatorOf(scope, target.create.id, id);
    if (entry !== undefined) holders.set(id, `the command ${entry} in the history`);
  }
  return holders;
}

/**
 * The given ids whose records other imports or commands of this machine created. Leaves out imports
 * that ended before this run started: their records are in the catalogue.
 */
export async function createdByOthers(
  ids: readonly string[],
  journal: Journal,
  target: ImportTarget,
  ports: Ports<'store' | 'self'>,
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const { run, startedAt } = journal.header;
  const scope = await scopeOfRun(journal, ports);
  const history = await ports.store.open(HISTORY);
  const sentRows = history.sentRows(scope);
  const since = Date.parse(startedAt);
  const found = new Set(await history.createdAmong(ids, scope, target.create.id));
  for (const one of await sentRows.creators(target.noun, ids)) {
    const { finishedAt = since } = one;
    if (one.run !== run && finishedAt >= since) found.add(one.id);
  }
  return found;
}

/** Whether the catalogue of the run has the record. If so, this run did not create it. */
export function isOlder(id: string, { rows: { catalogue } }: Journal): boolean {
  return catalogue.has(id);
}
