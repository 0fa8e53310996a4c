import { command } from '../../core/command.ts';
import { LOCAL_CODES } from '../../nouns/shared/exit-code-sets.ts';

export const receive = command({
  path: ['imports', 'receive'],
  changes: 'local',
  prints: 'record',
  summary: 'Receive a staged import from an exported file',
  description:
    'Checks the whole file first. If this machine already has the run, proc only adds the approvals that are new.',
  args: {
    file: { doc: 'file that proc imports export wrote; - for stdin', hint: 'Name the file' },
  },
  examples: [
    { run: 'proc imports receive staged.ndjson --dry-run', doc: 'check the file, keep nothing' },
    { run: 'proc imports receive staged.ndjson', doc: 'a run of a colleague, or its approvals' },
  ],
  exitCodes: LOCAL_CODES,
  needs: ['io', 'self'],
  plan: async ({ args }, ports) =>
    (await import('../approval/receive-run.ts')).planReceive(args.file, ports),
});
