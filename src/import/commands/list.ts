import { command } from '../../core/command.ts';
import { LOCAL_CODES } from '../../nouns/shared/exit-code-sets.ts';

export const list = command({
  path: ['imports', 'list'],
  changes: 'nothing',
  prints: 'list',
  summary: 'List import runs of this machine, newest first',
  examples: [
    { run: 'proc imports list', doc: 'all runs and their states' },
    { run: 'proc imports list --limit 1 -o id', doc: 'the latest run' },
    {
      run: 'proc imports list --where state=unfinished -o id',
      doc: 'ids of the runs to resume',
    },
  ],
  flags: { limit: { kind: 'integer', min: 1, value: 'n', doc: 'print at most this many runs' } },
  exitCodes: LOCAL_CODES,
  needs: ['io', 'self'],
  run: async ({ flags }, ports) =>
    (await import('../manage/list-runs.ts')).listRuns(flags.limit, ports),
});
