import { ProcError } from '../../core/errors.ts';
import type { Scope } from '../../core/scope.ts';
import { inShell } from '../../core/text/typed.ts';
import type { Draft } from '../model/draft-schema.ts';

export function inputNeeded(what: string): ProcError {
  return new ProcError(
    'invalid_usage',
    `${what} asks questions, and there is no terminal to ask on`,
    {
      hint: 'Use flags instead: --title, --group and --item (or --lines FILE), or --file FILE, or --from last. See: proc requisition create --help',
    },
  );
}

/**
 * Refuses a draft of another target, because ids of items and addresses are valid only for one
 * service and organization.
 *
 * @throws ProcError `invalid_usage`
 */
export function mustBeHere(draft: Draft, scope: Scope): Draft {
  const { profile, environment, baseUrl, organization } = draft;
  const ownership = scope.ownershipOf({ baseUrl, organization });
  if (ownership === 'ours') return draft;
  if (ownership === 'foreign') {
    throw new ProcError(
      'invalid_usage',
      `draft ${draft.id} belongs to the organization ${organization}, but the key belongs to ${scope.organization}`,
      {
        hint: `Use the key of ${organization}. If this is a new key of ${organization}, add --organization ${organization}`,
      },
    );
  }
  throw new ProcError(
    'invalid_usage',
    `draft ${draft.id} belongs to ${draft.baseUrl}, not to ${scope.service}`,
    {
      hint:
        profile === undefined
          ? `Select its target: PROC_BASE_URL=${inShell(draft.baseUrl)}`
          : `Add --profile ${profile}${environment === undefined ? '' : ` --env ${environment}`}`,
    },
  );
}
