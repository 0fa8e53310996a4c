import { command } from '../../core/command.ts';
import { LOCAL_CODES } from '../../nouns/shared/exit-code-sets.ts';
import { RUN } from './run-arg.ts';

export const discard = command({
  path: ['imports', 'discard'],
  changes: 'local',
  prints: 'record',
  shape: ({ z, either }) =>
    either(
      'What was discarded; with --dry-run what would be lost.',
      z.looseObject({ run: z.string(), discarded: z.literal(true) }),
      z.looseObject({ run: z.string(), sent: z.number(), unconfirmed: z.number() }),
    ),
  summary: 'Discard an import run and its rows',
  description:
    'Records that the run created stay in the service. Afterwards proc cannot find out what happened to unconfirmed rows. If the service cannot list the records, proc still remembers which rows it sent, and by default a later import does not send them again.',
  args: { run: RUN },
  examples: [
    {
      run: 'proc imports discard 20260301-093000-1a2b --dry-run',
      doc: 'show what it would remove',
    },
    {
      run: 'proc imports discard 20260302-110000-3c4d --yes',
      doc: 'without asking, even if rows are unconfirmed',
    },
  ],
  exitCodes: LOCAL_CODES,
  needs: ['io', 'ask', 'store', 'self'],
  plan: async ({ args }, ports) =>
    (await import('../manage/remove-runs.ts')).planDiscard(args.run, ports),
});
