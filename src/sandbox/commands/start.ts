import { once } from 'node:events';
import { resolve } from 'node:path';
import { type Context, command } from '../../context.ts';
import { EXIT } from '../../core/errors.ts';
import { chooseFormat } from '../../output/format.ts';
import { writeOut } from '../../terminal/write.ts';
import { settleOf } from '../faults.ts';
import { type RequestLog, type Sandbox, startSandbox } from '../server.ts';
import { beginningOf, SANDBOX_FLAGS } from './sandbox-flags.ts';

const DEFAULT_PORT = 4010;

export const start = command({
  path: ['sandbox', 'start'],
  changes: 'local',
  prints: 'announcement',
  summary: 'Start a local server that implements the whole API',
  description:
    'An HTTP server with a SQLite database, on loopback only, with sample orders, items, sectors and addresses. Prints the variables that select it. Runs until Ctrl-C, then exits 0. The address contains the id of the database: another database is another service.',
  flags: {
    port: {
      kind: 'integer',
      min: 0,
      max: 65_535,
      doc: 'port; 0: any free one',
      defaultText: String(DEFAULT_PORT),
    },
    db: {
      kind: 'string',
      value: 'file',
      doc: 'database file, kept at the end',
      defaultText: 'a temporary file',
    },
    ...SANDBOX_FLAGS,
  },
  examples: [
    { run: 'proc sandbox start', doc: 'start it and leave it running; use another terminal' },
    { run: 'proc sandbox start --db sandbox.db --port 0', doc: 'keep its data' },
  ],
  exitCodes: [EXIT.configuration],
  async run(ctx, _args, flags) {
    const { port = DEFAULT_PORT, faults } = flags;
    const db = flags.db === undefined ? undefined : resolve(ctx.cwd, flags.db);
    const beginning = await beginningOf(flags, ctx);
    const sandbox = await startSandbox({
      ...beginning,
      port,
      db,
      faults,
      isPlace: true,
      onRequest: ctx.flags.quiet
        ? undefined
        : (entry) => ctx.io.say({ kind: 'http', text: requestLine(entry), data: entry }),
    });
    try {
      await announce(ctx, sandbox, settleOf(faults));
      if (!ctx.signal.aborted) await once(ctx.signal, 'abort');
    } finally {
      await sandbox.close();
    }
    return { kind: 'none' };
  },
});

/** Not a Result: proc prints a Result when the command ends, but the sandbox still runs. */
async function announce(
  { io: { streams, terminal }, flags, env }: Context,
  { baseUrl: url, keys, port, dbPath: db, samples }: Sandbox,
  settle: string,
): Promise<void> {
  const { stdoutIsTerminal } = terminal;
  const sources = { flag: flags.output, env: env.PROC_OUTPUT, outFile: undefined };
  const asText = chooseFormat({ ...sources, stdoutIsTerminal }) === 'table';
  const [key, secondKey] = keys.map(({ apiKey }) => apiKey) as [string, string];
  const lines = [
    'The sandbox is running. To use it in another terminal:',
    '',
    `  export PROC_BASE_URL=${url}`,
    `  export PROC_API_KEY=${key}     # second organization: ${secondKey}`,
    `  export PROC_SETTLE=${settle}`,
    '',
    ...(samples === undefined ? [] : [`To try: ${samples}`]),
    'To stop it, press Ctrl-C.',
  ];
  const data = { url, key, secondKey, settle, port, db, samples };
  await writeOut(streams.stdout, asText ? `${lines.join('\n')}\n` : `${JSON.stringify(data)}\n`);
}

function requestLine({ method, path, status, ms }: RequestLog): string {
  return `${method} ${path.slice(0, 200)} ${status ?? 'cut off'} ${ms.toFixed(1)} ms`;
}
