import { command } from '../../core/command.ts';
import { IMPORT_CODES } from '../../nouns/shared/exit-code-sets.ts';
import { SEND_FLAGS } from '../import-flags.ts';
import { runSummary } from '../report/run-shapes.ts';
import { IMPORT_TARGETS } from '../targets/all-targets.ts';
import { SHOWN } from './run-arg.ts';

export const send = command({
  path: ['imports', 'send'],
  changes: 'service',
  prints: 'record',
  shape: (kit) =>
    kit.either(
      'The summary of the run; with --dry-run what is left to do.',
      runSummary(kit),
      kit.z.looseObject({ run: kit.z.string() }),
    ),
  summary: 'Send a staged import exactly as it was staged',
  description:
    'Reads the lists again first. Rows that exist by now are not sent. If anything else has changed, proc names the rows and stops before it sends anything. With a statement (proc imports show RUN --statement FILE), sends what it says, also on another machine. If sending stops, run this command again, or proc imports resume. How it works: proc help import',
  args: { run: SHOWN },
  flags: SEND_FLAGS,
  examples: [
    { run: 'proc imports send 20260305-140000-9c0d --dry-run', doc: 'what is left to send' },
    {
      run: 'proc imports send 20260305-140000-9c0d --yes',
      doc: 'send it without asking, in a script',
    },
    {
      run: 'proc imports send catalog.statement --digest "$(cat catalog.digest)" --yes',
      doc: 'send a statement that was reviewed',
    },
  ],
  exitCodes: IMPORT_CODES,
  needs: ['io', 'api', 'lookup', 'ask', 'store', 'self'],
  run: async ({ args, flags }, ports) =>
    (await import('../run.ts')).sendReviewed(IMPORT_TARGETS, args.run, flags, ports),
});
