import { isSignalled } from '../../core/errors.ts';
import type { Ports, SelfPort } from '../../core/ports.ts';
import { withHistory } from '../../history/find-entry.ts';
import { Run } from '../../import/store/run-file.ts';
import { importsFolder, journalPath } from '../../import/store/runs.ts';
import type { Creator } from '../../ledger/port.ts';
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
 * @param options `id`: only this one; `since`: of runs that ended then or later, in ms
 */
export async function importedRequisitions(
  ports: Ports<'store' | 'self'>,
  { id: only, since = 0 }: { readonly id?: string; readonly since?: number | undefined },
): Promise<readonly Imported[]> {
  const scope = await ports.store.scope();
  return withHistory<readonly Imported[]>(ports, [], async (history) => {
    const sent = history.sentRows(scope);
    const found: Imported[] = [];
    for await (const batch of only === undefined
      ? sent.created(IMPORTED_AS, '')
      : [[{ id: only }]]) {
      const ids = batch.map(({ id }) => id);
      const creators = (await sent.creators(IMPORTED_AS, ids)).filter(
        ({ finishedAt = Number.POSITIVE_INFINITY }) => finishedAt >= since,
      );
      const payloads = await payloadsOf(creators, ports.self);
      for (const { id, run, finishedAt } of creators) {
        found.push({ id, run, at: finishedAt, payload: payloads.get(id) });
      }
    }
    return found;
  });
}

/** By id. */
async function payloadsOf(
  creators: readonly Creator[],
  self: SelfPort,
): Promise<ReadonlyMap<string, unknown>> {
  const payloads = new Map<string, unknown>();
  for (const run of new Set(creators.map((creator) => creator.run))) {
    try {
      const journal = await Run.read(journalPath(importsFolder(self), run));
      try {
        for (const { id, row } of creators.filter((creator) => creator.run === run)) {
          const record = journal.rows.reported.withRecord(row);
          if (record?.id === id && record.body !== null) payloads.set(id, JSON.parse(record.body));
        }
      } finally {
        journal.close();
      }
    } catch (thrown) {
      if (isSignalled(thrown)) throw thrown;
    }
  }
  return payloads;
}
