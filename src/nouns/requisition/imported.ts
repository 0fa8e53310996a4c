import { isSignalled } from '../../core/errors.ts';
import type { Ports, SelfPort } from '../../core/ports.ts';
import { withHistory } from '../../history/find-entry.ts';
import { Journal } from '../../import/ledger/journal.ts';
import { importsFolder, journalPath } from '../../import/ledger/runs.ts';
import { IMPORTED_AS } from './index.ts';

export interface Imported {
  readonly id: string;
  readonly run: string;
  /** The end of the run, in ms. Undefined if it has not ended. */
  readonly at: number | undefined;
  /** As it was sent. Undefined if the file of the run is gone, damaged or on another machine. */
  readonly payload: unknown;
}

/**
 * The requisitions that imports created on this service and organization: the ledger keeps their ids, and the file of
 * the run what was sent.
 *
 * @param since in ms
 */
export async function importedRequisitions(
  ports: Ports<'store' | 'self'>,
  since = 0,
): Promise<readonly Imported[]> {
  const scope = await ports.store.scope();
  return withHistory<readonly Imported[]>(ports, [], async (history) => {
    const sent = history.sentRows(scope);
    const found: Imported[] = [];
    const bodies = new Map<string, ReadonlyMap<string, unknown>>();
    for await (const batch of sent.created(IMPORTED_AS, '')) {
      const creators = await sent.creators(
        IMPORTED_AS,
        batch.map(({ id }) => id),
      );
      for (const { id, run, finishedAt } of creators) {
        if ((finishedAt ?? Number.POSITIVE_INFINITY) < since) continue;
        if (!bodies.has(run)) bodies.set(run, await bodiesOf(run, ports.self));
        found.push({ id, run, at: finishedAt, payload: bodies.get(run)!.get(id) });
      }
    }
    return found;
  });
}

async function bodiesOf(run: string, self: SelfPort): Promise<ReadonlyMap<string, unknown>> {
  const created = new Map<string, unknown>();
  try {
    const journal = await Journal.read(journalPath(importsFolder(self), run));
    try {
      for (const { id, body } of journal.rows.reported.withRecords('created')) {
        if (id !== null && body !== null) created.set(id, JSON.parse(body));
      }
    } finally {
      journal.close();
    }
  } catch (thrown) {
    if (isSignalled(thrown)) throw thrown;
  }
  return created;
}
