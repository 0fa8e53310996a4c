import { randomBytes } from 'node:crypto';
import type { Env, Ports } from '../../core/ports.ts';
import { openHistory } from '../../history/store.ts';
import { hasLedger } from '../../ledger/open-ledger.ts';
import { usualPort } from '../../settings/read/built-in.ts';
import { stateDir } from '../../settings/read/paths.ts';
import { parseFaults, parseHabits } from '../faults/behaviour.ts';
import { announce, announcementOf, requestLine } from './announcement.ts';
import { freePort } from './listen.ts';
import { register, rememberPort, runningSandbox, unregister } from './registration.ts';
import { type Sandbox, startSandbox } from './server.ts';

interface ServeFlags {
  readonly port: number | undefined;
  readonly db: string | undefined;
  readonly empty: boolean;
  readonly asOf: string | undefined;
  readonly dialect: string | undefined;
  readonly habits: string | undefined;
  readonly faults: string | undefined;
}

export async function serve(ports: Ports<'io' | 'self'>, flags: ServeFlags): Promise<void> {
  const asked = Promise.withResolvers<void>();
  ports.self.signal.addEventListener('abort', () => asked.resolve(), { once: true });
  if (ports.self.signal.aborted) asked.resolve();
  const token = randomBytes(16).toString('hex');
  const { env } = ports.self;
  const sandbox = await startSandbox({
    ...flags,
    port: flags.port ?? (await freePort(usualPort(env))),
    asOf: flags.asOf ?? 'today',
    control: { token, stop: () => asked.resolve() },
    onRequest: ports.self.flags.quiet
      ? undefined
      : (entry) => ports.io.say({ kind: 'http', text: requestLine(entry), data: entry }),
  });
  try {
    await sandboxStarted(env, sandbox, flags.db !== undefined);
    const isRegistered = await introduce(ports, sandbox, token, settleMsWith(flags));
    if (isRegistered && flags.port === undefined) keepPort(ports, sandbox.port);
    await asked.promise;
  } finally {
    await sandbox.close();
    unregister(env, ports.self.pid);
  }
}

/** If another sandbox runs and is registered, its registration stays. */
async function introduce(
  ports: Ports<'io' | 'self'>,
  sandbox: Sandbox,
  token: string,
  settleMs: number,
): Promise<boolean> {
  const announcement = announcementOf(sandbox, ports.self.pid);
  const isFirst = (await runningSandbox(ports.self.env)) === undefined;
  if (isFirst) {
    const { url, pid, port, db, key } = announcement;
    register(ports.self.env, { url, pid, port, db, key, control: token, settleMs });
  }
  await announce(ports, announcement, 'To stop it, press Ctrl-C.');
  return isFirst;
}

/** The history of a sandbox belongs to its address, so the next start takes the same port. */
function keepPort({ io, self }: Ports<'io' | 'self'>, port: number): void {
  const usual = usualPort(self.env);
  if (port === usual) return;
  rememberPort(self.env, port);
  const text = `Another program uses port ${usual}. The sandbox uses port ${port} from now on.`;
  io.say({ kind: 'notice', text });
}

const SETTLE_MS = 2_000;

/** How long the sandbox may take to apply a request, and to list its record. */
function settleMsWith({ faults, habits }: Pick<ServeFlags, 'faults' | 'habits'>): number {
  const { lateCommitMs, latency } = parseFaults(faults ?? '');
  const { lagMs } = parseHabits(habits ?? '');
  const latencyMs = latency === undefined ? 0 : latency.ms + latency.jitter;
  return SETTLE_MS + lateCommitMs + latencyMs + lagMs;
}

/**
 * Forgets what was sent to an earlier sandbox at the same base URL, unless this one has the same database: with
 * another database, or after a reset, it is another service.
 *
 * @param isKept false for a temporary database, for which no history is created
 */
async function sandboxStarted(
  env: Env,
  { baseUrl, databaseId }: { readonly baseUrl: string; readonly databaseId: string },
  isKept: boolean,
): Promise<void> {
  const folder = stateDir(env);
  if (!isKept && !hasLedger(folder)) return;
  const history = openHistory(folder);
  try {
    await history.noteSandbox(baseUrl, databaseId);
  } finally {
    history.close();
  }
}
