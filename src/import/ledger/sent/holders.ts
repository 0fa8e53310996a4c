import type { Ports } from '../../../core/ports.ts';
import { HISTORY } from '../../../history/store.ts';
import type { ImportTarget } from '../../targets/import-target.ts';
import type { Journal } from '../journal.ts';
import { scopeOfRun } from '../run-ownership.ts';

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
  const take = (of: (id: string) => string | undefined) => {
    for (const id of free) {
      const holder = of(id);
      if (holder === undefined) continue;
      holders.set(id, holder);
      free.delete(id);
    }
  };
  const { run } = journal.header;
  const scope = await scopeOfRun(journal, ports);
  take(rowsWith((id) => journal.reported.creatorOf(id), 'this run'));
  if (free.size === 0) return holders;
  const history = await ports.store.open(HISTORY);
  const sentRows = history.sentRows(scope);
  for (const one of await sentRows.runs(target.noun)) {
    if (one.name === run) continue;
    const rows = await sentRows.creators([...free], one);
    take(rowsWith((id) => rows.get(id)?.row, `run ${one.name}`));
  }
  take((id) => {
    const entry = history.creatorOf(scope, target.create.id, id);
    return entry === undefined ? undefined : `the command ${entry} in the history`;
  });
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
  const found = new Set(history.createdAmong(ids, scope, target.create.id));
  for (const one of await sentRows.runs(target.noun)) {
    const { name, finishedAt = since } = one;
    if (name === run || finishedAt < since) continue;
    for (const id of (await sentRows.creators(ids, one)).keys()) found.add(id);
  }
  return found;
}

function rowsWith(
  creatorOf: (id: string) => number | undefined,
  run: string,
): (id: string) => string | undefined {
  return (id) => {
    const row = creatorOf(id);
    return row === undefined ? undefined : `row ${row} of ${run}`;
  };
}

/** Whether the catalogue of the run has the record. If so, this run did not create it. */
export function isOlder(id: string, { catalogue }: Journal): boolean {
  return catalogue.has(id);
}
