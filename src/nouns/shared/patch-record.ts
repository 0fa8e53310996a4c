import type { EndpointSpec } from '../../core/endpoint.ts';
import type { Ports } from '../../core/ports.ts';
import type { RecordResult, Row, ShownRequest } from '../../core/result.ts';
import type { Phrase } from '../../core/text/phrase.ts';
import { recordName } from './references/record-name.ts';
import { sendPatch } from './send-patch.ts';

interface Patch {
  readonly read: EndpointSpec;
  readonly patch: EndpointSpec;
  readonly id: string;
  readonly body: Row;
  /** @param name of the record before the change; its id if it was not read */
  readonly what: (name: string) => Phrase;
  /** Fields that are sent with their current value if the user did not set them (`--merge`). */
  readonly whole?: readonly string[] | undefined;
  readonly isComposed?: boolean;
  readonly seen?: (now: Row) => void;
  /** A notice instead of the request, if the record has all values already. */
  readonly alreadySo?: string;
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
  { read, patch, id, body, what, whole = [], isComposed = false, seen, alreadySo }: Patch,
  then: (patched: Patched) => RecordResult | Promise<RecordResult>,
): Promise<ShownRequest> {
  const params = { id };
  const intent = { weight: 'patch', isComposed } as const;
  await ports.api.ensureAskable({ ...intent, what: what(id) });
  // A preview reads the record if the request needs its values (`--merge`), or if a person sees what
  // changes.
  const isShown = whole.length > 0 || ports.io.terminal.interactive || alreadySo !== undefined;
  const before = await ports.lookup.before(read, { params }, { isShown });
  if (before !== undefined) {
    if (alreadySo !== undefined && differing(before, body).length === 0) {
      ports.io.say({ kind: 'notice', text: alreadySo });
      return then({ before, value: before });
    }
    seen?.(before);
    ports.io.say({ kind: 'notice', text: changes(before, body) });
  }
  const kept = whole.flatMap((field): [string, unknown][] => {
    const value =
      before === undefined ? ports.lookup.placeholder(field, 'unchanged') : before[field];
    return value === undefined || value === null ? [] : [[field, value]];
  });
  const sent = { ...Object.fromEntries(kept), ...body };
  const name = before === undefined ? id : recordName(before);
  const named = { ...intent, what: what(name) };
  return sendPatch(ports, { read, patch, id, before, body: sent }, named, (value) =>
    then({ before, value: value ?? { id } }),
  );
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
