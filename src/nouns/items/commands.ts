import { command } from '../../core/command.ts';
import { ProcError } from '../../core/errors.ts';
import { EXIT } from '../../core/exit-codes.ts';
import type { Row } from '../../core/result.ts';
import { phrase } from '../../messages/writes.ts';
import { bodyFields, bodyFlags } from '../shared/body-flags.ts';
import { READ_CODES, WRITE_CODES } from '../shared/exit-code-sets.ts';
import { FILE_FLAG } from '../shared/file-flag.ts';
import { listFlags, listRows } from '../shared/list-command.ts';
import { createItem, listItems } from './api.ts';
import { ITEM_COLUMNS } from './columns.ts';

const list = command({
  path: ['items', 'list'],
  changes: 'nothing',
  prints: 'list',
  summary: 'List the items of the catalogue',
  description:
    'Without --limit, --where or --all this is one request without paging parameters: the service decides how many rows it sends. --where reads the whole list, unless --offset or --page-size says which part.',
  flags: listFlags(['name', 'code']),
  examples: [
    { run: 'proc items list', doc: 'the first page, as the service sends it' },
    { run: 'proc items list --all -o id', doc: 'the id of every item' },
  ],
  exitCodes: [...READ_CODES, EXIT.incomplete],
  endpoints: [listItems],
  handler: ({ flags }, ctx) =>
    listRows(ctx, listItems, flags, { columns: ITEM_COLUMNS, noun: 'items', stableSort: 'code' }),
});

const find = command({
  path: ['items', 'find'],
  changes: 'nothing',
  prints: 'list',
  summary: 'Find items by a part of their code or name',
  description: 'The service has no search: all items are read, page by page.',
  args: { text: { doc: 'part of the code or name; case does not matter' } },
  examples: [
    { run: 'proc items find bolt', doc: 'everything with "bolt" in code or name' },
    { run: 'proc items find AR-53 -o id', doc: 'the ids alone' },
  ],
  exitCodes: [...READ_CODES, EXIT.incomplete],
  endpoints: [listItems],
  async handler({ args }, ctx) {
    const wanted = args.text.toLowerCase();
    const pages = ctx.pages(listItems, { sort: 'code', dir: 'asc' });
    return {
      kind: 'rows',
      columns: ITEM_COLUMNS,
      rows: matching(pages.rows, ({ code, name }) =>
        [code, name].some(
          (text) => typeof text === 'string' && text.toLowerCase().includes(wanted),
        ),
      ),
      empty: `No item has ${JSON.stringify(args.text)} in its code or name.`,
      failure: () => pages.failure(),
    };
  },
});

async function* matching(
  batches: AsyncIterable<readonly Row[]>,
  isMatch: (row: Row) => boolean,
): AsyncGenerator<readonly Row[]> {
  for await (const batch of batches) yield batch.filter(isMatch);
}

const create = command({
  path: ['items', 'create'],
  changes: 'service',
  prints: 'record',
  summary: 'Create an item in the catalogue',
  description:
    'The service shows no way to delete an item: look before you create (proc items list).',
  flags: { ...FILE_FLAG, ...bodyFlags(createItem) },
  examples: [
    {
      run: 'proc items create --name "Adjustable Race" --code AR-5381 --unit-of-measure EA',
      doc: 'from flags',
    },
    { run: 'proc items create --file examples/item.json', doc: 'from a file' },
  ],
  exitCodes: WRITE_CODES,
  endpoints: [createItem],
  async handler({ flags }, ctx) {
    const body = await ctx.body(createItem, {
      file: flags.file,
      fields: bodyFields(createItem, flags),
    });
    const { name, code } = body.value;
    if (name === undefined) {
      // The contract does not say whether a name is required, so a file may try; flags are typed by a person.
      if (flags.file === undefined) {
        throw new ProcError('invalid_usage', 'an item needs a name', {
          hint: 'Add --name TEXT, or give the body with --file',
        });
      }
      ctx.say({ kind: 'warning', text: `${flags.file}: the item has no name` });
    }
    const value = await ctx.call(
      createItem,
      { body: body.value },
      {
        what: phrase('createItem', name ?? code ?? ''),
        weight: 'create',
      },
    );
    return { kind: 'record', columns: ITEM_COLUMNS, value };
  },
});

export const commands = [list, find, create];
