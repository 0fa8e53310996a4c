import { register, unregister } from '../../src/sandbox/server/registration.ts';
import {
  type Sandbox,
  type SandboxOptions,
  startSandbox,
} from '../../src/sandbox/server/server.ts';

const TOKEN = 'test';
type Env = Readonly<Record<string, string | undefined>>;
const started = new Map<string, Sandbox>();
/** The environments whose state folder has this process as its sandbox. */
const registered = new Set<Env>();

/** A sandbox in this process. The state folder of each world that imports into it counts as its starter. */
export async function startOwnSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const stop = () => {
    for (const env of registered) unregister(env, process.pid);
    registered.clear();
  };
  const control = { token: TOKEN, stop };
  const sandbox = await startSandbox({ control, ...options });
  if (options.control === undefined) started.set(sandbox.baseUrl, sandbox);
  return {
    ...sandbox,
    close: () => {
      started.delete(sandbox.baseUrl);
      return sandbox.close();
    },
  };
}

/** As `proc sandbox start` does. Only for imports, because other tests look at the files of the folder. */
export function registerOwnSandbox(words: readonly string[], env: Env): void {
  const sandbox = started.get(env.PROC_BASE_URL ?? '');
  if (sandbox === undefined || !words.includes('import') || words.includes('--dry-run')) return;
  const { baseUrl: url, port, dbPath: db } = sandbox;
  const key = sandbox.keys[0]!.apiKey;
  try {
    register(env, { url, port, db, key, pid: process.pid, control: TOKEN, settleMs: 2_000 });
    registered.add(env);
  } catch {
    // The folder of this test cannot be written.
  }
}
