import { command } from '../../core/command.ts';
import type { Column } from '../../core/result.ts';
import { LOCAL_CODES } from '../../nouns/shared/exit-code-sets.ts';
import { LIST_COLUMNS, wholeEntry, wholeRow } from '../entry-rows.ts';
import { withHistory } from '../find-entry.ts';
import { ENTRY_FLAGS, entryFilter } from './entry-flags.ts';

const COLUMNS: readonly Column[] = [
  ...LIST_COLUMNS,
  { key: 'actor', header: 'ACTOR', priority: 2 },
  { key: 'user', header: 'USER' },
  { key: 'host', header: 'HOST' },
  { key: 'job', header: 'JOB' },
  { key: 'version', header: 'VERSION' },
];

export const exportEntries = command({
  path: ['history', 'export'],
  changes: 'nothing',
  prints: 'list',
  shape: (kit) => kit.list(wholeEntry(kit)),
  summary: 'Print entries in full, oldest first',
  description:
    'For archives and audits. Each entry has the request, the response, the previous value, and who sent it: actor (terminal, script, ci, or the name in AI_AGENT), user, host, CI job and version of proc.',
  flags: ENTRY_FLAGS,
  examples: [
    { run: 'proc history export -o ndjson --since 1d', doc: 'the last day, one entry per line' },
    {
      run: 'proc history export --where actor=ci --fields at,user,host,job,what -o csv',
      doc: 'what CI jobs on this machine sent',
    },
  ],
  exitCodes: LOCAL_CODES,
  needs: ['io', 'store', 'self'],
  async run({ flags }, ports) {
    const filter = { ...entryFilter(flags, ports), isOldestFirst: true };
    const entries = await withHistory(ports, [], (history) => history.entries(filter));
    const rows = entries.map(wholeRow);
    return { kind: 'rows', columns: COLUMNS, rows, empty: 'No entries.' };
  },
});
