import { command } from '../../command.ts';
import { execInSandbox } from '../run-in-sandbox.ts';
import { beginningOf, SANDBOX_FLAGS } from './sandbox-flags.ts';

export const exec = command({
  path: ['sandbox', 'exec'],
  changes: 'local',
  prints: 'nothing',
  summary: 'Run a command, by default your shell, against a fresh sandbox',
  description:
    'Use it to try proc and to test scripts. The command gets its own sandbox with sample data, fresh config and state folders, and the variables PROC_BASE_URL, PROC_API_KEY, PROC_SETTLE and PROC_SANDBOX_DB (the SQLite file of the sandbox). If the command calls proc, this same installation of proc runs. proc removes everything afterwards and exits with the code of the command.',
  args: { command: { doc: 'the command and its arguments', variadic: true, optional: true } },
  flags: SANDBOX_FLAGS,
  examples: [
    { run: 'proc sandbox exec -- proc orders list --limit 3', doc: 'run one command' },
    {
      run: "proc sandbox exec --empty -- sh -c 'proc items create --name Bolt && proc items list'",
      doc: 'run a script',
    },
    {
      run: 'proc sandbox exec --seed examples/seed.json -- proc orders list',
      doc: 'start with your own orders',
    },
  ],
  passesCodes:
    'Also any exit code of the command, or 128 + the number of the signal that ended it.',
  async run(ctx, args, flags) {
    const words = args.command;
    const beginning = await beginningOf(flags, ctx);
    return {
      kind: 'none',
      exitCode: await execInSandbox(ctx, words, { ...beginning, faults: flags.faults }),
    };
  },
});
