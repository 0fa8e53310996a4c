import { command } from '../../core/command.ts';
import { LOCAL_CODES } from '../../nouns/shared/exit-code-sets.ts';
import { RUN } from './run-arg.ts';

export const show = command({
  path: ['imports', 'show'],
  changes: 'nothing',
  prints: 'record',
  summary: 'Show one import run: counts, mapping and options',
  args: { run: RUN },
  examples: [
    { run: 'proc imports show 20260301-093000-1a2b', doc: 'one run' },
    {
      run: "proc imports show 20260301-093000-1a2b -q '{created: created, unknown: unknown}'",
      doc: 'number of rows in some states',
    },
  ],
  exitCodes: LOCAL_CODES,
  needs: ['io', 'self'],
  run: async ({ args }, ports) => (await import('../manage/show-run.ts')).showRun(args.run, ports),
});
