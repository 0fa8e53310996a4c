import { join, resolve } from 'node:path';
import { type CommandSpec, type Context, command } from '../../core/command.ts';
import { ProcError } from '../../core/errors.ts';
import { EXIT } from '../../core/exit-codes.ts';
import type { Result } from '../../core/result.ts';
import { sandboxReset } from '../../history/sandboxes.ts';
import { stateDir } from '../../settings/read/paths.ts';
import { checkSandboxDatabase, resetSandboxDatabase } from '../database/database.ts';
import { announce } from '../server/announcement.ts';
import { startDetached } from '../server/detach.ts';
import { execInSandbox } from '../server/exec.ts';
import {
  askToStop,
  isRegistered,
  type Registration,
  runningSandbox,
  unregister,
} from '../server/registration.ts';
import { serve } from '../server/serve.ts';
import { refuseSecond, type StartPlan, wouldStart } from '../server/start-plan.ts';

const DEFAULT_PORT = 4010;

const HABIT_FLAGS = {
  empty: { kind: 'boolean', doc: 'keys only: no orders, sectors or addresses' },
  dialect: {
    kind: 'string',
    value: 'text',
    doc: 'names of the list parameters and other habits, for instance limit=pageSize,unknown=refuse',
  },
  faults: {
    kind: 'string',
    value: 'text',
    doc: 'what goes wrong on purpose, for instance reset-after=2%,429=3%,latency=20ms,seed=7',
  },
} as const;

const DB_FLAG = {
  kind: 'string',
  value: 'file',
  doc: 'the database (default: sandbox.db in the state folder)',
} as const;

const start = command({
  path: ['sandbox', 'start'],
  changes: 'local',
  prints: 'announcement',
  summary: 'Start a service of the whole contract on this machine',
  description:
    'A real HTTP server on a real SQLite file, on loopback only, with sample orders, sectors and addresses. Runs until Ctrl-C, which is its normal end and exits 0; what was acknowledged is kept. Without any configuration, all other commands talk to it.',
  flags: {
    port: {
      kind: 'integer',
      min: 0,
      max: 65_535,
      doc: `port (default ${DEFAULT_PORT}; 0: any free one)`,
    },
    db: DB_FLAG,
    ephemeral: { kind: 'boolean', doc: 'a database of its own, removed at the end' },
    ...HABIT_FLAGS,
    detach: { kind: 'boolean', doc: 'run in the background; see sandbox status and sandbox stop' },
  },
  examples: [
    { run: 'proc sandbox start', doc: 'Start it and leave it running; use another terminal.' },
    { run: 'proc sandbox start --detach', doc: 'Start it in the background.' },
    {
      run: 'proc sandbox start --ephemeral --port 0 --dialect limit=pageSize,offset=skip',
      doc: 'One that calls its list parameters differently.',
    },
  ],
  exitCodes: [EXIT.configuration],
  async plan({ flags }, ctx) {
    if (flags.ephemeral && flags.db !== undefined) {
      throw new ProcError('invalid_usage', '--db and --ephemeral exclude each other', {
        hint: 'Leave one of them out',
      });
    }
    const port = flags.port ?? DEFAULT_PORT;
    const db = flags.ephemeral ? undefined : databaseFile(ctx, flags.db);
    const plan = { ...flags, port, db };
    return {
      would: async () => ({ kind: 'record', value: await wouldStart(plan, ctx), idField: 'url' }),
      async apply() {
        if (flags.detach) await detach(plan, ctx);
        else await serve(ctx, plan);
        return { kind: 'none' };
      },
    };
  },
});

async function detach(plan: StartPlan, ctx: Context): Promise<void> {
  await refuseSecond(ctx);
  const { port, db, empty, dialect, faults } = plan;
  const args = ['--port', String(port), ...(db === undefined ? ['--ephemeral'] : ['--db', db])];
  if (empty) args.push('--empty');
  if (dialect !== undefined) args.push('--dialect', dialect);
  if (faults !== undefined) args.push('--faults', faults);
  await announce(ctx, await startDetached(ctx, args), 'Stop it with: proc sandbox stop');
}

function databaseFile(ctx: Context, given: string | undefined): string {
  return given === undefined ? join(stateDir(ctx.env), 'sandbox.db') : resolve(given);
}

const STOP_POLL_MS = 25;
const STOP_MS = 10_000;

const stop = command({
  path: ['sandbox', 'stop'],
  changes: 'local',
  prints: 'record',
  summary: 'Stop the sandbox that is running',
  description: 'Stops the sandbox that `sandbox status` shows. It is no error if none is running.',
  examples: [
    { run: 'proc sandbox stop', doc: 'Stop it; its database stays.' },
    { run: 'proc sandbox stop --quiet', doc: 'Without a word' },
  ],
  async plan(_, ctx) {
    const running = await runningSandbox(ctx.env);
    const result = (): Result =>
      running === undefined
        ? { kind: 'record', value: { stopped: false, reason: 'no sandbox was running' } }
        : {
            kind: 'record',
            idField: 'url',
            value: { stopped: true, url: running.url, pid: running.pid },
          };
    return {
      would: result,
      async apply() {
        if (running === undefined) unregister(ctx.env);
        else await stopped(running, ctx);
        return result();
      },
    };
  },
});

async function stopped(running: Registration, ctx: Context): Promise<void> {
  await askToStop(running);
  const deadline = ctx.clock.monotonic() + STOP_MS;
  // It takes its word back last, when the database is free again.
  while (isRegistered(ctx.env, running.pid)) {
    if (ctx.clock.monotonic() > deadline) {
      throw new ProcError('sandbox_conflict', `The sandbox at ${running.url} does not stop`, {
        hint: `End its process: kill ${running.pid}`,
      });
    }
    await ctx.clock.sleep(STOP_POLL_MS, ctx.signal);
  }
}

const status = command({
  path: ['sandbox', 'status'],
  changes: 'nothing',
  prints: 'record',
  summary: 'Show whether a sandbox is running, and where',
  examples: [
    { run: 'proc sandbox status', doc: 'Exits 0 either way; look at `running`.' },
    { run: 'proc sandbox status -q running', doc: '`true` or `false`, for a script' },
  ],
  async handler(_, ctx) {
    const running = await runningSandbox(ctx.env);
    if (running === undefined) return { kind: 'record', value: { running: false } };
    const { url, pid, port, db, key } = running;
    return { kind: 'record', idField: 'url', value: { running: true, url, pid, port, db, key } };
  },
});

const reset = command({
  path: ['sandbox', 'reset'],
  changes: 'local',
  prints: 'record',
  summary: "Put the sandbox's data back to what it started with",
  description: 'Refuses while a sandbox is running on the database.',
  flags: { db: DB_FLAG, empty: HABIT_FLAGS.empty },
  examples: [
    { run: 'proc sandbox reset', doc: 'Forget everything that was created in it.' },
    { run: 'proc sandbox reset --empty', doc: 'Keys only: no orders, sectors or addresses.' },
  ],
  exitCodes: [EXIT.configuration],
  async plan({ flags }, ctx) {
    const db = databaseFile(ctx, flags.db);
    checkSandboxDatabase(db, false);
    const result = (): Result => ({
      kind: 'record',
      idField: 'db',
      value: { reset: true, db, empty: flags.empty },
    });
    return {
      would: result,
      async apply() {
        resetSandboxDatabase(db, flags.empty);
        sandboxReset(ctx.env, db);
        return result();
      },
    };
  },
});

const exec = command({
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
  async plan({ args, flags }, ctx) {
    const words = args.command as readonly [string, ...string[]];
    return {
      would: () => ({ kind: 'record', value: { run: words, in: 'a fresh sandbox' } }),
      apply: async () => ({ kind: 'none', exitCode: await execInSandbox(ctx, words, flags) }),
    };
  },
});

export const commands: readonly CommandSpec[] = [start, stop, status, reset, exec];
