import { readConfig, storedProfile } from '../../config/config-file.ts';
import { command } from '../../context.ts';
import { LOCAL_CODES, ProcError } from '../../core/errors.ts';
import { TEXT, textFilter } from '../../nouns/shared/list-command.ts';
import { LIST_COLUMNS, rowOf } from '../entry-rows.ts';
import { withHistory } from '../history.ts';

/** The nouns of writes, as the history has them. */
const NOUNS = ['addresses', 'imputations', 'items', 'requisitions', 'sectors'];

/** @param typed singular or plural @throws ProcError `invalid_usage` */
function nounIn(typed: string | undefined): string | undefined {
  if (typed === undefined) return undefined;
  const found = NOUNS.find((noun) => [typed, `${typed}s`, `${typed}es`].includes(noun));
  if (found !== undefined) return found;
  throw new ProcError('invalid_usage', `--noun must be one of ${NOUNS.join(', ')}`);
}

export const list = command({
  path: ['history', 'list'],
  changes: 'nothing',
  prints: 'list',
  summary: 'List writes, newest first',
  description:
    'Covers all profiles, environments and organizations; filter with --profile and --env. The service cannot list requisitions, groups, imputations or addresses, so this may be the only place with their ids.',
  args: TEXT,
  flags: {
    noun: { kind: 'string', value: 'noun', doc: 'only writes of this noun, e.g. requisition' },
    open: { kind: 'boolean', doc: 'only writes whose outcome is unknown' },
  },
  examples: [
    { run: 'proc history list', doc: 'all writes' },
    {
      run: 'proc history list --noun requisition --fields created,what',
      doc: 'requisitions with their ids',
    },
    { run: 'proc history list --open', doc: 'writes whose outcome is unknown' },
  ],
  exitCodes: LOCAL_CODES,
  async run(ctx, { text }, { noun, open }) {
    const { where, sort, limit: most, profile, env: environment } = ctx.flags;
    // A filter and another order need all entries. The limit applies after them.
    const isChosen = [text, where[0], sort].some((one) => one !== undefined);
    const limit = isChosen ? undefined : most;
    const filter = {
      noun: nounIn(noun),
      state: open ? ('unknown' as const) : undefined,
      ...{ profile, environment, limit },
    };
    const entries = await withHistory(ctx, [], (history) => history.entries(filter));
    // The history may have entries of a profile that was removed.
    if (entries.length === 0 && profile !== undefined)
      storedProfile(readConfig(ctx.env), profile, '--profile');
    const rows = entries.map((entry) => rowOf(entry));
    const view = { noun: 'entries', columns: LIST_COLUMNS };
    return {
      kind: 'rows',
      columns: LIST_COLUMNS,
      rows,
      filter: text === undefined ? undefined : textFilter(text, view),
      empty: 'No entries.',
    };
  },
});
