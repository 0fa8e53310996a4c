import { command } from '../../command.ts';
import { LOCAL_CODES } from '../../nouns/shared/exit-code-sets.ts';
import { TEXT, TextFilter } from '../../nouns/shared/text-filter.ts';
import { LIST_COLUMNS, listRow } from '../entry-rows.ts';
import { withHistory } from '../history.ts';
import { ENTRY_FLAGS, entryFilter } from './entry-flags.ts';

export const list = command({
  path: ['history', 'list'],
  changes: 'nothing',
  prints: 'list',
  summary: 'List writes, newest first',
  description:
    'Covers all profiles, environments and organizations; filter with --profile and --env. The service cannot list requisitions, groups, imputations or addresses, so this may be the only place with their ids.',
  args: TEXT,
  flags: ENTRY_FLAGS,
  examples: [
    { run: 'proc history list', doc: 'all writes' },
    {
      run: 'proc history list --noun requisition --fields created,what',
      doc: 'requisitions with their ids',
    },
    { run: 'proc history list --open', doc: 'writes whose outcome is unknown' },
  ],
  exitCodes: LOCAL_CODES,
  async run(ctx, { text }, flags) {
    const { where, sort, limit: most } = ctx.flags;
    // A filter and another order need all entries. The limit applies after them.
    const isChosen = [text, where[0], sort].some((one) => one !== undefined);
    const limit = isChosen ? undefined : most;
    const filter = { ...entryFilter(flags, ctx), limit };
    const entries = await withHistory(ctx, [], (history) => history.entries(filter));
    const rows = entries.map(listRow);
    const view = { noun: 'entries', columns: LIST_COLUMNS };
    return {
      kind: 'rows',
      columns: LIST_COLUMNS,
      rows,
      filter: text === undefined ? undefined : new TextFilter(text, view),
      empty: 'No entries.',
    };
  },
});
