import { parseArgs } from 'node:util';
import { ProcError } from '../../src/core/errors.ts';
import { start } from '../../src/sandbox/commands/start.ts';

/** A script like `sandbox start`, with the same flags. Tests kill it, or start it in the background. */
const { values } = parseArgs({
  allowPositionals: true,
  options: {
    port: { type: 'string', default: '0' },
    db: { type: 'string' },
    empty: { type: 'boolean', default: false },
    faults: { type: 'string' },
    output: { type: 'string' },
    quiet: { type: 'boolean', default: false },
  },
});

const ended = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => ended.abort(new ProcError('interrupted', signal)));
}

const given = {
  io: {
    streams: process,
    terminal: { stdoutIsTerminal: false },
    say: ({ text }: { text: string }) => process.stderr.write(`${text}\n`),
  },
  env: process.env,
  flags: { output: values.output, quiet: values.quiet },
  signal: ended.signal,
  pid: process.pid,
};

try {
  const flags = { ...values, port: Number(values.port) };
  await start.run(given as never, {} as never, flags as never);
} catch (thrown) {
  const { code, message, hint, exitCode } = thrown as ProcError;
  process.stderr.write(`${JSON.stringify({ error: { code, message, hint } })}\n`);
  process.exitCode = exitCode ?? 1;
}
