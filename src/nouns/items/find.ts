import { command } from '../../core/command.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { READ_CODES } from '../shared/exit-code-sets.ts';
import { findRows } from '../shared/references/find-rows.ts';
import { ITEM_COLUMNS, listItems } from './index.ts';

export const find = command({
  path: ['items', 'find'],
  changes: 'nothing',
  prints: 'list',
  shape: ({ list, responseOf }) => list(responseOf(listItems)),
  summary: 'Find items by part of their code or name',
  description: 'The service has no search, so proc reads all items.',
  args: { text: { doc: 'part of the code or name; case is ignored' } },
  examples: [
    { run: 'proc items find bolt', doc: 'items with "bolt" in code or name' },
    { run: 'proc items find AR-53 -o id', doc: 'only the ids' },
  ],
  exitCodes: [...READ_CODES, EXIT.incomplete],
  endpoints: [listItems],
  needs: ['api'],
  run: ({ args }, ports) =>
    findRows(
      ports,
      { list: listItems, noun: 'items', fields: ['code', 'name'], columns: ITEM_COLUMNS },
      args.text,
    ),
});
