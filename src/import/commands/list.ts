import { command } from '../../core/command.ts';
import { LOCAL_CODES } from '../../nouns/shared/exit-code-sets.ts';

export const list = command({
  path: ['imports', 'list'],
  changes: 'nothing',
  prints: 'list',
  summary: 'List the import runs of this machine, the newest first',
  examples: [
    { run: 'proc imports list', doc: 'what is finished and what is not' },
    {
      run: 'proc imports list --where state=unfinished -o id',
      doc: 'what can be gone on with, for a script',
    },
  ],
  exitCodes: LOCAL_CODES,
  needs: ['io', 'self'],
  run: async (_, ports) => (await import('../manage-runs.ts')).listRuns(ports),
});
