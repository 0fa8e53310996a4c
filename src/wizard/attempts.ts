import { serviceOf } from '../client/service.ts';
import type { Context } from '../core/command.ts';
import type { Entry } from '../history/entry.ts';
import { withHistory } from '../history/find.ts';
import { fingerprintOf } from '../history/keys.ts';
import { createRequisition } from '../resources/requisitions/api.ts';
import type { Draft } from './draft-schema.ts';

/** What a payload has in common with the same one in history. */
export function attemptOf(payload: unknown): string {
  return fingerprintOf(createRequisition.method, createRequisition.path, payload);
}

/** What became of the sends of a draft: those that surely arrived, and one that may have. */
export async function fateOf(
  draft: Draft,
  ctx: Context,
): Promise<{ readonly created: readonly Entry[]; readonly unknown?: Entry | undefined }> {
  if (draft.attempts.length === 0) return { created: [] };
  const service = serviceOf(draft.baseUrl);
  const sent = await withHistory(ctx, [], (history) =>
    Array.from(history.entries({ noun: 'requisitions', since: draft.created })).filter(
      (entry) =>
        entry.endpoint === createRequisition.id &&
        serviceOf(entry.baseUrl) === service &&
        draft.attempts.includes(attemptOf(entry.payload)),
    ),
  );
  return {
    created: sent.filter(({ state }) => state === 'done' || state === 'adopted'),
    unknown: sent.find(({ state }) => state === 'unknown'),
  };
}
