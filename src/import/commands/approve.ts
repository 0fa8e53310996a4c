import { command } from '../../core/command.ts';
import { LOCAL_CODES } from '../../nouns/shared/exit-code-sets.ts';
import { RUN } from './run-arg.ts';

const VALID_MS = 7 * 24 * 60 * 60 * 1000;

export const approve = command({
  path: ['imports', 'approve'],
  changes: 'local',
  prints: 'record',
  summary: 'Sign a staged import with your SSH key',
  description:
    'Shows what it signs and asks. The signature covers every row, the mapping, the service and the organization. An environment can demand approvals (proc profile set): then proc sends no import there without them.',
  args: { run: RUN },
  flags: {
    key: {
      kind: 'string',
      value: 'file',
      required: true,
      doc: 'SSH private key, or the .pub file of a key in ssh-agent',
    },
    validFor: {
      kind: 'duration',
      needsUnit: true,
      value: 'time',
      doc: 'the approval expires after this time, e.g. 12h',
      defaultText: '7d',
    },
  },
  examples: [
    {
      run: 'proc imports approve 20260306-150000-7e8f --key id_ed25519 --dry-run',
      doc: 'show what the key would sign',
    },
    {
      run: 'proc imports approve 20260306-150000-7e8f --key id_ed25519 --valid-for 1d --yes',
      doc: 'sign it without asking; valid for a day',
    },
  ],
  exitCodes: LOCAL_CODES,
  needs: ['io', 'ask', 'self'],
  plan: async ({ args, flags }, ports) =>
    (await import('../approval/approve-run.ts')).planApproval(
      args.run,
      flags.key,
      flags.validFor ?? VALID_MS,
      ports,
    ),
});
