import { command } from '../../core/command.ts';
import { LOCAL_CODES } from '../../nouns/shared/exit-code-sets.ts';
import { RUN } from './run-arg.ts';

export const discard = command({
  path: ['imports', 'discard'],
  changes: 'local',
  prints: 'record',
  summary: 'Forget an import run',
  description:
    'What it created stays in the service; what it left in doubt is no longer known. That rows were sent is remembered where nothing can be listed.',
  args: { run: RUN },
  examples: [
    { run: 'proc imports discard 20260301-093000-1a2b --yes', doc: 'without a question' },
    { run: 'proc imports discard 20260302-110000-3c4d --yes', doc: 'also one with rows in doubt' },
  ],
  exitCodes: LOCAL_CODES,
  needs: ['io', 'ask', 'store', 'self'],
  plan: async ({ args }, ports) => (await import('../manage-runs.ts')).planDiscard(args.run, ports),
});
