import { command } from '../../core/command.ts';
import { IMPORT_CODES } from '../../nouns/shared/exit-code-sets.ts';
import { RESUME_FLAGS } from '../import-flags.ts';
import { IMPORT_TARGETS } from '../targets/all-targets.ts';
import { RUN } from './run-arg.ts';

export const send = command({
  path: ['imports', 'send'],
  changes: 'service',
  prints: 'record',
  summary: 'Send a staged import exactly as it was staged',
  description:
    'Reads the lists again first. Rows that exist by now are not sent. If anything else has changed, proc names the rows and stops before it sends anything. If sending stops, run this command again, or proc imports resume. How it works: proc help import',
  args: { run: RUN },
  flags: RESUME_FLAGS,
  examples: [
    { run: 'proc imports send 20260305-140000-9c0d --dry-run', doc: 'what is left to send' },
    {
      run: 'proc imports send 20260305-140000-9c0d --yes',
      doc: 'send it without asking, in a script',
    },
  ],
  exitCodes: IMPORT_CODES,
  needs: ['io', 'api', 'lookup', 'ask', 'store', 'self'],
  run: async ({ args, flags }, ports) =>
    (await import('../run.ts')).sendStagedRun(IMPORT_TARGETS, args.run, flags, ports),
});
