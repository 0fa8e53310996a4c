import type { Context } from '../../context.ts';
import type { EndpointSpec } from '../../core/endpoint.ts';
import { ProcError } from '../../core/errors.ts';
import type { RecordResult, Row, ShownRequest } from '../../core/result.ts';
import { isSameValue } from '../../core/service/same-value.ts';
import type { Settled } from '../../write.ts';
import { ensureAskable, write } from '../../write.ts';
import { readAfter, readBefore } from './delete-record.ts';
import { recordName } from './references/record-name.ts';

interface Patch {
  readonly read: EndpointSpec;
  readonly patch: EndpointSpec;
  readonly id: string;
  readonly body: Row;
  /** @param name of the record before the change; its id if it was not read */
  readonly what: (name: string) => string;
}

export interface Patched {
  readonly before: Row | undefined;
  /** The record as the service returned it last; only the id if the response was empty. */
  readonly value: Row;
}

/**
 * Changes a record. Reads it first, shows what changes, and keeps the record before the change in history.
 *
 * @param then makes the result of the command
 */
export async function patchRecord(
  ctx: Context,
  sent: Patch,
  then: (patched: Patched) => RecordResult | Promise<RecordResult>,
): Promise<ShownRequest> {
  const { read, patch, id, body, what } = sent;
  const params = { id };
  await ensureAskable(ctx, patch, what(id));
  // A preview reads the record only if a person sees what changes.
  const isShown = ctx.io.terminal.interactive;
  const before = await readBefore(ctx, read, params, isShown);
  if (before !== undefined) {
    if (!ctx.flags.dryRun && differing(before, body).length === 0) {
      const text = 'Every field already has this value. Nothing was sent.';
      ctx.io.say({ kind: 'notice', text });
      return then({ before, value: before });
    }
    ctx.io.say({ kind: 'notice', text: changes(before, body) });
  }
  const named = {
    ...{ before, what: what(before === undefined ? id : recordName(before)) },
    settle: () => settled(ctx, sent, before),
  };
  return write(ctx, patch, { params, body }, named, (answer) => {
    const value = (answer as Row | undefined) ?? { id };
    const kept = Object.keys(body).filter(
      (field) =>
        Object.hasOwn(value, field) &&
        !isSameValue(body[field], value[field]) &&
        isSameValue(before?.[field], value[field]),
    );
    if (kept.length === 0) return then({ before, value });
    const message = `the service changed ${placeOf(sent)}, but not ${kept.join(', ')}`;
    throw new ProcError('refused', message, { details: { id, fields: kept } });
  });
}

function placeOf({ read, id }: Pick<Patch, 'read' | 'id'>): string {
  return read.path.slice(1).replace('{id}', id);
}

/** One read tells whether the change was made, if the record has all fields that were sent. */
async function settled(
  ctx: Context,
  sent: Patch,
  before: Row | undefined,
): Promise<Settled | undefined> {
  const { read, id, body } = sent;
  const now = await readAfter(ctx, read, { id });
  if (now === undefined || now === 'gone') return undefined;
  const fields = Object.keys(body);
  if (!fields.every((field) => Object.hasOwn(now, field))) return undefined;
  const isAs = (other: Row) => fields.every((field) => isSameValue(other[field], now[field]));
  const place = placeOf(sent);
  if (isAs(body)) return { is: 'done', seen: `${place} has the new values`, value: now };
  const isOld = before !== undefined && isAs(before);
  return isOld ? { is: 'not done', seen: `${place} still has the old values` } : undefined;
}

/** `name: Forks → Horquillas`, a line for each field that differs. */
function changes(before: Row, body: Row): string {
  const lines = differing(before, body).map((field) => {
    const old = Object.hasOwn(before, field)
      ? text(before[field])
      : '(not returned by the service)';
    return `${field}: ${old} → ${text(body[field])}`;
  });
  return lines.length === 0 ? 'Every field already has this value.' : lines.join('\n');
}

function differing(before: Row, body: Row): readonly string[] {
  return Object.keys(body).filter(
    (field) => JSON.stringify(before[field]) !== JSON.stringify(body[field]),
  );
}

function text(value: unknown): string {
  return typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
}
