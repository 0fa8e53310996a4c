import type { Column, Row } from '../core/result.ts';
import type { Entry } from './entry.ts';

export const LIST_COLUMNS: readonly Column[] = [
  { key: 'id', header: 'ID', priority: 5 },
  { key: 'at', header: 'AT', kind: 'date', priority: 4 },
  { key: 'state', header: 'STATE', priority: 4 },
  { key: 'what', header: 'WHAT', priority: 3 },
  { key: 'created', header: 'CREATED', priority: 2 },
  { key: 'profile', header: 'PROFILE', priority: 0 },
  { key: 'environment', header: 'ENVIRONMENT', priority: 0 },
];

export const SHOW_COLUMNS: readonly Column[] = [
  ...['id', 'at', 'state', 'what', 'created', 'message', 'actor', 'user', 'host', 'job'],
].map((key) => ({ key, header: key, kind: key === 'at' ? 'date' : 'text' }));

const LISTED = [
  ...['id', 'at', 'state', 'noun', 'what', 'created', 'method', 'path', 'status'],
  ...['message', 'profile', 'environment', 'baseUrl', 'organization'],
  ...['actor', 'user', 'host', 'job', 'once'],
];
const WHOLE = [
  ...[...LISTED, 'version', 'endpoint', 'requestId', 'endedAt', 'resolvedAt'],
  ...['payload', 'before', 'response'],
];

/** Fields without a value are null. */
export function rowOf(entry: Entry, isWhole = false): Row {
  const { at, endedAt, resolvedAt, writer } = entry;
  const times = { at: iso(at), endedAt: iso(endedAt), resolvedAt: iso(resolvedAt) };
  const all: Row = { ...entry, ...writer, ...times };
  return Object.fromEntries((isWhole ? WHOLE : LISTED).map((key) => [key, all[key] ?? null]));
}

function iso(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString();
}
