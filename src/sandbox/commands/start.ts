import { command } from '../../core/command.ts';
import { ProcError } from '../../core/errors.ts';
import { EXIT } from '../../core/exit-codes.ts';
import type { Ports } from '../../core/ports.ts';
import { DEFAULT_PORT } from '../../settings/read/built-in.ts';
import { announce } from '../server/announcement.ts';
import { startDetached } from '../server/detach.ts';
import { serve } from '../server/serve.ts';
import { refuseSecond, type StartPlan, wouldStart } from '../server/start-plan.ts';
import { DB_FLAG, databaseFile } from './database-flag.ts';
import { HABIT_FLAGS } from './habit-flags.ts';

export const start = command({
  path: ['sandbox', 'start'],
  changes: 'local',
  prints: 'announcement',
  summary: 'Start a local server that implements the whole API',
  description:
    'An HTTP server with a SQLite database, on loopback only, with sample orders, sectors and addresses. Runs until Ctrl-C, then exits 0; acknowledged writes are kept. Without any configuration, all other commands use it.',
  flags: {
    port: {
      kind: 'integer',
      min: 0,
      max: 65_535,
      doc: 'port; 0: any free one',
      defaultText: `${DEFAULT_PORT}, or a free one if another program uses it`,
    },
    db: DB_FLAG,
    ephemeral: { kind: 'boolean', doc: 'use a temporary database, removed at the end' },
    ...HABIT_FLAGS,
    detach: { kind: 'boolean', doc: 'run in the background; stop it with proc sandbox stop' },
  },
  examples: [
    { run: 'proc sandbox start', doc: 'start it and leave it running; use another terminal' },
    { run: 'proc sandbox start --detach', doc: 'start it in the background' },
    {
      run: 'proc sandbox start --ephemeral --port 0 --dialect limit=pageSize,offset=skip',
      doc: 'with other names of the list parameters',
    },
  ],
  exitCodes: [EXIT.configuration],
  needs: ['io', 'self'],
  async plan({ flags }, ports) {
    if (flags.ephemeral && flags.db !== undefined) {
      throw new ProcError('invalid_usage', '--db and --ephemeral cannot be combined', {
        hint: 'Remove one of them',
      });
    }
    const db = flags.ephemeral ? undefined : databaseFile(ports, flags.db);
    const plan = { ...flags, db };
    return {
      would: async () => ({ kind: 'record', value: await wouldStart(plan, ports), idField: 'url' }),
      async apply() {
        if (flags.detach) await detach(plan, ports);
        else await serve(ports, plan);
        return { kind: 'none' };
      },
    };
  },
});

async function detach(plan: StartPlan, ports: Ports<'io' | 'self'>): Promise<void> {
  await refuseSecond(ports);
  const { port, db, empty, asOf, dialect, habits, faults } = plan;
  const args = db === undefined ? ['--ephemeral'] : ['--db', db];
  if (port !== undefined) args.push('--port', String(port));
  if (asOf !== undefined) args.push('--as-of', asOf);
  if (empty) args.push('--empty');
  if (dialect !== undefined) args.push('--dialect', dialect);
  if (habits !== undefined) args.push('--habits', habits);
  if (faults !== undefined) args.push('--faults', faults);
  await announce(ports, await startDetached(ports, args), 'To stop it, run: proc sandbox stop');
}
