import { ProcError } from '../../core/errors.ts';
import type { Scope } from '../../core/scope.ts';
import { inShell } from '../../core/text/typed.ts';
import type { Draft } from '../model/draft-schema.ts';

/** What ends a command that only asks where nobody can answer: at once, nothing is read. */
export function inputNeeded(what: string): ProcError {
  return new ProcError('invalid_usage', `${what} asks questions, and nobody can be asked here`, {
    hint: 'Give the answers to proc requisition create: --title, --group and --item (or --lines FILE), or all of them with --file FILE, or --from last. See proc requisition create --help',
  });
}

/**
 * Ids of items and addresses mean nothing at another service, or to another organization.
 *
 * @returns the draft; one from before organizations were recorded is this organization's from now on
 */
export function mustBeHere(draft: Draft, scope: Scope): Draft {
  const { profile, environment, baseUrl, organization } = draft;
  const whose = scope.whose({ baseUrl, organization });
  if (whose === 'ours') return draft;
  if (whose === 'unrecorded') return { ...draft, organization: scope.organization };
  if (whose === 'foreign') {
    throw new ProcError(
      'invalid_usage',
      `draft ${draft.id} was made for the organization ${organization}, and the key is that of ${scope.organization}`,
      {
        hint: `Use the key of ${organization}. If this is its new key, add --organization ${organization}`,
      },
    );
  }
  throw new ProcError(
    'invalid_usage',
    `draft ${draft.id} was made for ${draft.baseUrl}, not for ${scope.service}`,
    {
      hint:
        profile === undefined
          ? `Choose where it was made: PROC_BASE_URL=${inShell(draft.baseUrl)}`
          : `Add --profile ${profile}${environment === undefined ? '' : ` --env ${environment}`}`,
    },
  );
}
