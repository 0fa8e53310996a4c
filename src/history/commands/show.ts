import { command } from '../../core/command.ts';
import { isObject } from '../../core/is-object.ts';
import type { Ports } from '../../core/ports.ts';
import type { Block, Column, Row } from '../../core/result.ts';
import { createRequisition } from '../../nouns/requisition/index.ts';
import { LOCAL_CODES } from '../../nouns/shared/exit-code-sets.ts';
import { columnsOf } from '../../output/format/cell.ts';
import type { Entry } from '../entry.ts';
import { SHOW_COLUMNS, wholeEntry, wholeRow } from '../entry-rows.ts';
import { findEntry } from '../find-entry.ts';
import { ENTRY } from './entry-flags.ts';

export const show = command({
  path: ['history', 'show'],
  changes: 'nothing',
  prints: 'record',
  shape: (kit) => kit.record(wholeEntry(kit)),
  summary: 'Show one entry in full: request, response, previous value',
  args: ENTRY,
  examples: [
    { run: 'proc history show h-7k3mqd -o json', doc: 'with request, response and previous value' },
    { run: 'proc history show h-7k3mqd -q payload', doc: 'only the payload' },
  ],
  exitCodes: LOCAL_CODES,
  needs: ['io', 'lookup', 'store', 'self'],
  async run({ args }, ports) {
    const entry = await findEntry(ports, args.id);
    const value = wholeRow(entry);
    return {
      kind: 'record',
      columns: SHOW_COLUMNS,
      value,
      page: () => page(entry, value, ports),
    };
  },
});

const REQUEST: readonly Column[] = [
  { key: 'method', header: 'method' },
  { key: 'path', header: 'path' },
  { key: 'status', header: 'status' },
  { key: 'requestId', header: 'request id' },
  { key: 'profile', header: 'profile' },
  { key: 'environment', header: 'environment' },
  { key: 'once', header: 'once' },
];

async function page(
  entry: Entry,
  value: Row,
  ports: Ports<'io' | 'lookup' | 'store' | 'self'>,
): Promise<readonly Block[]> {
  const columns = [...SHOW_COLUMNS, ...REQUEST].filter(({ key }) => (value[key] ?? null) !== null);
  const isRequisition = entry.endpoint === createRequisition.id;
  return [
    { record: { columns, value } },
    ...(isRequisition ? await sentGroups(entry, ports) : part('Request', entry.payload)),
    ...part('Before', entry.before),
    ...(isRequisition ? [] : part('Response', entry.response)),
  ];
}

async function sentGroups(
  entry: Entry,
  ports: Ports<'io' | 'lookup' | 'store' | 'self'>,
): Promise<readonly Block[]> {
  const { groupsPage } = await import('../../compose/review-table.ts');
  return groupsPage(entry.payload, ports);
}

function part(heading: string, content: unknown): Block[] {
  if (content === undefined || content === null) return [];
  if (!isObject(content)) return [{ heading, lines: [JSON.stringify(content)] }];
  return [{ heading, record: { columns: columnsOf([content]), value: content } }];
}
