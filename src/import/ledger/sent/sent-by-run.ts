import { looseFingerprintOf } from '../../../history/store.ts';
import type { SentRows } from '../../../ledger/port.ts';
import { startedAt } from '../../../ledger/run-name.ts';
import { earlierOf } from './earlier-runs.ts';

/** A row of an import that a single write would repeat. */
export interface SentByRun {
  readonly run: string;
  readonly row: number;
  readonly isUnknown: boolean;
  readonly created: string | undefined;
  /** When the run started, ms. */
  readonly at: number;
}

/** Prefers unconfirmed rows, then rows of newer runs. */
export async function sentByRun(
  {
    method,
    path,
    payload,
    given = payload,
  }: { method: string; path: string; payload: unknown; given?: unknown },
  sentRows: SentRows,
): Promise<SentByRun | undefined> {
  const fingerprint = looseFingerprintOf(method, path, given);
  const noted = (await sentRows.find([fingerprint])).get(fingerprint) ?? [];
  return noted
    .filter(({ by }) => by === 'run')
    .flatMap((one): SentByRun[] => {
      const earlier = earlierOf(one);
      if (typeof earlier.at === 'string') return [];
      const { outcome, id, at } = earlier;
      if (outcome === 'dropped') return [];
      const isUnknown = outcome === 'unconfirmed';
      return [{ ...at, isUnknown, created: id, at: startedAt(at.run) }];
    })
    .sort((a, b) => Number(b.isUnknown) - Number(a.isUnknown) || b.at - a.at)[0];
}
