import { serviceOf } from '../client/service.ts';
import type { Context } from '../core/command.ts';
import type { Entry } from '../history/entry.ts';
import { withHistory } from '../history/find.ts';
import { fingerprintOf } from '../history/keys.ts';
import { createRequisition } from '../resources/requisitions/api.ts';
import type { Payload } from '../resources/requisitions/reorder.ts';
import type { Draft } from './draft-schema.ts';

/** What a payload has in common with the same one in history. */
export function attemptOf(payload: Payload): string {
  return fingerprintOf(createRequisition.method, createRequisition.path, payload);
}

/** What became of the sends of a draft: one that may have arrived, or surely did. */
export async function fateOf(
  draft: Draft,
  ctx: Context,
): Promise<{ readonly created?: Entry; readonly unknown?: Entry }> {
  if (draft.attempts.length === 0) return {};
  const service = serviceOf(draft.baseUrl);
  const sent = await withHistory(ctx, [], (history) =>
    Array.from(history.entries({ noun: 'requisitions', since: draft.created })).filter(
      (entry) =>
        entry.endpoint === createRequisition.id &&
        serviceOf(entry.baseUrl) === service &&
        draft.attempts.includes(attemptOf(entry.payload as Payload)),
    ),
  );
  const created = sent.find(({ state }) => state === 'done' || state === 'adopted');
  const unknown = sent.find(({ state }) => state === 'unknown');
  return {
    ...(created === undefined ? {} : { created }),
    ...(unknown === undefined ? {} : { unknown }),
  };
}
