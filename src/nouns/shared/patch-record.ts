import type { Context } from '../../context.ts';
import type { EndpointSpec } from '../../core/endpoint.ts';
import { isSignalled, ProcError } from '../../core/errors.ts';
import { isSameValue } from '../../core/json.ts';
import { textOf } from '../../core/numbers.ts';
import type { RecordResult, Row } from '../../core/result.ts';
import { ensureAskable, type Settled, write } from '../../write.ts';
import { bodyFields, readBody } from './body.ts';
import { recordName } from './references.ts';

/** A kind of records that the service shows and changes one by one. */
export interface Changeable {
  readonly noun: 'sector' | 'address';
  readonly read: EndpointSpec;
  /** What references mean: rows that have at least the id. */
  readonly resolve: (refs: readonly string[]) => Promise<(ref: string) => Row>;
}

interface Patched {
  readonly before: Row | undefined;
  readonly body: Row;
  /** The record as the service returned it last; only the id if the response was empty. */
  readonly value: Row;
}

/**
 * Changes a record by flags and a file: shows what changes, and keeps the record before the change in history.
 *
 * @param then makes the result of the command
 */
export async function patchRecord(
  ctx: Context,
  ref: string,
  flags: Readonly<Record<string, unknown>> & { readonly file: string | undefined },
  { noun, read, resolve, patch }: Changeable & { readonly patch: EndpointSpec },
  then: (patched: Patched) => RecordResult,
): Promise<RecordResult> {
  const fields = bodyFields(patch, flags);
  const body = (await readBody(ctx, patch, { file: flags.file, fields })).value as unknown as Row;
  const changed = Object.keys(body);
  if (changed.length === 0)
    throw new ProcError('invalid_usage', 'no fields to change', {
      hint: `The flags of the fields: proc ${patch.id.replace('.', ' ')} --help`,
    });
  const what = (name: string) => `change ${changed.join(', ')} of ${noun} ${name}`;
  await ensureAskable(ctx, patch, what(ref));
  const known = (await resolve([ref]))(ref);
  const id = textOf(known.id)!;
  const before = await readBefore(ctx, read, known);
  if (before !== undefined) {
    const lines = changes(before, body);
    const text = lines.join('\n') || 'Every field already has this value.';
    const isSent = ctx.flags.dryRun || lines.length > 0;
    ctx.io.say({ kind: 'notice', text: isSent ? text : `${text} Nothing was sent.` });
    if (!isSent) return then({ before, body, value: before });
  }
  const intent = {
    ...{ before, what: what(before === undefined ? id : recordName(before)) },
    settle: () => settled(ctx, read, id, body, before),
  };
  return write(ctx, patch, { params: { id }, body }, intent, (answer) => {
    const value = (answer as Row | undefined) ?? { id };
    const kept = changed.filter(
      (field) =>
        Object.hasOwn(value, field) &&
        !isSameValue(body[field], value[field]) &&
        isSameValue(before?.[field], value[field]),
    );
    if (kept.length === 0) return then({ before, body, value });
    const message = `the service changed ${placeOf(read, id)}, but not ${kept.join(', ')}`;
    throw new ProcError('refused', message, { details: { id, fields: kept } });
  });
}

/** One read tells whether a patch was made, if the record has all fields that were sent. */
async function settled(
  ctx: Context,
  read: EndpointSpec,
  id: string,
  body: Row,
  before: Row | undefined,
): Promise<Settled | undefined> {
  const now = await readAfter(ctx, read, { id });
  if (now === undefined || now === 'gone') return undefined;
  const fields = Object.keys(body);
  if (!fields.every((field) => Object.hasOwn(now, field))) return undefined;
  const isAs = (other: Row) => fields.every((field) => isSameValue(other[field], now[field]));
  const place = placeOf(read, id);
  if (isAs(body)) return { is: 'done', seen: `${place} has the new values`, value: now };
  const isOld = before !== undefined && isAs(before);
  return isOld ? { is: 'not done', seen: `${place} still has the old values` } : undefined;
}

/** `name: Forks → Horquillas`, for each field that differs. */
function changes(before: Row, body: Row): readonly string[] {
  const text = (value: unknown) =>
    typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
  return Object.entries(body)
    .filter(([field, value]) => JSON.stringify(before[field]) !== JSON.stringify(value))
    .map(([field, value]) => {
      const isKnown = Object.hasOwn(before, field);
      return `${field}: ${isKnown ? text(before[field]) : '(not returned by the service)'} → ${text(value)}`;
    });
}

export function placeOf({ path }: EndpointSpec, id: string): string {
  return path.slice(1).replace('{id}', id);
}

/** The record of which at least the id is known. A dry run reads it only for a person to see, and if there is a key. */
export async function readBefore(
  ctx: Context,
  read: EndpointSpec,
  known: Row,
): Promise<Row | undefined> {
  if (Object.keys(known).length > 1) return known;
  const isSeen = ctx.io.terminal.interactive && (await ctx.http().canRead());
  if (ctx.flags.dryRun && !isSeen) return undefined;
  return (await ctx.http().call(read, { params: { id: textOf(known.id)! } })) as Row;
}

const GONE = 410;

/** Reads after a write whose outcome is unknown. Undefined if the read fails. */
export async function readAfter(
  ctx: Context,
  read: EndpointSpec,
  params: Readonly<Record<string, string>>,
): Promise<Row | 'gone' | undefined> {
  try {
    return (await ctx.http().call(read, { params })) as Row;
  } catch (thrown) {
    if (!(thrown instanceof ProcError) || isSignalled(thrown)) throw thrown;
    return thrown.code === 'not_found' || thrown.status === GONE ? 'gone' : undefined;
  }
}
