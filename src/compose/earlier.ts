import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { ProcError } from '../core/errors.ts';
import type { Ports } from '../core/ports.ts';
import { inShell } from '../core/text/typed.ts';
import { check, moreProblems, show } from '../core/validate.ts';
import type { Entry } from '../history/entry.ts';
import { withHistory } from '../history/find-entry.ts';
import { createRequisition } from '../nouns/requisition/index.ts';
import type { Payload } from './payload.ts';

export type Earlier =
  | { readonly kind: 'payload'; readonly payload: Payload; readonly title: string }
  | { readonly kind: 'file'; readonly file: string };

/**
 * Resolves the value of `--from`: `last`, the id of a requisition or of its history entry, or a
 * file with a payload.
 *
 * @throws ProcError `reference_not_found`, `invalid_usage`, `invalid_input`
 */
export async function findEarlier(
  from: string,
  ports: Ports<'api' | 'store' | 'self'>,
): Promise<Earlier> {
  const { here, anywhere } = await sentRequisition(from, ports);
  if (from === 'last') {
    if (here !== undefined) return payloadOf(here);
    throw new ProcError(
      'reference_not_found',
      'history has no requisition that was sent to this target',
      {
        hint: 'Use a file with a payload: --from FILE.json',
      },
    );
  }
  if (here !== undefined) return payloadOf(here);
  if (existsSync(resolve(ports.self.cwd, from))) return { kind: 'file', file: from };
  if (anywhere !== undefined) {
    throw new ProcError(
      'invalid_usage',
      `${from} was sent to ${anywhere.organization}; its items and addresses are not valid for the current target`,
      { hint: 'Select its target with --profile and --env, or use a file' },
    );
  }
  throw new ProcError(
    'reference_not_found',
    `--from ${show(from)}: neither a requisition in history nor a file`,
    {
      hint: 'List the requisitions: proc requisition list',
    },
  );
}

/**
 * Finds the history entry of a requisition.
 *
 * @param ref the id of the requisition or of the entry; `last` for the newest requisition
 * @returns `here`: the newest matching entry of the current target; `anywhere`: the newest
 * matching entry of any target, but always undefined for `last`
 */
export async function sentRequisition(
  ref: string,
  ports: Ports<'api' | 'store' | 'self'>,
): Promise<{ readonly here: Entry | undefined; readonly anywhere: Entry | undefined }> {
  const scope = await ports.store.scope();
  const entries = await withHistory(ports, [], async (history) =>
    (await history.entries({ noun: 'requisitions' })).filter(
      ({ endpoint }) => endpoint === createRequisition.id,
    ),
  );
  const isHere = (entry: Entry) => scope.ownershipOf(entry) === 'ours';
  if (ref === 'last') {
    const last = entries.find((entry) => isHere(entry) && wasCreated(entry));
    return { here: last, anywhere: undefined };
  }
  const named = entries.filter(({ id, created }) => id === ref.toLowerCase() || created === ref);
  return { here: named.find(isHere), anywhere: named[0] };
}

function wasCreated({ state }: Entry): boolean {
  return state === 'done' || state === 'adopted';
}

function payloadOf(entry: Entry): Earlier {
  const { value, issues } = check(createRequisition.body, entry.payload);
  if (value === undefined) {
    throw new ProcError(
      'invalid_input',
      `${entry.id} cannot be ordered again: ${[issues[0]!.field, issues[0]!.message].join(' ').trim()}${moreProblems(issues.length)}`,
      {
        hint: `Show it: proc history show ${inShell(entry.id)}`,
      },
    );
  }
  // The payload stays as it was sent. The caller warns about unknown fields.
  return { kind: 'payload', payload: entry.payload as Payload, title: value.title };
}
