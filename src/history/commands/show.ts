import { type Context, command } from '../../context.ts';
import { LOCAL_CODES } from '../../core/errors.ts';
import { isObject } from '../../core/json.ts';
import type { Block, Column, Row } from '../../core/result.ts';
import { inShell, kebab } from '../../core/wording.ts';
import { patchAddress } from '../../nouns/addresses/index.ts';
import { createRequisition } from '../../nouns/requisition/index.ts';
import { patchSector } from '../../nouns/sectors/index.ts';
import { columnsOf } from '../../output/cell.ts';
import { type Entry, subjectOf } from '../entry.ts';
import { rowOf, SHOW_COLUMNS } from '../entry-rows.ts';
import { ENTRY, findEntry } from './resolve.ts';

export const show = command({
  path: ['history', 'show'],
  changes: 'nothing',
  prints: 'record',
  summary: 'Show one entry in full: request, response, previous value',
  description: 'Of a patch, also the command that sets the earlier values again.',
  args: { id: { ...ENTRY.id, doc: `${ENTRY.id.doc} (default: last)`, optional: true } },
  examples: [
    { run: 'proc history show h-7k3mqd -o json', doc: 'with request, response and previous value' },
    { run: 'proc history show h-7k3mqd -q payload', doc: 'only the payload' },
  ],
  exitCodes: LOCAL_CODES,
  async run(ctx, args) {
    const entry = await findEntry(ctx, args.id ?? 'last');
    const earlier = earlierCommand(entry);
    const next =
      earlier === undefined ? [] : [{ command: earlier, why: 'Set the earlier values again' }];
    const value = { ...rowOf(entry, true), ...(next.length === 0 ? {} : { next }) };
    return {
      kind: 'record',
      columns: SHOW_COLUMNS,
      value,
      page: () => page(entry, value, earlier, ctx),
    };
  },
});

const REQUEST: readonly Column[] = [
  ...['method', 'path', 'status', 'requestId', 'profile', 'environment', 'once'],
].map((key) => ({ key, header: kebab(key).replace('-', ' ') }));

async function page(
  entry: Entry,
  value: Row,
  earlier: string | undefined,
  ctx: Context,
): Promise<readonly Block[]> {
  const columns = [...SHOW_COLUMNS, ...REQUEST].filter(({ key }) => (value[key] ?? null) !== null);
  const isRequisition = entry.endpoint === createRequisition.id;
  return [
    { record: { columns, value } },
    ...(isRequisition ? await sentGroups(entry, ctx) : part('Request', entry.payload)),
    ...part('Before', entry.before),
    ...(isRequisition ? [] : part('Response', entry.response)),
    ...(earlier === undefined
      ? []
      : [{ heading: 'Set the earlier values again', lines: [earlier] }]),
  ];
}

/** For a patch: the command that sets the values from before. Undefined if one of them is not known. */
function earlierCommand(entry: Entry): string | undefined {
  const { endpoint, noun, payload, before, profile, environment } = entry;
  const isPatch = endpoint === patchSector.id || endpoint === patchAddress.id;
  if (!isPatch || before === undefined || !isObject(payload)) return undefined;
  const fields = Object.keys(payload);
  const isKnown = fields.every((field) => typeof before[field] === 'string');
  if (fields.length === 0 || !isKnown) return undefined;
  const words = [
    ...['proc', noun, 'patch', `id=${subjectOf(entry)}`],
    ...fields.map((field) => `--${kebab(field)}=${before[field]}`),
    ...(profile === undefined ? [] : ['-p', profile]),
    ...(environment === undefined ? [] : ['-e', environment]),
  ];
  return words.map(inShell).join(' ');
}

async function sentGroups(entry: Entry, ctx: Context): Promise<readonly Block[]> {
  const { groupsPage } = await import('../../compose/review-table.ts');
  return groupsPage(entry.payload, ctx);
}

function part(heading: string, content: unknown): Block[] {
  if (content === undefined || content === null) return [];
  if (!isObject(content)) return [{ heading, lines: [JSON.stringify(content)] }];
  return [{ heading, record: { columns: columnsOf([content]), value: content } }];
}
