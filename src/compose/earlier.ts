import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { ProcError } from '../core/errors.ts';
import type { Ports } from '../core/ports.ts';
import { inShell } from '../core/text/typed.ts';
import { check, moreProblems, show } from '../core/validate.ts';
import { type Entry, wasApplied } from '../history/entry.ts';
import { withHistory } from '../history/history.ts';
import { createRequisition } from '../nouns/requisition/index.ts';
import type { Payload } from './payload.ts';

export type Earlier =
  | { readonly kind: 'payload'; readonly payload: Payload; readonly title: string }
  | { readonly kind: 'file'; readonly file: string };

/**
 * Resolves the value of `--from`: `last`, the id of a requisition that a command or an import created, or of its
 * history entry, or a file with a payload.
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
  const [imported] = await importedRequisitions(ports, from);
  if (imported !== undefined) return payloadOfImported(imported);
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
async function sentRequisition(
  ref: string,
  ports: Ports<'api' | 'store' | 'self'>,
): Promise<{ readonly here: Entry | undefined; readonly anywhere: Entry | undefined }> {
  const scope = await ports.store.scope();
  const entries = await withHistory(ports, [], async (history) =>
    (await history.entries({ noun: 'requisitions' })).filter(
      ({ endpoint }) => endpoint === createRequisition.id,
    ),
  );
  const isHere = ({ place }: Entry) => place === scope.key;
  if (ref === 'last') {
    const last = entries.find((entry) => isHere(entry) && wasApplied(entry));
    return { here: last, anywhere: undefined };
  }
  const named = entries.filter(({ id, created }) => id === ref.toLowerCase() || created === ref);
  return { here: named.find(isHere), anywhere: named[0] };
}

function payloadOf(
  { id, payload }: Pick<Entry, 'id' | 'payload'>,
  hint = `Show it: proc history show ${inShell(id)}`,
): Earlier {
  const { value, issues } = check(createRequisition.body, payload);
  if (value === undefined) {
    throw new ProcError(
      'invalid_input',
      `${id} cannot be ordered again: ${[issues[0]!.field, issues[0]!.message].join(' ').trim()}${moreProblems(issues.length)}`,
      { hint },
    );
  }
  // The payload stays as it was sent. The caller warns about unknown fields.
  return { kind: 'payload', payload: payload as Payload, title: value.title };
}

interface Imported {
  readonly id: string;
  readonly run: string;
  /** The end of the run, in ms. Undefined if it has not ended. */
  readonly at: number | undefined;
  /** As it was sent; undefined after `imports prune`. */
  readonly payload: unknown;
}

function payloadOfImported({ id, run, payload }: Imported): Earlier {
  if (payload !== undefined)
    return payloadOf({ id, payload }, `Show it: proc imports rows ${inShell(run)}`);
  throw new ProcError(
    'reference_not_found',
    `${id} cannot be ordered again: the rows of its import ${run} were pruned`,
    { hint: 'Use a file with a payload: --from FILE.json' },
  );
}

/**
 * The requisitions that imports created on this service and organization.
 *
 * @param only only the one with this id
 */
export async function importedRequisitions(
  ports: Ports<'store' | 'self'>,
  only?: string,
): Promise<readonly Imported[]> {
  const scope = await ports.store.scope();
  return withHistory<readonly Imported[]>(ports, [], async ({ sql }) => {
    const rows = await sql.all(
      `SELECT n.name, n.finished_at, r.id, b.body FROM runs n
        JOIN rows r ON r.at >= n.number << 32 AND r.at < (n.number + 1) << 32 LEFT JOIN bodies b ON b.at = r.at
        WHERE n.place = ? AND n.noun = 'requisitions' AND r.state = 'created' AND r.id IS NOT NULL
          ${only === undefined ? '' : 'AND r.id = ?'} ORDER BY r.at DESC`,
      ...[scope.key, ...(only === undefined ? [] : [only])],
    );
    return rows.map((row) => ({
      ...{ id: row.id as string, run: row.name as string },
      at: row.finished_at === null ? undefined : Number(row.finished_at),
      payload: row.body === null ? undefined : JSON.parse(row.body as string),
    }));
  });
}
