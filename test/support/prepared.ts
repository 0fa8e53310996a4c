import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { type SandboxOptions, startSandbox } from '../../src/sandbox/server.ts';
import { atTestEnd } from './at-end.ts';
import { programWords } from './built.ts';
import { startOwnSandbox } from './dialects.ts';
import { type Door, openDoor } from './door.ts';
import { http, startHostile } from './hostile-service.ts';
import { openWorld, ROOT, type World } from './run.ts';
import { runTyped } from './typed-line.ts';

/** Everything that examples and documentation refer to. Each test gets a copy of it. */
export interface Prepared {
  readonly world: World & AsyncDisposable;
  readonly database: string;
  readonly door: Door;
  /** From each name in the examples to the name that proc generated. */
  readonly names: ReadonlyMap<string, string>;
}

/** The day on which the pages of documentation were written down. */
const AS_OF = '2013-08-10';

export async function prepare(): Promise<Prepared> {
  const world = await openWorld();
  await cp(join(ROOT, 'examples'), join(world.cwd, 'examples'), { recursive: true });
  await world.file('key.txt', 'key-of-acme\n');
  const database = join(world.folder, 'sandbox.db');
  const run = async (exitCode: number, line: string, env = {}) => {
    const ran = await runTyped(world, `proc ${line}`, { env });
    if (ran.exitCode !== exitCode) throw new Error(`${line}: ${ran.exitCode}\n${ran.stderr}`);
    return ran.stdout.trim();
  };

  // Makes a run that stopped at a 401, and a create whose outcome is unknown after a 500.
  const unwilling = await startHostile((socket, { method, body }) => {
    const status = body.includes('Unknown') ? 500 : 401;
    socket.write(method === 'GET' ? http(200, '[]') : http(status));
  });
  const door = await openDoor(unwilling.port);
  const { baseUrl } = door;
  const env = { PROC_BASE_URL: baseUrl, PROC_API_KEY: 'proc-sandbox-key' };
  const add = `profile add sandbox -e local --base-url ${baseUrl} --api-key-stdin`;
  await world.run(add.split(' '), { input: 'proc-sandbox-key\n' });
  await world.file('other.csv', 'code,name\nZ-1,Zed\n');
  await run(10, 'items import other.csv --yes', env);
  await world.file('doubtful.csv', 'reference,account,amount,notes\nINV-1,a,1,Unknown\n');
  await run(9, 'imputations import doubtful.csv --yes --set contractId=k-1 --first-run', env);
  const doubtful = await run(0, 'imports list -o id --where noun=imputations');
  await world.file(
    'doubts.csv',
    'reference,account,amount,notes\nA,a,1,Unknown\nB,a,1,Unknown\nC,a,1,Unknown\n',
  );
  await run(9, 'imputations import doubts.csv --yes --set contractId=k-1', env);
  const [doubts = ''] = (await run(0, 'imports list -o id --where noun=imputations')).split('\n');
  await run(9, 'items create --name Unknown', env);
  const importRun = await run(0, 'imports list -o id --where noun=items');
  const [entry = ''] = (await run(0, 'history list --open -o id')).split('\n');
  await unwilling.close();

  const sandbox = await startSandbox({ db: database, asOf: AS_OF, hasItems: true });
  door.to = sandbox.port;
  const groups =
    '--group name=Plant,delivery=delivery,address=adr-1 --group name=Shop,delivery=pickup';
  const items =
    '--item code=CS-4759,quantity=4,group=Plant --item code=WB-H098,quantity=1,group=Shop';
  await run(0, `requisition create --title Parts ${groups} ${items}`, env);
  // An import of requisitions, so that later ones need no --first-run.
  await world.file(
    'first.ndjson',
    '{"title":"First","groups":[{"deliveryMethod":"pickup","items":[{"quantity":1,"itemId":"itm-1"}]}]}\n',
  );
  await run(0, 'requisition import first.ndjson --yes --first-run', env);
  await run(0, 'sectors patch sec-20 --description Renamed', env);
  const patched = await run(0, 'history list --noun sectors -o id', env);
  await run(0, 'profile add acme -e staging --base-url https://staging.example.com/api/v1');
  await sandbox.close();

  const names = new Map([
    ['20260301-093000-1a2b3c', importRun],
    ['20260302-110000-3c4d5e', doubtful],
    ['20260303-120000-5e6f7a', doubts],
    ['h-7k3mqd', entry],
    ['h-5n8rwt', patched],
  ]);
  return { world, database, door, names };
}

interface CopyOptions {
  readonly withSettings?: boolean;
  /** Put settings and state into their default folders below the home folder. */
  readonly atHome?: boolean;
  readonly onRequest?: SandboxOptions['onRequest'];
}

/** A copy of everything, with a sandbox on the default address and `proc` on the PATH. */
export async function withCopy<T>(
  { world: from, database, door }: Prepared,
  { withSettings = true, atHome = false, onRequest }: CopyOptions,
  fn: (world: World) => Promise<T>,
): Promise<T> {
  await using world = await openWorld();
  const state = atHome ? join(world.folder, '.local/state/proc') : world.stateDir;
  const config = atHome ? join(world.folder, '.config/proc') : world.configDir;
  cpSync(from.cwd, world.cwd, { recursive: true });
  cpSync(from.stateDir, state, { recursive: true });
  if (withSettings) cpSync(from.configDir, config, { recursive: true });
  const copy = join(atHome ? state : world.folder, 'sandbox.db');
  cpSync(database, copy);
  const bin = join(world.folder, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'proc'), `#!/bin/sh\nexec ${programWords()} "$@"\n`, { mode: 0o755 });
  const sandbox = await startOwnSandbox({ db: copy, onRequest });
  door.to = sandbox.port;
  const closed = atTestEnd(() => sandbox.close());
  try {
    const { PROC_CONFIG_DIR, PROC_STATE_DIR, ...rest } = world.env;
    const env = {
      ...(atHome ? rest : { ...rest, PROC_CONFIG_DIR: config, PROC_STATE_DIR: state }),
      PATH: `${bin}:${world.env.PATH}`,
      PROC_BASE_URL: door.baseUrl,
      PROC_API_KEY: 'proc-sandbox-key',
    };
    return await fn({ ...world, stateDir: state, configDir: config, env });
  } finally {
    closed();
    await sandbox.close();
  }
}

/** Replaces the names of the examples in a line by the names that proc generated. */
export function typed(line: string, { names }: Prepared): string {
  let text = line;
  for (const [shown, real] of names) text = text.replaceAll(shown, real);
  return text;
}
