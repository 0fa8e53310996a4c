import { command } from '../../core/command.ts';
import { isObject } from '../../core/is-object.ts';
import type { Column, Row } from '../../core/result.ts';
import { momentText, parseMoment } from '../../core/time/moment.ts';
import type { Entry } from '../../history/entry.ts';
import { withHistory } from '../../history/find-entry.ts';
import type { History } from '../../history/store.ts';
import { LOCAL_CODES } from '../shared/exit-code-sets.ts';
import { createRequisition } from './index.ts';

const COLUMNS: readonly Column[] = [
  { key: 'id', header: 'ID', priority: 4 },
  { key: 'title', header: 'TITLE', priority: 3 },
  { key: 'code', header: 'CODE', priority: 2 },
  { key: 'at', header: 'AT', kind: 'date', priority: 2 },
  { key: 'groups', header: 'GROUPS', kind: 'count' },
  { key: 'lines', header: 'LINES', kind: 'count' },
  { key: 'state', header: 'STATE', kind: 'status' },
  { key: 'from', header: 'FROM', priority: 0 },
];

export const list = command({
  path: ['requisition', 'list'],
  changes: 'nothing',
  prints: 'list',
  shape: ({ z, textOrNull, numberOrNull, list }) =>
    list(
      z.looseObject({
        ...{ id: textOrNull, title: textOrNull, code: textOrNull, at: textOrNull },
        ...{ groups: numberOrNull, lines: numberOrNull, state: z.string(), from: textOrNull },
      }),
    ),
  summary: 'List requisitions that were sent from this ledger, newest first',
  description:
    'The service cannot list requisitions, so proc lists those that its history has of this service and organization: from create, the wizard and imports. Sends no request.',
  flags: {
    since: { kind: 'string', value: 'when', doc: 'only those sent since then: 30d, 12h or a date' },
    limit: { kind: 'integer', min: 1, value: 'n', doc: 'print at most this many, the newest' },
  },
  examples: [
    { run: 'proc requisition list', doc: 'all of this service and organization' },
    { run: 'proc requisition list --since 30d -o id', doc: 'ids of the last 30 days' },
  ],
  exitCodes: LOCAL_CODES,
  needs: ['io', 'store', 'self'],
  async run({ flags }, ports) {
    const { clock } = ports.self;
    const since =
      flags.since === undefined ? undefined : parseMoment(flags.since, '--since', clock.now());
    if (since !== undefined) ports.io.say({ kind: 'notice', text: `Since ${momentText(since)}.` });
    const scope = await ports.store.scope();
    const rows = await withHistory<readonly Row[]>(ports, [], async (history) => {
      const entries = await history.entries({ noun: 'requisitions', since });
      const single = entries.filter(
        (entry) => entry.endpoint === createRequisition.id && scope.ownershipOf(entry) === 'ours',
      );
      const byHand = single.filter(({ state }) => !NOT_CREATED.has(state)).map(rowOf);
      return [...byHand, ...(await imported(history.sentRows(scope), since ?? 0))];
    });
    return {
      kind: 'rows',
      columns: COLUMNS,
      rows: rows.toSorted((a, b) => (String(a.at) < String(b.at) ? 1 : -1)),
      limit: flags.limit,
      empty: 'No requisitions.',
    };
  },
});

const NOT_CREATED: ReadonlySet<Entry['state']> = new Set(['rejected', 'not-applied']);

function rowOf({ id, created, at, state, payload }: Entry): Row {
  const { title = null, code = null, groups } = isObject(payload) ? payload : {};
  const all: readonly unknown[] = Array.isArray(groups) ? groups : [];
  const lines = all.flatMap((group) =>
    isObject(group) && Array.isArray(group.items) ? (group.items as unknown[]) : [],
  );
  return {
    ...{ id: created ?? null, title, code, at: new Date(at).toISOString() },
    ...{ groups: all.length, lines: lines.length, state, from: id },
  };
}

/** Requisitions of imports: the ledger keeps their ids, codes and titles. */
async function imported(sent: ReturnType<History['sentRows']>, since: number): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const batch of sent.created('requisitions', '')) {
    const creators = await sent.creators(
      'requisitions',
      batch.map(({ id }) => id),
    );
    const runs = new Map(creators.map((creator) => [creator.id, creator]));
    for (const { id, code, name } of batch) {
      const { run = null, finishedAt } = runs.get(id) ?? {};
      if ((finishedAt ?? Number.POSITIVE_INFINITY) < since) continue;
      const at = finishedAt === undefined ? null : new Date(finishedAt).toISOString();
      rows.push({
        ...{ id, title: name, code, at, groups: null, lines: null, state: 'done', from: run },
      });
    }
  }
  return rows;
}
