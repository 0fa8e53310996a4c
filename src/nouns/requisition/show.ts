import { sentRequisition } from '../../compose/earlier.ts';
import { command } from '../../core/command.ts';
import { ProcError } from '../../core/errors.ts';
import { isObject } from '../../core/is-object.ts';
import type { Ports } from '../../core/ports.ts';
import type { Column, Row } from '../../core/result.ts';
import { show as quoted } from '../../core/validate.ts';
import { type Entry, subjectOf } from '../../history/entry.ts';
import { withHistory } from '../../history/find-entry.ts';
import { READ_CODES } from '../shared/exit-code-sets.ts';
import { addGroup, removeGroup } from './api.ts';

const COLUMNS: readonly Column[] = [
  { key: 'id', header: 'ID' },
  { key: 'title', header: 'TITLE' },
  { key: 'state', header: 'STATE' },
  { key: 'at', header: 'AT', kind: 'date' },
];

export const show = command({
  path: ['requisition', 'show'],
  changes: 'nothing',
  prints: 'record',
  summary: 'Show a requisition that was sent from this machine',
  description:
    'The service cannot show requisitions, so proc shows what its history has: the requisition as it was sent, and the groups added and removed since then, with their ids (addedGroups). Sends no request.',
  args: {
    requisition: { doc: 'its id, its history entry, or "last"', suggest: ['last'] },
  },
  examples: [
    { run: 'proc requisition show last', doc: 'the newest one of this target' },
    { run: 'proc requisition show req-1 -q groups', doc: 'its groups as they were sent' },
  ],
  exitCodes: READ_CODES,
  needs: ['api', 'store', 'self'],
  async run({ args }, ports) {
    const { here, anywhere } = await sentRequisition(args.requisition, ports);
    const entry = here ?? anywhere;
    if (entry === undefined) throw notSent(args.requisition);
    const payload = isObject(entry.payload) ? entry.payload : {};
    const value = {
      ...payload,
      id: entry.created ?? null,
      state: entry.state,
      at: new Date(entry.at).toISOString(),
      addedGroups: await addedGroups(entry, ports),
      historyId: entry.id,
      profile: entry.profile ?? null,
      environment: entry.environment ?? null,
    };
    return { kind: 'record', columns: COLUMNS, value };
  },
});

/** The groups that this machine added to a requisition and did not remove again. */
async function addedGroups(
  { created, baseUrl, organization }: Entry,
  ports: Ports<'store' | 'self'>,
): Promise<readonly Row[]> {
  if (created === undefined) return [];
  const path = `/requisitions/${encodeURIComponent(created)}/groups`;
  const writes = await withHistory(ports, [], async (history) =>
    (await history.entries({ noun: 'requisitions' })).filter(
      (entry) =>
        (entry.state === 'done' || entry.state === 'adopted') &&
        entry.baseUrl === baseUrl &&
        entry.organization === organization,
    ),
  );
  const removed = new Set(
    writes
      .filter((entry) => entry.endpoint === removeGroup.id && entry.path.startsWith(`${path}/`))
      .map(subjectOf),
  );
  return writes
    .filter((entry) => entry.endpoint === addGroup.id && entry.path === path)
    .filter((entry) => !removed.has(entry.created))
    .map(({ created: id, payload }) => ({ id, ...(isObject(payload) ? payload : {}) }))
    .reverse();
}

function notSent(ref: string): ProcError {
  const what = ref === 'last' ? 'that was sent to this target' : `with the id ${quoted(ref)}`;
  return new ProcError('reference_not_found', `history has no requisition ${what}`, {
    hint: 'List them: proc history list --noun requisition',
  });
}
