import type { Context } from '../context.ts';
import { ProcError } from '../core/errors.ts';
import { isObject } from '../core/json.ts';
import { check, show } from '../core/validate.ts';
import type { EntryState } from '../history/entry.ts';
import { withHistory } from '../history/history.ts';
import { createRequisition } from '../nouns/requisition/index.ts';
import { meantAmong, parseReference } from '../nouns/shared/references.ts';
import type { Payload } from './requisition-sheet.ts';

/** A requisition that was sent to this service and organization. */
interface Sent {
  /** Undefined if it was not created, or nobody knows whether it was. */
  readonly id: string | undefined;
  readonly state: EntryState;
  /** ms */
  readonly at: number;
  /** As it was sent; undefined after `imports prune`. */
  readonly payload: unknown;
  /** The history entry of a single command, or the run of an import. */
  readonly from: string;
}

const NOT_CREATED: ReadonlySet<EntryState> = new Set(['rejected', 'not-applied']);

/** The requisitions of single commands and imports that were or may have been created, newest first. */
export async function sentRequisitions(ctx: Context): Promise<readonly Sent[]> {
  const scope = await ctx.scope();
  return withHistory<readonly Sent[]>(ctx, [], async (history) => {
    const entries = await history.entries({ scope, noun: 'requisitions' });
    const single = entries
      .filter(({ endpoint, state }) => endpoint === createRequisition.id && !NOT_CREATED.has(state))
      .map(({ id: from, created: id, at, state, payload }) => ({ id, state, at, payload, from }));
    const rows = await history.sql.all(
      `SELECT n.name, r.id, r.sent_at, b.body FROM runs n
        JOIN rows r ON r.at >= n.number << 32 AND r.at < (n.number + 1) << 32 LEFT JOIN bodies b ON b.at = r.at
        WHERE n.place = ? AND n.noun = 'requisitions' AND r.state = 'created' ORDER BY r.at DESC`,
      scope.key,
    );
    const imported = rows.map((row) => ({
      ...{ id: row.id as string, state: 'done' as const, at: Number(row.sent_at) },
      ...{ payload: row.body && JSON.parse(row.body as string), from: row.name as string },
    }));
    return [...single, ...imported].toSorted((a, b) => b.at - a.at);
  });
}

/**
 * The requisition of this ledger that a reference means: its id or code, its history entry, or `last`.
 *
 * @throws ProcError `reference_not_found`, `ambiguous_reference`, `invalid_usage`
 */
async function sentAs(ref: string, ctx: Context): Promise<Sent | undefined> {
  const all = await sentRequisitions(ctx);
  if (ref === 'last') {
    const [last] = all;
    if (last?.id !== undefined) return last;
    throw last === undefined
      ? new ProcError('reference_not_found', 'no requisition was sent from this ledger')
      : new ProcError('reference_not_found', 'it is unknown whether the last one was created', {
          hint: `See what to do: proc history show ${last.from}`,
        });
  }
  const entry = all.find(({ from }) => from === ref.toLowerCase());
  if (entry !== undefined) return entry;
  const reference = parseReference('requisition', ref);
  const row = meantAmong(
    reference,
    all.map((sent) => ({
      ...{ id: sent.id, sent },
      code: isObject(sent.payload) ? sent.payload.code : undefined,
    })),
  );
  if (!(row instanceof ProcError)) return row.sent as Sent;
  // A bare word may be an id that this ledger does not know.
  if (row.code === 'reference_not_found' && reference.form === undefined) return undefined;
  throw row;
}

/** The id of a requisition for request paths. A requisition that this ledger does not know is named by its id. */
export async function requisitionId(ref: string, ctx: Context): Promise<string> {
  if (ref.startsWith('id=')) return parseReference('requisition', ref).text;
  return (await sentAs(ref, ctx))?.id ?? ref;
}

/** The payload of an earlier requisition, to order it again. */
export async function findEarlier(from: string, ctx: Context): Promise<Payload> {
  const sent = await sentAs(from, ctx);
  const { value } = check(createRequisition.body, sent?.payload);
  if (value !== undefined) return value;
  const why = sent === undefined ? 'history has no such requisition' : 'its payload was pruned';
  throw new ProcError('reference_not_found', `--from ${show(from)}: ${why}`, {
    hint: 'List the requisitions: proc requisition list',
  });
}
