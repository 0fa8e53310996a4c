import { command } from '../../core/command.ts';
import { execInSandbox } from '../server/run-in-sandbox.ts';
import { HABIT_FLAGS } from './habit-flags.ts';

export const exec = command({
  path: ['sandbox', 'exec'],
  changes: 'local',
  prints: 'nothing',
  summary: 'Run a command against a fresh sandbox',
  description:
    'Use it to test scripts: the command gets its own sandbox with fresh config and state folders, PROC_BASE_URL and PROC_API_KEY are set, and proc means this program. proc removes everything afterwards and exits with the code of the command.',
  args: { command: { doc: 'the command and its arguments', variadic: true } },
  flags: HABIT_FLAGS,
  examples: [
    { run: 'proc sandbox exec -- proc orders list --limit 3', doc: 'run one command' },
    {
      run: "proc sandbox exec --empty -- sh -c 'proc items create --name Bolt && proc items list'",
      doc: 'run a script',
    },
  ],
  passesCodes:
    'Also any exit code of the command, or 128 + the number of the signal that ended it.',
  needs: ['io', 'self'],
  async plan({ args, flags }, ports) {
    const words = args.command as readonly [string, ...string[]];
    return {
      would: () => ({ kind: 'record', value: { run: words, in: 'a fresh sandbox' } }),
      apply: async () => ({ kind: 'none', exitCode: await execInSandbox(ports, words, flags) }),
    };
  },
});
