import { serviceOf } from '../client/service.ts';
import { ProcError } from '../core/errors.ts';
import { inShell } from '../core/typed.ts';
import type { Draft } from './draft-schema.ts';

/** What ends a command that only asks where nobody can answer: at once, nothing is read. */
export function inputNeeded(what: string): ProcError {
  return new ProcError('invalid_usage', `${what} asks questions, and nobody can be asked here`, {
    hint: 'Give the answers to proc requisition create: --title, --group and --item (or --lines FILE), or all of them with --file FILE, or --from last. See proc requisition create --help',
  });
}

/** Ids of items and addresses mean nothing at another service. */
export function mustBeHere(draft: Draft, baseUrl: string): void {
  if (serviceOf(draft.baseUrl) === serviceOf(baseUrl)) return;
  const { profile, environment } = draft;
  throw new ProcError(
    'invalid_usage',
    `draft ${draft.id} was made for ${draft.baseUrl}, not for ${baseUrl}`,
    {
      hint:
        profile === undefined
          ? `Choose where it was made: PROC_BASE_URL=${inShell(draft.baseUrl)}`
          : `Add --profile ${profile}${environment === undefined ? '' : ` --env ${environment}`}`,
    },
  );
}
