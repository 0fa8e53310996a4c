import type { Context } from '../context.ts';
import { ProcError } from '../core/errors.ts';
import { inShell } from '../core/text/typed.ts';
import { check, moreProblems, show } from '../core/validate.ts';
import { type Entry, wasApplied } from '../history/entry.ts';
import { withHistory } from '../history/history.ts';
import { createRequisition } from '../nouns/requisition/index.ts';
import type { Payload } from './requisition-sheet.ts';

/**
 * The requisition that `--from` names: `last`, the id of a requisition that a command or an import created, or of its
 * history entry.
 *
 * @throws ProcError `reference_not_found`, `invalid_usage`, `invalid_input`
 */
export async function findEarlier(from: string, ctx: Context): Promise<Payload> {
  const scope = await ctx.scope();
  const isHere = ({ place }: Entry) => place === scope.key;
  const created = await createdRequisitions(ctx);
  if (from === 'last') {
    const last = created.find((entry) => isHere(entry) && wasApplied(entry));
    if (last !== undefined) return checked(last.id, last.payload);
    const hint = 'Create one: proc requisition wizard';
    const message = 'history has no requisition that was sent to this target';
    throw new ProcError('reference_not_found', message, { hint });
  }
  const named = created.filter((one) => one.id === from.toLowerCase() || one.created === from);
  const here = named.find(isHere);
  if (here !== undefined) return checked(here.id, here.payload);
  const [imported] = await importedRequisitions(ctx, from);
  if (imported !== undefined) return checked(from, imported.payload, imported.run);
  if (named[0] !== undefined) {
    throw new ProcError(
      'invalid_usage',
      `${from} was sent to ${named[0].organization}; its items and addresses are not valid for the current target`,
      { hint: 'Select its target with --profile and --env' },
    );
  }
  const message = `--from ${show(from)}: history has no such requisition`;
  const hint = 'List the requisitions: proc requisition list';
  throw new ProcError('reference_not_found', message, { hint });
}

/** The entries of requisitions that single commands created, newest first, of all places. */
async function createdRequisitions(ctx: Context): Promise<readonly Entry[]> {
  return withHistory(ctx, [], async (history) =>
    (await history.entries({ noun: 'requisitions' })).filter(
      ({ endpoint }) => endpoint === createRequisition.id,
    ),
  );
}

/** @param run the import that created it; its rows may be pruned */
function checked(id: string, sent: unknown, run?: string): Payload {
  if (run !== undefined && sent === undefined) {
    const message = `${id} cannot be ordered again: the rows of its import ${run} were pruned`;
    throw new ProcError('reference_not_found', message, {
      hint: 'Order it with flags or a file: proc requisition create --help',
    });
  }
  const { value, issues } = check(createRequisition.body, sent);
  if (value !== undefined) return value;
  const [{ field, message }] = issues as [(typeof issues)[number]];
  const show =
    run === undefined ? `proc history show ${inShell(id)}` : `proc imports rows ${inShell(run)}`;
  throw new ProcError(
    'invalid_input',
    `${id} cannot be ordered again: ${[field, message].join(' ').trim()}${moreProblems(issues.length)}`,
    { hint: `Show it: ${show}` },
  );
}

interface Imported {
  readonly id: string;
  readonly run: string;
  /** The end of the run, in ms. Undefined if it has not ended. */
  readonly at: number | undefined;
  /** As it was sent; undefined after `imports prune`. */
  readonly payload: unknown;
}

/**
 * The requisitions that imports created on this service and organization.
 *
 * @param only only the one with this id
 */
export async function importedRequisitions(
  ctx: Context,
  only?: string,
): Promise<readonly Imported[]> {
  const scope = await ctx.scope();
  return withHistory<readonly Imported[]>(ctx, [], async ({ sql }) => {
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
