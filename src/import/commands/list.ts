import { command } from '../../core/command.ts';
import { LOCAL_CODES } from '../../nouns/shared/exit-code-sets.ts';
import { runFields } from '../report/run-shapes.ts';

export const list = command({
  path: ['imports', 'list'],
  changes: 'nothing',
  prints: 'list',
  shape: (kit) =>
    kit.list(
      kit.z.partial(kit.z.looseObject(runFields(kit)), {
        state: true,
        noun: true,
        source: true,
        profile: true,
        environment: true,
        baseUrl: true,
        organization: true,
        startedAt: true,
        rows: true,
        created: true,
        existing: true,
        duplicates: true,
        dropped: true,
        rejected: true,
        unconfirmed: true,
        pending: true,
      }),
      'A run that cannot be read has only some of the fields.',
    ),
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
