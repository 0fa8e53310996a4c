import { isObject } from '../core/json.ts';

const MOST = 500;

/** What was sent to a place (twice its key) about requisitions, by single writes and by imports; last sent first. */
export const SENT = `SELECT at, request AS sent FROM entries
    WHERE place = ? AND noun = 'requisitions' AND state IN ('done', 'adopted')
  UNION ALL SELECT COALESCE(n.finished_at, n.begun_at), b.body FROM runs n
    JOIN rows r ON r.at >= n.number << 32 AND r.at < (n.number + 1) << 32 JOIN bodies b ON b.at = r.at
    WHERE n.place = ? AND n.noun = 'requisitions' AND r.state = 'created'
  ORDER BY 1 DESC LIMIT ${MOST}`;

/** Ids of the addresses in what was sent, each once. The service cannot list addresses. */
export function addressesIn(rows: readonly Readonly<Record<string, unknown>>[]): readonly string[] {
  const ids = new Set<string>();
  for (const { sent } of rows) {
    const body: unknown = JSON.parse(String(sent));
    const payload = isObject(body) && 'payload' in body ? body.payload : body;
    if (!isObject(payload)) continue;
    const groups: readonly unknown[] = Array.isArray(payload.groups) ? payload.groups : [];
    for (const part of [payload, ...groups])
      if (isObject(part) && typeof part.addressId === 'string') ids.add(part.addressId);
  }
  return [...ids];
}
