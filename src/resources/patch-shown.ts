import type { Context, WriteIntent } from '../core/command.ts';
import type { EndpointSpec } from '../core/endpoint.ts';
import type { Phrase } from '../core/phrase.ts';
import type { Row } from '../core/result.ts';

interface Patch {
  readonly read: EndpointSpec;
  readonly patch: EndpointSpec;
  readonly id: string;
  readonly body: Row;
  readonly what: Phrase;
  /** These fields are sent whole, as read where they were not given (`--merge`). */
  readonly whole?: readonly string[] | undefined;
}

export interface Patched {
  /** As read before; undefined where nothing is sent. */
  readonly before: Row | undefined;
  /** What the service answered; the id alone where it answered nothing. */
  readonly value: Row;
}

/**
 * Changes a record: reads it first (a 404 ends it there), shows each field before and after, and
 * keeps the copy in history. Where nobody could confirm, it ends before any request.
 */
export async function patchShown(ctx: Context, patch: Patch): Promise<Patched> {
  const { read, id, body, what, whole = [] } = patch;
  const params = { id };
  const intent: WriteIntent = { what, weight: 'patch' };
  await ctx.ensureAskable(intent);
  if (ctx.previewing) {
    const unread = Object.fromEntries(whole.map((field) => [field, `<${field} as it is>`]));
    await ctx.callAny(patch.patch, { params, body: { ...unread, ...body } });
  }
  const before = (await ctx.callAny(read, { params })) as Row;
  ctx.say({ kind: 'notice', text: changes(before, body) });
  const kept = whole
    .filter((field) => before[field] !== undefined && before[field] !== null)
    .map((field) => [field, before[field]] as const);
  const sent = { ...Object.fromEntries(kept), ...body };
  const value = await ctx.callAny(patch.patch, { params, body: sent }, { ...intent, before });
  return { before, value: (value as Row | undefined) ?? { id } };
}

/** `name: Forks → Horquillas`, a line for each field that differs. */
function changes(before: Row, body: Row): string {
  const lines = Object.entries(body)
    .filter(([field, value]) => JSON.stringify(before[field]) !== JSON.stringify(value))
    .map(([field, value]) => {
      const old = Object.hasOwn(before, field) ? text(before[field]) : '(not shown by the service)';
      return `${field}: ${old} → ${text(value)}`;
    });
  return lines.length === 0 ? 'Every field has this value already.' : lines.join('\n');
}

function text(value: unknown): string {
  return typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
}
