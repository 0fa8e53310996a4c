import { command } from '../../context.ts';
import { READ_CODES } from '../../core/errors.ts';
import { eachRecord } from '../shared/each-record.ts';
import { rowsMeant } from '../shared/references.ts';
import { ITEM_COLUMNS, listItems } from './index.ts';

export const get = command({
  path: ['items', 'get'],
  changes: 'nothing',
  prints: 'list',
  summary: 'Show items by code, id or name',
  description:
    'The service returns items only as a list, so proc searches the list. With code=…, proc sends a few requests; for an id or a name, it reads the whole list.',
  args: {
    item: {
      doc: 'codes, ids or names of items; - for stdin',
      variadic: true,
      from: 'proc items list',
    },
  },
  examples: [
    { run: 'proc items get CS-4759', doc: 'by code' },
    { run: 'proc items get code=CS-4759 code=WB-H098 -o json', doc: 'two items, by code only' },
  ],
  exitCodes: READ_CODES,
  endpoints: [listItems],
  run: (ctx, args) =>
    eachRecord(
      ctx,
      {
        ...{ refs: args.item, columns: ITEM_COLUMNS, reads: listItems },
        resolve: (refs) => rowsMeant(ctx, listItems, refs),
      },
      async (_id, row, record) => record(row),
    ),
});
