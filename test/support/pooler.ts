import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort, PASSWORD, USER, unprivileged } from './postgres.ts';

/** Debian has it in a folder that is not in everybody's PATH. */
const PATH = `${process.env.PATH}:/usr/sbin`;

/** Undefined if pgbouncer is not installed. */
export const pgbouncer: string | undefined = /^PgBouncer \S+/.exec(
  spawnSync('pgbouncer', ['--version'], { env: { PATH }, encoding: 'utf8' }).stdout ?? '',
)?.[0];

export interface Pooler extends AsyncDisposable {
  /** The address of a database through the pooler. */
  through(url: string): string;
}

/** PgBouncer that gives each transaction any of two connections. */
export async function startPooler(postgres: number): Promise<Pooler> {
  const folder = mkdtempSync('/tmp/proc-pooler-');
  const port = await freePort();
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const users = file('users.txt', `"${USER}" "${PASSWORD}"\n`);
  const settings = file(
    'pgbouncer.ini',
    `[databases]
* = host=127.0.0.1 port=${postgres}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
pool_mode = transaction
default_pool_size = 2
max_client_conn = 100
server_round_robin = 1
`,
  );
  const user = unprivileged();
  if (user.uid !== undefined) {
    for (const path of [folder, users, settings]) chownSync(path, user.uid, user.gid!);
  }
  const server = spawn('pgbouncer', [settings], {
    ...user,
    env: { PATH },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(server, 'exit');
  for await (const line of createInterface(server.stderr)) if (line.includes('process up')) break;
  server.stderr.resume();
  return {
    through(url) {
      const at = new URL(url);
      at.port = String(port);
      return at.href;
    },
    async [Symbol.asyncDispose]() {
      server.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
