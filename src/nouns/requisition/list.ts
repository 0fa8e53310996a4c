import { command } from '../../core/command.ts';
import { isSignalled } from '../../core/errors.ts';
import { isObject } from '../../core/is-object.ts';
import type { SelfPort } from '../../core/ports.ts';
import type { Column, Row } from '../../core/result.ts';
import { momentText, parseMoment } from '../../core/time/moment.ts';
import type { Entry } from '../../history/entry.ts';
import { withHistory } from '../../history/find-entry.ts';
import type { History } from '../../history/store.ts';
import { Journal } from '../../import/ledger/journal.ts';
import { importsFolder, journalPath } from '../../import/ledger/runs.ts';
import { LOCAL_CODES } from '../shared/exit-code-sets.ts';
import { createRequisition, IMPORTED_AS } from './index.ts';

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
      return [...byHand, ...(await imported(history.sentRows(scope), since ?? 0, ports.self))];
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

/** Requisitions of imports: the ledger keeps their ids, and the file of the run what was sent. */
async function imported(
  sent: ReturnType<History['sentRows']>,
  since: number,
  self: SelfPort,
): Promise<Row[]> {
  const rows: Row[] = [];
  const bodies = new Map<string, ReadonlyMap<string, Row>>();
  for await (const batch of sent.created(IMPORTED_AS, '')) {
    const creators = await sent.creators(
      IMPORTED_AS,
      batch.map(({ id }) => id),
    );
    for (const { id, run, finishedAt } of creators) {
      if ((finishedAt ?? Number.POSITIVE_INFINITY) < since) continue;
      if (!bodies.has(run)) bodies.set(run, await createdBy(run, self));
      const at = finishedAt === undefined ? null : new Date(finishedAt).toISOString();
      const parts = bodies.get(run)!.get(id) ?? partsOf(undefined);
      rows.push({ id, at, ...parts, state: 'done', from: run });
    }
  }
  return rows;
}

/** By id. Empty if the file of the run is gone, damaged or on another machine. */
async function createdBy(run: string, self: SelfPort): Promise<ReadonlyMap<string, Row>> {
  const created = new Map<string, Row>();
  try {
    const journal = await Journal.read(journalPath(importsFolder(self), run));
    try {
      for (const { id, body } of journal.rows.reported.withRecords('created')) {
        if (id !== null && body !== null) created.set(id, partsOf(JSON.parse(body)));
      }
    } finally {
      journal.close();
    }
  } catch (thrown) {
    if (isSignalled(thrown)) throw thrown;
  }
  return created;
}
