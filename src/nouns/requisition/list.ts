import { command } from '../../command.ts';
import { importedRequisitions } from '../../compose/earlier.ts';
import { isObject } from '../../core/is-object.ts';
import type { Column, Row } from '../../core/result.ts';
import type { Entry } from '../../history/entry.ts';
import { withHistory } from '../../history/history.ts';
import { LOCAL_CODES } from '../shared/exit-code-sets.ts';
import { createRequisition } from './index.ts';

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
    const scope = await ctx.scope();
    const rows = await withHistory<readonly Row[]>(ctx, [], async (history) => {
      const entries = await history.entries({ scope, noun: 'requisitions' });
      const single = entries.filter(({ endpoint }) => endpoint === createRequisition.id);
      return single.filter(({ state }) => !NOT_CREATED.has(state)).map(rowOf);
    });
    const imported = (await importedRequisitions(ctx)).map(({ id, run, at, payload }) => ({
      ...{ id, at: at === undefined ? null : new Date(at).toISOString() },
      ...{ ...partsOf(payload), state: 'done', from: run },
    }));
    return {
      kind: 'rows',
      columns: COLUMNS,
      rows: [...rows, ...imported].toSorted((a, b) => (String(a.at) < String(b.at) ? 1 : -1)),
      empty: 'No requisitions.',
    };
  },
});

const NOT_CREATED: ReadonlySet<Entry['state']> = new Set(['rejected', 'not-applied']);

function rowOf({ id, created, at, state, payload }: Entry): Row {
  return {
    ...{ id: created ?? null, at: new Date(at).toISOString() },
    ...{ ...partsOf(payload), state, from: id },
  };
}

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
