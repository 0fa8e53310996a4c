import { sentRequisitions } from '../../compose/earlier.ts';
import { command } from '../../context.ts';
import { LOCAL_CODES } from '../../core/errors.ts';
import { isObject } from '../../core/json.ts';
import type { Column, Row } from '../../core/result.ts';

const COLUMNS: readonly Column[] = [
  { key: 'id', header: 'ID', priority: 4 },
  { key: 'title', header: 'TITLE', priority: 3 },
  { key: 'code', header: 'CODE', priority: 2 },
  { key: 'at', header: 'AT', kind: 'date', priority: 2 },
  { key: 'groups', header: 'GROUPS', kind: 'count' },
  { key: 'lines', header: 'LINES', kind: 'count' },
  { key: 'state', header: 'STATE' },
  { key: 'from', header: 'FROM', priority: 0 },
];

export const list = command({
  path: ['requisition', 'list'],
  changes: 'nothing',
  prints: 'list',
  summary: 'List requisitions that were sent from this ledger, newest first',
  description:
    'The service cannot list requisitions, so proc lists those that its history has of this service and organization: from create, the wizard and imports. Sends no request.',
  examples: [
    { run: 'proc requisition list', doc: 'all of this service and organization' },
    { run: 'proc requisition list --limit 5 -o id', doc: 'ids of the last five' },
  ],
  exitCodes: LOCAL_CODES,
  async run(ctx) {
    const rows = (await sentRequisitions(ctx)).map(({ id = null, at, state, payload, from }) => ({
      ...{ id, at: new Date(at).toISOString(), ...partsOf(payload), state, from },
    }));
    return { kind: 'rows', columns: COLUMNS, rows, empty: 'No requisitions.' };
  },
});

/** Title and code of a requisition as it was sent, and the numbers of its groups and lines. */
function partsOf(payload: unknown): Row {
  if (!isObject(payload)) return { title: null, code: null, groups: null, lines: null };
  const { title = null, code = null } = payload;
  const groups: readonly unknown[] = Array.isArray(payload.groups) ? payload.groups : [];
  const lines = groups.flatMap((group) =>
    isObject(group) && Array.isArray(group.items) ? (group.items as unknown[]) : [],
  );
  return { title, code, groups: groups.length, lines: lines.length };
}
