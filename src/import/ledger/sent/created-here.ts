import type { Ports } from '../../../core/ports.ts';
import type { Scope } from '../../../core/scope.ts';
import { storedCode } from '../../../core/service/code-change.ts';
import { HISTORY } from '../../../history/store.ts';
import type { Listed } from '../../../listing/listing.ts';
import type { ImportTarget } from '../../targets/import-target.ts';
import type { Journal } from '../journal.ts';
import { scopeOfRun } from '../record-run.ts';

/**
 * Passes to `take` all records that this machine created for the organization, by other imports and
 * by single commands. Their codes are those that the service stores, as far as the run knows.
 */
export async function eachKnownHere(
  journal: Journal,
  target: ImportTarget,
  ports: Ports<'store' | 'self'>,
  take: (rows: Iterable<Listed>) => void,
): Promise<void> {
  const { run, noun } = journal.header;
  const change = journal.get('codesChanged');
  function* stored(rows: Iterable<Listed>): Generator<Listed> {
    for (const row of rows) {
      yield row.code === null ? row : { ...row, code: storedCode(change, row.code) };
    }
  }
  const pass = change === undefined ? take : (rows: Iterable<Listed>) => take(stored(rows));
  const scope = await scopeOfRun(journal, ports);
  const sentRows = (await ports.store.open(HISTORY)).sentRows(scope);
  for await (const some of sentRows.created(noun, run)) pass(some);
  pass(await createdByCommands(scope, target, ports));
}

/**
 * Keeps answers from giving a row the id of a record that this machine has created before. With the whole list at
 * hand, the catalogue does so. If the list is not to be trusted, the service may have been reset.
 */
export async function noteKnownIds(
  journal: Journal,
  target: ImportTarget,
  ports: Ports<'store' | 'self'>,
): Promise<void> {
  if (target.listing !== undefined && journal.get('baseline') !== 'searched') return;
  await eachKnownHere(journal, target, ports, (rows) =>
    journal.commit(() => journal.rows.catalogue.addTakenIds(rows)),
  );
}

async function createdByCommands(
  scope: Scope,
  { create, keyField, listing }: ImportTarget,
  ports: Ports<'store' | 'self'>,
): Promise<Listed[]> {
  const text = (value: unknown) => (typeof value === 'string' ? value : null);
  const found: Listed[] = [];
  for (const entry of await (await ports.store.open(HISTORY)).entries()) {
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
