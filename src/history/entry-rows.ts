import { isObject } from '../core/is-object.ts';
import type { Column, Row } from '../core/result.ts';
import type { ShapeKit } from '../core/shape/output-shape.ts';
import type { Entry } from './entry.ts';

export const LIST_COLUMNS: readonly Column[] = [
  { key: 'id', header: 'ID', priority: 5 },
  { key: 'at', header: 'AT', kind: 'date', priority: 4 },
  { key: 'state', header: 'STATE', kind: 'status', priority: 4 },
  { key: 'title', header: 'TITLE', priority: 3 },
  { key: 'what', header: 'WHAT', priority: 2 },
  { key: 'created', header: 'CREATED', priority: 4 },
  { key: 'profile', header: 'PROFILE', priority: 0 },
  { key: 'environment', header: 'ENVIRONMENT', priority: 0 },
];

export const SHOW_COLUMNS: readonly Column[] = [
  { key: 'id', header: 'id' },
  { key: 'at', header: 'at', kind: 'date' },
  { key: 'state', header: 'state', kind: 'status' },
  { key: 'what', header: 'what' },
  { key: 'created', header: 'created' },
  { key: 'message', header: 'message' },
  { key: 'actor', header: 'actor' },
  { key: 'user', header: 'user' },
  { key: 'host', header: 'host' },
  { key: 'job', header: 'job' },
];

export function listRow(entry: Entry): Row {
  return {
    id: entry.id,
    at: new Date(entry.at).toISOString(),
    state: entry.state,
    noun: entry.noun,
    what: entry.what,
    title: titleOf(entry),
    created: entry.created ?? null,
    method: entry.method,
    path: entry.path,
    status: entry.status ?? null,
    message: entry.message ?? null,
    profile: entry.profile ?? null,
    environment: entry.environment ?? null,
    baseUrl: entry.baseUrl,
    organization: entry.organization,
    actor: entry.writer.actor,
    user: entry.writer.user,
    host: entry.writer.host,
    job: entry.writer.job ?? null,
    once: entry.once ?? null,
  };
}

export function wholeRow(entry: Entry): Row {
  return {
    ...listRow(entry),
    version: entry.writer.version,
    endpoint: entry.endpoint,
    requestId: entry.requestId ?? null,
    endedAt: iso(entry.endedAt),
    resolvedAt: iso(entry.resolvedAt),
    payload: entry.payload ?? null,
    before: entry.before ?? null,
    response: entry.response ?? null,
  };
}

/** How people call the record that was written, or else the first one that the sentence names. */
function titleOf({ payload, before, what }: Entry): string | null {
  const named = [before, payload].flatMap((one) =>
    isObject(one) ? [one.title, one.name, one.formattedAddress] : [],
  );
  const [, quoted] = /"([^"]+)"/.exec(what) ?? [];
  const title = [...named, quoted].find((one) => typeof one === 'string' && one !== '');
  return typeof title === 'string' ? title : null;
}

function iso(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString();
}

export function entryFields({ z, textOrNull, numberOrNull }: ShapeKit) {
  return {
    id: z.string(),
    at: z.string(),
    state: z.string(),
    noun: z.string(),
    what: z.string(),
    title: textOrNull,
    created: textOrNull,
    method: z.string(),
    path: z.string(),
    status: numberOrNull,
    message: textOrNull,
    profile: textOrNull,
    environment: textOrNull,
    baseUrl: z.string(),
    organization: textOrNull,
    actor: textOrNull,
    user: textOrNull,
    host: textOrNull,
    job: textOrNull,
  };
}

export function wholeEntry(kit: ShapeKit) {
  const { z, textOrNull, anyValue } = kit;
  return z.looseObject({
    ...entryFields(kit),
    version: textOrNull,
    endpoint: z.string(),
    requestId: textOrNull,
    endedAt: textOrNull,
    resolvedAt: textOrNull,
    payload: anyValue,
    before: anyValue,
    response: anyValue,
  });
}
