import { createServer } from 'node:http';
import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import type { Row } from '../../core/result.ts';
import { usualPort } from '../../settings/read/built-in.ts';
import { checkSandboxDatabase, dayOf } from '../database/database.ts';
import { parseFaults, parseHabits } from '../faults/behaviour.ts';
import { closeServer, freePort, HOST, listenOn } from './listen.ts';
import { runningSandbox } from './registration.ts';

export interface StartPlan {
  /** Undefined: the usual port, or a free one if another program uses it. */
  readonly port: number | undefined;
  /** Undefined for a temporary database, removed at the end. */
  readonly db: string | undefined;
  readonly empty: boolean;
  /** As `--as-of`; undefined for today. */
  readonly asOf: string | undefined;
  readonly dialect: string | undefined;
  readonly habits: string | undefined;
  readonly faults: string | undefined;
  readonly detach: boolean;
}

/**
 * Makes the checks of `sandbox start`, and returns what it would do.
 *
 * @throws ProcError `sandbox_conflict`, `invalid_usage`, `invalid_setting`
 */
export async function wouldStart(plan: StartPlan, ports: Ports<'self'>): Promise<Row> {
  const { db, empty, asOf = 'today', detach } = plan;
  parseHabits(plan.habits ?? '', plan.dialect);
  if (plan.faults !== undefined) parseFaults(plan.faults);
  if (detach) await refuseSecond(ports);
  if (db === undefined) dayOf(asOf);
  else checkSandboxDatabase(db, { empty, asOf });
  const port = plan.port ?? (await freePort(usualPort(ports.self.env)));
  const server = createServer();
  await listenOn(server, port);
  await closeServer(server);
  return {
    url: port === 0 ? null : `http://${HOST}:${port}/api/v1`,
    port,
    db: db ?? null,
    empty,
    detach,
  };
}

/** @throws ProcError `sandbox_conflict` */
export async function refuseSecond(ports: Ports<'self'>): Promise<void> {
  const running = await runningSandbox(ports.self.env);
  if (running === undefined) return;
  throw new ProcError('sandbox_conflict', `a sandbox is already running at ${running.url}`, {
    hint: 'Use it, or stop it first: proc sandbox stop',
  });
}
