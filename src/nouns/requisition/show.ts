import { importedRequisitions, sentRequisition } from '../../compose/earlier.ts';
import { command } from '../../core/command.ts';
import { ProcError } from '../../core/errors.ts';
import { isObject } from '../../core/is-object.ts';
import type { Ports } from '../../core/ports.ts';
import type { Block, Column, Row } from '../../core/result.ts';
import { show as quoted } from '../../core/validate.ts';
import type { Entry } from '../../history/entry.ts';
import { READ_CODES } from '../shared/exit-code-sets.ts';
import { type KnownParts, knownParts } from './known-parts.ts';

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
  shape: ({ z, textOrNull, record }) =>
    record(
      z.looseObject({
        id: textOrNull,
        state: z.string(),
        at: textOrNull,
        addedGroups: z.array(
          z.looseObject({ id: z.string(), items: z.array(z.looseObject({ id: z.string() })) }),
        ),
        historyId: textOrNull,
        run: textOrNull,
        profile: textOrNull,
        environment: textOrNull,
      }),
      'Also the fields of the requisition as it was sent.',
    ),
  summary: 'Show a requisition that was sent from this machine',
  description:
    'The service cannot show requisitions, so proc shows what its history and the files of imports have: the requisition as it was sent, and the groups and lines added and removed since then, with their ids (addedGroups). On a terminal proc reads the names of its items.',
  args: {
    requisition: { doc: 'its id, its history entry, or "last"', from: 'proc requisition list' },
  },
  examples: [
    { run: 'proc requisition show last', doc: 'the newest one of this target' },
    { run: 'proc requisition show req-1 -q groups', doc: 'its groups as they were sent' },
  ],
  exitCodes: READ_CODES,
  needs: ['io', 'api', 'lookup', 'store', 'self'],
  async run({ args }, ports) {
    const { here, anywhere } = await sentRequisition(args.requisition, ports);
    const entry = here ?? anywhere;
    const sent: Sent | undefined = entry ?? (await imported(args.requisition, ports));
    if (sent === undefined) throw notSent(args.requisition);
    const payload = isObject(sent.payload) ? sent.payload : {};
    const isThere =
      entry &&
      ((one: Entry) => one.baseUrl === entry.baseUrl && one.organization === entry.organization);
    const { groups } =
      sent.created === undefined ? { groups: [] } : await knownParts(sent.created, ports, isThere);
    const value = {
      ...payload,
      id: sent.created ?? null,
      state: sent.state,
      at: sent.at === undefined ? null : new Date(sent.at).toISOString(),
      addedGroups: groups.map(({ id, fields, lines }) => ({ id, ...fields, items: lines })),
      historyId: entry?.id ?? null,
      run: sent.run ?? null,
      profile: sent.profile ?? null,
      environment: sent.environment ?? null,
    };
    return {
      kind: 'record',
      columns: COLUMNS,
      value,
      page: () => page(sent, value, groups, ports),
    };
  },
});

type Sent = Pick<Entry, 'payload' | 'created' | 'state' | 'profile' | 'environment' | 'baseUrl'> & {
  readonly at: number | undefined;
  readonly run?: string;
};

/** A requisition that an import created at the current target. */
async function imported(
  id: string,
  ports: Ports<'api' | 'store' | 'self'>,
): Promise<Sent | undefined> {
  const [found] = await importedRequisitions(ports, { id });
  if (found === undefined) return undefined;
  const { profile, environment, baseUrl } = await ports.api.target();
  return { ...found, created: id, state: 'done', profile, environment, baseUrl };
}

const TABLE: readonly Column[] = [
  { key: 'id', header: 'ID' },
  { key: 'title', header: 'TITLE' },
  { key: 'type', header: 'TYPE' },
  { key: 'sector', header: 'SECTOR' },
  { key: 'code', header: 'CODE' },
  { key: 'state', header: 'STATE', kind: 'status' },
  { key: 'at', header: 'AT', kind: 'date' },
  { key: 'historyId', header: 'HISTORY ID' },
  { key: 'run', header: 'RUN' },
  { key: 'target', header: 'SENT TO' },
];

async function page(
  sent: Sent,
  value: Row,
  groups: KnownParts['groups'],
  ports: Ports<'io' | 'api' | 'lookup' | 'store' | 'self'>,
): Promise<readonly Block[]> {
  const { profile, environment, baseUrl } = sent;
  const target = [profile, environment].filter(Boolean).join(' · ') || baseUrl;
  const record = { ...value, target };
  const columns = TABLE.filter(({ key }) => (record[key as keyof typeof record] ?? null) !== null);
  const { groupsPage } = await import('../../compose/review-table.ts');
  return [
    { record: { columns, value: record } },
    ...(await groupsPage(sent.payload, groups, ports)),
  ];
}

function notSent(ref: string): ProcError {
  const what = ref === 'last' ? 'that was sent to this target' : `with the id ${quoted(ref)}`;
  return new ProcError('reference_not_found', `history has no requisition ${what}`, {
    hint: 'List them: proc requisition list',
  });
}
