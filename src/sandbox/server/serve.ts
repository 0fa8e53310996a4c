import { randomBytes } from 'node:crypto';
import type { Context } from '../../core/command.ts';
import { sandboxStarted } from '../../history/sandboxes.ts';
import { announce, announcementOf, requestLine } from './announcement.ts';
import { register, runningSandbox, unregister } from './registration.ts';
import { type Sandbox, startSandbox } from './server.ts';

interface ServeFlags {
  readonly port: number;
  readonly db: string | undefined;
  readonly empty: boolean;
  readonly dialect: string | undefined;
  readonly faults: string | undefined;
}

/** Runs a sandbox until a signal comes or `sandbox stop` asks. */
export async function serve(ctx: Context, flags: ServeFlags): Promise<void> {
  const asked = Promise.withResolvers<void>();
  ctx.signal.addEventListener('abort', () => asked.resolve(), { once: true });
  if (ctx.signal.aborted) asked.resolve();
  const token = randomBytes(16).toString('hex');
  const sandbox = await startSandbox({
    ...flags,
    control: { token, stop: () => asked.resolve() },
    onRequest: ctx.globals.quiet
      ? undefined
      : (entry) => ctx.say({ kind: 'http', text: requestLine(entry), data: entry }),
  });
  try {
    sandboxStarted(ctx.env, sandbox.baseUrl, flags.db);
    await introduce(ctx, sandbox, token);
    await asked.promise;
  } finally {
    await sandbox.close();
    unregister(ctx.env, ctx.pid);
  }
}

/** Leaves word for other commands, unless another sandbox did before, and prints the address. */
async function introduce(ctx: Context, sandbox: Sandbox, token: string): Promise<void> {
  const announcement = announcementOf(sandbox, ctx.pid);
  if ((await runningSandbox(ctx.env)) === undefined) {
    const { url, pid, port, db, key } = announcement;
    register(ctx.env, { url, pid, port, db, key, control: token });
  }
  await announce(ctx, announcement, 'Stop it with Ctrl-C.');
}
