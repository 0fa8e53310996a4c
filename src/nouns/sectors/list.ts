import { command } from '../../context.ts';
import { READ_CODES } from '../../core/errors.ts';
import { TEXT, textFilter } from '../shared/list-command.ts';
import { listSectors, SECTOR_COLUMNS } from './index.ts';

export const list = command({
  path: ['sectors', 'list'],
  changes: 'nothing',
  prints: 'list',
  summary: 'List the sectors (rubros)',
  args: TEXT,
  examples: [
    { run: 'proc sectors list', doc: 'a table on a terminal, JSON otherwise' },
    { run: 'proc sectors list -o id', doc: 'only the ids' },
  ],
  exitCodes: READ_CODES,
  endpoints: [listSectors],
  async run(ctx, { text }) {
    const view = { noun: 'sectors', columns: SECTOR_COLUMNS };
    const filter = text === undefined ? undefined : textFilter(text, view);
    const rows = await ctx.http().call(listSectors, {});
    const empty = filter === undefined ? 'No sectors.' : () => filter.none();
    return { kind: 'rows', ...view, rows, filter, empty };
  },
});
