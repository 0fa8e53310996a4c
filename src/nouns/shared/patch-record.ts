import type { EndpointSpec } from '../../core/endpoint.ts';
import type { Ports, WriteIntent } from '../../core/ports.ts';
import type { RecordResult, Row, ShownRequest } from '../../core/result.ts';
import type { Phrase } from '../../core/text/phrase.ts';
import { sendPatch } from './send-patch.ts';

interface Patch {
  readonly read: EndpointSpec;
  readonly patch: EndpointSpec;
  readonly id: string;
  readonly body: Row;
  readonly what: Phrase;
  /** Fields that are sent with their current value if the user did not set them (`--merge`). */
  readonly whole?: readonly string[] | undefined;
  readonly isComposed?: boolean;
  readonly seen?: (now: Row) => void;
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
  ports: Ports<'io' | 'api' | 'lookup'>,
  { read, patch, id, body, what, whole = [], isComposed = false, seen }: Patch,
  then: (patched: Patched) => RecordResult | Promise<RecordResult>,
): Promise<ShownRequest> {
  const params = { id };
  const intent: WriteIntent = { what, weight: 'patch', isComposed };
  await ports.api.ensureAskable(intent);
  // A preview reads the record if the request needs its values (`--merge`), or if a person sees what
  // changes.
  const isShown = whole.length > 0 || ports.io.terminal.interactive;
  const before = await ports.lookup.before(read, { params }, { isShown });
  if (before !== undefined) {
    seen?.(before);
    ports.io.say({ kind: 'notice', text: changes(before, body) });
  }
  const kept = whole.flatMap((field): [string, unknown][] => {
    const value =
      before === undefined ? ports.lookup.placeholder(field, 'unchanged') : before[field];
    return value === undefined || value === null ? [] : [[field, value]];
  });
  const sent = { ...Object.fromEntries(kept), ...body };
  return sendPatch(ports, { read, patch, id, before, body: sent }, intent, (value) =>
    then({ before, value: value ?? { id } }),
  );
}

/** `name: Forks → Horquillas`, a line for each field that differs. */
function changes(before: Row, body: Row): string {
  const lines = Object.entries(body)
    .filter(([field, value]) => JSON.stringify(before[field]) !== JSON.stringify(value))
    .map(([field, value]) => {
      const old = Object.hasOwn(before, field)
        ? text(before[field])
        : '(not returned by the service)';
      return `${field}: ${old} → ${text(value)}`;
    });
  return lines.length === 0 ? 'Every field already has this value.' : lines.join('\n');
}

function text(value: unknown): string {
  return typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
}
