import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import { inShell } from '../../core/text/typed.ts';
import { check, show } from '../../core/validate.ts';
import type { Entry } from '../../history/entry.ts';
import { isOurs, withHistory } from '../../history/find-entry.ts';
import { createRequisition } from '../../nouns/requisition/api.ts';
import type { Payload } from '../../nouns/shared/lines/reorder.ts';

/** What `--from` names: a payload in history, or a file. */
export type Earlier =
  | { readonly kind: 'payload'; readonly payload: Payload; readonly title: string }
  | { readonly kind: 'file'; readonly file: string };

/**
 * Finds what `--from ID|last|file.json` means: the newest requisition that was created at this
 * service, one by its id or by its id in history, or a file with a payload.
 *
 * @throws ProcError `reference_not_found`, `invalid_usage`
 */
export async function findEarlier(
  from: string,
  ports: Ports<'api' | 'store' | 'self'>,
): Promise<Earlier> {
  const target = await ports.api.target();
  const scope = await ports.store.scope();
  const entries = await withHistory(ports, [], (history) =>
    Array.from(history.entries({ noun: 'requisitions' })).filter(
      ({ endpoint }) => endpoint === createRequisition.id,
    ),
  );
  const isHere = (entry: Entry) => isOurs(entry, scope, target);
  if (from === 'last') {
    const last = entries.find((entry) => isHere(entry) && wasCreated(entry));
    if (last !== undefined) return payloadOf(last);
    throw new ProcError('reference_not_found', 'history knows no requisition created here', {
      hint: 'Give a file with a payload: --from FILE.json',
    });
  }
  const named = entries.filter(({ id, created }) => id === from.toLowerCase() || created === from);
  const here = named.find(isHere);
  if (here !== undefined) return payloadOf(here);
  if (existsSync(resolve(ports.self.cwd, from))) return { kind: 'file', file: from };
  if (named[0] !== undefined) {
    throw new ProcError(
      'invalid_usage',
      `${from} was sent to ${named[0].organization ?? named[0].profile ?? named[0].baseUrl}, whose items and addresses are not known here`,
      { hint: 'Choose where it was sent, with --profile and --env, or give a file' },
    );
  }
  throw new ProcError(
    'reference_not_found',
    `--from ${show(from)}: history has no such requisition, and there is no such file`,
    {
      hint: 'See what there is: proc history list --noun requisition',
    },
  );
}

function wasCreated({ state }: Entry): boolean {
  return state === 'done' || state === 'adopted';
}

function payloadOf(entry: Entry): Earlier {
  const { value } = check(createRequisition.body, entry.payload);
  if (value === undefined) {
    throw new ProcError('invalid_input', `${entry.id} holds no payload that can be ordered again`, {
      hint: `See it: proc history show ${inShell(entry.id)}`,
    });
  }
  // As it was sent, with what the contract does not know: that is warned of where it is used.
  return { kind: 'payload', payload: entry.payload as Payload, title: value.title };
}
