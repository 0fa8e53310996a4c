import { ProcError } from '../../../core/errors.ts';
import type { Drafts } from '../../../wizard/model/drafts.ts';

export const DRAFT = {
  id: { doc: 'id of the draft, e.g. d-7k3mqd', from: 'proc requisition draft list' },
} as const;

export const ONLY_DRAFT = {
  id: {
    doc: 'id of the draft, e.g. d-7k3mqd; not needed if there is only one',
    from: 'proc requisition draft list',
    optional: true,
  },
} as const;

/**
 * The typed id in lower case. Without one, the id of the only draft.
 *
 * @throws ProcError `invalid_usage` if there are several drafts, `reference_not_found` if there are none
 */
export function draftMeant(drafts: Drafts, typed: string | undefined): string {
  if (typed !== undefined) return typed.toLowerCase();
  const found = drafts.list((error) => {
    throw error;
  });
  if (found.length === 1) return found[0]!.id;
  if (found.length === 0) {
    throw new ProcError('reference_not_found', 'there are no drafts', {
      hint: 'Start one: proc requisition wizard',
    });
  }
  throw new ProcError('invalid_usage', `there are ${found.length} drafts, so one must be named`, {
    hint: 'List them: proc requisition draft list',
    details: { candidates: found.map(({ id, sheet }) => ({ id, title: sheet.title ?? null })) },
  });
}
