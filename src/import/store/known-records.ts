import type { Ports } from '../../core/ports.ts';
import type { Scope } from '../../core/scope.ts';
import { storedCode } from '../../core/service/code-change.ts';
import type { History } from '../../history/store.ts';
import type { Listed } from '../../listing/listing.ts';
import { historyOf } from '../record-run.ts';
import type { ImportTarget } from '../targets/import-target.ts';
import type { Run } from './run-file.ts';

/**
 * Passes to `take` all records that this machine created for the organization, by other imports and
 * by single commands. Their codes are those that the service stores, as far as the run knows.
 */
export async function eachKnownHere(
  run: Run,
  target: ImportTarget,
  ports: Ports<'store' | 'self'>,
  take: (rows: Iterable<Listed>) => void,
): Promise<void> {
  const { run: name, noun } = run.header;
  const change = run.get('codesChanged');
  function* stored(rows: Iterable<Listed>): Generator<Listed> {
    for (const row of rows) {
      yield row.code === null ? row : { ...row, code: storedCode(change, row.code) };
    }
  }
  const pass = change === undefined ? take : (rows: Iterable<Listed>) => take(stored(rows));
  const { history, scope, sentRows } = await historyOf(run, ports);
  for await (const some of sentRows.created(noun, name)) pass(some);
  pass(await createdByCommands(history, scope, target));
}

/**
 * Keeps answers from giving a row the id of a record that this machine has created before. With the whole list at
 * hand, the catalogue does so. If the list is not to be trusted, the service may have been reset.
 */
export async function noteKnownIds(
  run: Run,
  target: ImportTarget,
  ports: Ports<'store' | 'self'>,
): Promise<void> {
  if (target.listing !== undefined && run.get('baseline') !== 'searched') return;
  await eachKnownHere(run, target, ports, (rows) =>
    run.commit(() => run.rows.catalogue.addTakenIds(rows)),
  );
}

async function createdByCommands(
  history: History,
  scope: Scope,
  { create, keyField, listing }: ImportTarget,
): Promise<Listed[]> {
  const text = (value: unknown) => (typeof value === 'string' ? value : null);
  const found: Listed[] = [];
  for (const entry of await history.entries()) {
    if (entry.endpoint !== create.id || entry.created === undefined) continue;
    if (scope.ownershipOf(entry) !== 'ours') continue;
    const body = (entry.payload ?? {}) as Readonly<Record<string, unknown>>;
    found.push({
      id: entry.created,
      code: text(body[keyField]),
      name: text(body[listing?.nameField ?? 'name']),
    });
  }
  return found;
}

/**
 * Describes what created each id, e.g. `row 7 of this run`. Leaves out ids that were not created
 * from this machine.
 */
export async function holdersOf(
  ids: Iterable<string>,
  run: Run,
  target: ImportTarget,
  ports: Ports<'store' | 'self'>,
): Promise<ReadonlyMap<string, string>> {
  const free = new Set(ids);
  const holders = new Map<string, string>();
  const { run: name } = run.header;
  for (const id of free) {
    const row = run.rows.reported.creatorOf(id);
    if (row === undefined) continue;
    holders.set(id, `row ${row} of this run`);
    free.delete(id);
  }
  if (free.size === 0) return holders;
  const { history, scope, sentRows } = await historyOf(run, ports);
  for (const one of await sentRows.creators(target.noun, [...free])) {
    if (one.run === name || !free.delete(one.id)) continue;
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
  run: Run,
  target: ImportTarget,
  ports: Ports<'store' | 'self'>,
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const { run: name, startedAt } = run.header;
  const { history, scope, sentRows } = await historyOf(run, ports);
  const since = Date.parse(startedAt);
  const found = new Set(await history.createdAmong(ids, scope, target.create.id));
  for (const one of await sentRows.creators(target.noun, ids)) {
    const { finishedAt = since } = one;
    if (one.run !== name && finishedAt >= since) found.add(one.id);
  }
  return found;
}
