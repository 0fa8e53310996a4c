import { command } from '../../core/command.ts';
import { LOCAL_CODES } from '../../nouns/shared/exit-code-sets.ts';

export const receive = command({
  path: ['imports', 'receive'],
  changes: 'local',
  prints: 'record',
  summary: 'Receive a staged import from a file of imports export',
  description:
    'Checks the whole file first. If this machine has the run, proc adds the approvals that it does not have.',
  args: { file: { doc: 'file of proc imports export', hint: 'Name the file' } },
  examples: [
    { run: 'proc imports receive staged.ndjson --dry-run', doc: 'check the file, keep nothing' },
    { run: 'proc imports receive staged.ndjson', doc: 'a run of a colleague, or its approvals' },
  ],
  exitCodes: LOCAL_CODES,
  needs: ['io', 'self'],
  plan: async ({ args }, ports) =>
    (await import('../approval/receive-run.ts')).planReceive(args.file, ports),
});
