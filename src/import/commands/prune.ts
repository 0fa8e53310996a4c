import { command } from '../../core/command.ts';
import { parseMoment } from '../../core/time/moment.ts';
import { LOCAL_CODES } from '../../nouns/shared/exit-code-sets.ts';

const KEPT_BY_DEFAULT = '7d';

export const prune = command({
  path: ['imports', 'prune'],
  changes: 'local',
  prints: 'record',
  shape: ({ z, either }) =>
    either(
      'What was removed; with --dry-run what would be removed.',
      z.looseObject({ removed: z.number(), kept: z.number() }),
      z.looseObject({ wouldRemove: z.number(), kept: z.number() }),
    ),
  summary: 'Remove finished import runs and their rows',
  flags: {
    olderThan: {
      kind: 'string',
      default: KEPT_BY_DEFAULT,
      value: 'when',
      doc: 'remove runs started before this: 30d, 12h or a date',
    },
  },
  examples: [
    { run: 'proc imports prune --yes', doc: 'finished runs older than a week' },
    { run: 'proc imports prune --older-than 30d --yes', doc: 'finished runs older than a month' },
  ],
  exitCodes: LOCAL_CODES,
  needs: ['io', 'ask', 'store', 'self'],
  plan: async ({ flags }, ports) =>
    (await import('../manage/remove-runs.ts')).planPrune(
      parseMoment(flags.olderThan, '--older-than', ports.self.clock.now()),
      ports,
    ),
});
