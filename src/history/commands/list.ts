import { command } from '../../core/command.ts';
import { momentText, parseMoment } from '../../core/time/moment.ts';
import { LOCAL_CODES } from '../../nouns/shared/exit-code-sets.ts';
import { STATES } from '../entry.ts';
import { LIST_COLUMNS, listRow } from '../entry-rows.ts';
import { withHistory } from '../find-entry.ts';
import { knownNoun } from '../nouns.ts';

export const list = command({
  path: ['history', 'list'],
  changes: 'nothing',
  prints: 'list',
  summary: 'List writes, newest first',
  description:
    'Covers all profiles, environments and organizations; filter with --profile, --env and --organization. The service cannot list requisitions, groups, imputations or addresses, so this may be the only place with their ids.',
  flags: {
    noun: { kind: 'string', value: 'noun', doc: 'only this kind, e.g. requisition' },
    since: {
      kind: 'string',
      value: 'when',
      doc: 'only entries since then: 30d, 12h or a date',
    },
    state: { kind: 'choice', choices: STATES, value: 'state', doc: 'only entries in this state' },
    limit: {
      kind: 'integer',
      min: 1,
      value: 'n',
      doc: 'print at most this many entries, the newest',
    },
  },
  examples: [
    { run: 'proc history list', doc: 'all writes' },
    {
      run: 'proc history list --noun requisition --since 30d --fields created,what',
      doc: 'requisitions of the last 30 days with their ids',
    },
    { run: 'proc history list --state unknown', doc: 'writes whose outcome is unknown' },
  ],
  exitCodes: LOCAL_CODES,
  needs: ['io', 'store', 'self'],
  async run({ flags }, ports) {
    const since =
      flags.since === undefined
        ? undefined
        : parseMoment(flags.since, '--since', ports.self.clock.now());
    if (since !== undefined) ports.io.say({ kind: 'notice', text: `Since ${momentText(since)}.` });
    const { where, orderBy } = ports.self.flags;
    const filter = {
      noun: flags.noun === undefined ? undefined : knownNoun(flags.noun),
      since,
      state: flags.state,
      // Rows that --where leaves out or --order-by moves do not count.
      limit: where.length > 0 || orderBy !== undefined ? undefined : flags.limit,
      profile: ports.self.flags.profile,
      environment: ports.self.flags.env,
      organization: ports.self.flags.organization,
    };
    const rows = await withHistory(ports, [], (history) =>
      Array.from(history.entries(filter), listRow),
    );
    return { kind: 'rows', columns: LIST_COLUMNS, rows, limit: flags.limit, empty: 'No entries.' };
  },
});
