import { command } from '../../core/command.ts';
import { execInSandbox } from '../server/run-in-sandbox.ts';
import { HABIT_FLAGS } from './habit-flags.ts';

export const exec = command({
  path: ['sandbox', 'exec'],
  changes: 'local',
  prints: 'nothing',
  summary: 'Run a command against a fresh sandbox',
  description:
    'The way to test scripts: a sandbox of its own, with fresh config and state folders; PROC_BASE_URL and PROC_API_KEY are set, and `proc` is this one. Everything is removed afterwards. Exits with the code of the command.',
  args: { command: { doc: 'the command and its arguments', variadic: true } },
  flags: HABIT_FLAGS,
  examples: [
    { run: 'proc sandbox exec -- proc orders list --limit 3', doc: 'One command.' },
    {
      run: "proc sandbox exec --empty -- sh -c 'proc items create --name Bolt && proc items list'",
      doc: 'A script.',
    },
  ],
  passesCodes: 'Whatever COMMAND ends with; 128 + the number of the signal that ended it.',
  needs: ['io', 'self'],
  async plan({ args, flags }, ports) {
    const words = args.command as readonly [string, ...string[]];
    return {
      would: () => ({ kind: 'record', value: { run: words, in: 'a fresh sandbox' } }),
      apply: async () => ({ kind: 'none', exitCode: await execInSandbox(ports, words, flags) }),
    };
  },
});
