import { command } from '../../context.ts';
import { EXIT, READ_CODES } from '../../core/errors.ts';
import { LIST_FLAGS, listRows, readsOf, TEXT } from '../shared/list-command.ts';
import { ITEM_COLUMNS, listItems } from './index.ts';

export const list = command({
  path: ['items', 'list'],
  changes: 'nothing',
  prints: 'list',
  summary: 'List the items of the catalogue',
  description: readsOf('TEXT or --where'),
  args: TEXT,
  flags: LIST_FLAGS,
  examples: [
    { run: 'proc items list', doc: 'the first page' },
    { run: 'proc items list tire', doc: 'items with "tire" in their code or name' },
    { run: 'proc items list --all -o id', doc: 'the ids of all items' },
  ],
  exitCodes: [...READ_CODES, EXIT.incomplete],
  endpoints: [listItems],
  run: (ctx, args, flags) =>
    listRows(ctx, listItems, flags, {
      ...{ columns: ITEM_COLUMNS, noun: 'items', text: args.text },
      ...{ sorts: ['name', 'code'], stableSort: 'code' },
    }),
});
