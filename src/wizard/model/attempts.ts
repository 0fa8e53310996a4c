import type { Ports } from '../../core/ports.ts';
import { Scope } from '../../core/scope.ts';
import { type Entry, wasApplied } from '../../history/entry.ts';
import { withHistory } from '../../history/history.ts';
import { digestOf } from '../../ledger/identity.ts';
import { createRequisition } from '../../nouns/requisition/index.ts';
import type { Draft } from './draft-schema.ts';

export function attemptOf(payload: unknown): string {
  return digestOf(createRequisition.method, createRequisition.path, payload);
}

/**
 * Finds the history entries of earlier attempts to send a draft.
 *
 * @returns `created`: every entry that created a requisition; `unknown`: the newest entry that may
 * have created a requisition
 */
export async function outcomesOf(
  draft: Draft,
  ports: Ports<'store' | 'self'>,
): Promise<{ readonly created: readonly Entry[]; readonly unknown?: Entry | undefined }> {
  if (draft.attempts.length === 0) return { created: [] };
  const { baseUrl, organization } = draft;
  const scope = new Scope({ baseUrl, organization });
  const sent = await withHistory(ports, [], async (history) =>
    (await history.entries({ scope, noun: 'requisitions', since: draft.created })).filter(
      (entry) =>
        entry.endpoint === createRequisition.id &&
        draft.attempts.includes(attemptOf(entry.payload)),
    ),
  );
  return {
    created: sent.filter(wasApplied),
    unknown: sent.find(({ state }) => state === 'unknown'),
  };
}
