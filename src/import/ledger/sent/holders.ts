import type { Ports } from '../../../core/ports.ts';
import { HISTORY } from '../../../history/store.ts';
import type { ImportTarget } from '../../targets/import-target.ts';
import type { Journal } from '../journal.ts';
import { scopeOfRun } from '../whose.ts';

/**
 * What else has these ids, in words: what this run, another one or a single command created. Ids that
 * nothing created from here has are left out.
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
  for (const one of sentRows.runs(target.noun)) {
    if (one.name !== run) take(rowsWith(sentRows.creators(one), `the run ${one.name}`));
  }
  take((id) => {
    const entry = history.creatorOf(scope, target.create.id, id);
    return entry === undefined ? undefined : `what the command ${entry} of history created`;
  });
  return holders;
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

/** Was in the list before the first request of the run. */
export function isOlder(id: string, { catalogue }: Journal): boolean {
  return catalogue.has(id);
}
