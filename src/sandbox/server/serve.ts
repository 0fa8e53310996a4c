import { randomBytes } from 'node:crypto';
import type { Env, Ports } from '../../core/ports.ts';
import { openExistingHistory, openHistory } from '../../history/store.ts';
import { parseFaults, parseHabits } from '../faults/behaviour.ts';
import { announce, announcementOf, requestLine } from './announcement.ts';
import { register, runningSandbox, unregister } from './registration.ts';
import { type Sandbox, startSandbox } from './server.ts';

interface ServeFlags {
  readonly port: number;
  readonly db: string | undefined;
  readonly empty: boolean;
  readonly dialect: string | undefined;
  readonly habits: string | undefined;
  readonly faults: string | undefined;
}

export async function serve(ports: Ports<'io' | 'self'>, flags: ServeFlags): Promise<void> {
  const asked = Promise.withResolvers<void>();
  ports.self.signal.addEventListener('abort', () => asked.resolve(), { once: true });
  if (ports.self.signal.aborted) asked.resolve();
  const token = randomBytes(16).toString('hex');
  const sandbox = await startSandbox({
    ...flags,
    control: { token, stop: () => asked.resolve() },
    onRequest: ports.self.flags.quiet
      ? undefined
      : (entry) => ports.io.say({ kind: 'http', text: requestLine(entry), data: entry }),
  });
  try {
    await sandboxStarted(ports.self.env, sandbox, flags.db !== undefined);
    await introduce(ports, sandbox, token, settleMsWith(flags));
    await asked.promise;
  } finally {
    await sandbox.close();
    unregister(ports.self.env, ports.self.pid);
  }
}

/** If another sandbox runs and is registered, its registration stays. */
async function introduce(
  ports: Ports<'io' | 'self'>,
  sandbox: Sandbox,
  token: string,
  settleMs: number,
): Promise<void> {
  const announcement = announcementOf(sandbox, ports.self.pid);
  if ((await runningSandbox(ports.self.env)) === undefined) {
    const { url, pid, port, db, key } = announcement;
    register(ports.self.env, { url, pid, port, db, key, control: token, settleMs });
  }
  await announce(ports, announcement, 'To stop it, press Ctrl-C.');
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
  const history = isKept ? openHistory(env) : openExistingHistory(env);
  if (history === undefined) return;
  try {
    await history.noteSandbox(baseUrl, databaseId);
  } finally {
    history.close();
  }
}
