import { command } from '../../core/command.ts';
import { IMPORT_CODES } from '../../nouns/shared/exit-code-sets.ts';
import { RESUME_FLAGS } from '../import-flags.ts';
import { runSummary } from '../report/run-shapes.ts';
import { IMPORT_TARGETS } from '../targets/all-targets.ts';
import { RUN } from './run-arg.ts';

export const resume = command({
  path: ['imports', 'resume'],
  changes: 'service',
  prints: 'record',
  shape: (kit) =>
    kit.either(
      'The summary of the run; with --dry-run what is left to do.',
      runSummary(kit),
      kit.z.looseObject({ run: kit.z.string() }),
    ),
  summary: 'Resume an import that stopped',
  description:
    'Without a name, resumes the only unfinished run. First looks up unconfirmed rows; then sends pending rows, except those whose code exists by now. Finished rows stay as they are. For a finished run, prints the summary again.',
  args: { run: { ...RUN, optional: true } },
  flags: RESUME_FLAGS,
  examples: [
    { run: 'proc imports resume', doc: 'the only unfinished run' },
    { run: 'proc imports resume 20260301-093000-1a2b --yes', doc: 'one of several, in a script' },
  ],
  exitCodes: IMPORT_CODES,
  needs: ['io', 'api', 'lookup', 'ask', 'store', 'self'],
  run: async ({ args, flags }, ports) =>
    (await import('../run.ts')).resumeRun(IMPORT_TARGETS, args.run, flags, ports),
});
