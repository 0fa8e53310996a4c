import { command } from '../../core/command.ts';
import { LOCAL_CODES } from '../../nouns/shared/exit-code-sets.ts';

export const list = command({
  path: ['imports', 'list'],
  changes: 'nothing',
  prints: 'list',
  summary: 'List import runs of this machine, newest first',
  examples: [
    { run: 'proc imports list', doc: 'all runs and their states' },
    {
      run: 'proc imports list --where state=unfinished -o id',
      doc: 'ids of the runs to resume',
    },
  ],
  exitCodes: LOCAL_CODES,
  needs: ['io', 'self'],
  run: async (_, ports) => (await import('../manage/list-runs.ts')).listRuns(ports),
});
