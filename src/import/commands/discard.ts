import { command } from '../../core/command.ts';
import { LOCAL_CODES } from '../../nouns/shared/exit-code-sets.ts';
import { RUN } from './run-arg.ts';

export const discard = command({
  path: ['imports', 'discard'],
  changes: 'local',
  prints: 'record',
  summary: 'Discard an import run and its rows',
  description:
    'Everything it created stays in the service. proc forgets which rows are unconfirmed. For nouns without a list, proc still remembers that the rows were sent.',
  args: { run: RUN },
  examples: [
    { run: 'proc imports discard 20260301-093000-1a2b --yes', doc: 'without asking' },
    {
      run: 'proc imports discard 20260302-110000-3c4d --yes',
      doc: 'a run with unconfirmed rows too',
    },
  ],
  exitCodes: LOCAL_CODES,
  needs: ['io', 'ask', 'store', 'self'],
  plan: async ({ args }, ports) => (await import('../manage-runs.ts')).planDiscard(args.run, ports),
});
