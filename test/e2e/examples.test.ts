import { chmod, cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NOUNS } from '../../src/cli/registry.ts';
import { systemClock } from '../../src/core/clock.ts';
import { startSandbox } from '../../src/sandbox/server.ts';
import { Drafts } from '../../src/wizard/drafts.ts';
import { http, startHostile } from '../support/hostile-service.ts';
import { startPty } from '../support/pty.ts';
import { binary, openWorld, ROOT, type World } from '../support/run.ts';

/** All that the examples refer to, made once and copied for each. */
interface Prepared {
  readonly world: World & AsyncDisposable;
  readonly database: string;
  readonly port: number;
  /** Names that proc makes up, by those that the examples use for them. */
  readonly names: ReadonlyMap<string, string>;
}

const specs = (await Promise.all(NOUNS.map((noun) => noun.load()))).flat();
const EXAMPLES = specs.flatMap(({ path, examples }) =>
  examples.map(({ run }) => [run, path.join(' ')] as const),
);

/** Examples that ask: they run on a terminal until the first question, then get these keys. */
const ASKING: Readonly<Record<string, { shows: string; keys: string; exitCode: number }>> = {
  'proc sectors delete sec-9': { shows: 'sec-9', keys: 'y\r', exitCode: 0 },
  'proc addresses delete adr-9': { shows: 'adr-9', keys: 'y\r', exitCode: 0 },
  'proc requisition draft discard d-7k3mqd': { shows: '?', keys: 'y\r', exitCode: 0 },
  'proc auth login -p acme -e staging': { shows: 'acme', keys: 'key-of-acme\r', exitCode: 0 },
  'proc requisition wizard': { shows: '?', keys: '\u0003', exitCode: 130 },
  'proc requisition wizard --from last --lang es': { shows: '?', keys: '\u0003', exitCode: 130 },
  'proc requisition draft edit d-7k3mqd': { shows: '?', keys: '\u0003', exitCode: 130 },
  'proc setup': { shows: '?', keys: '\u0003', exitCode: 130 },
  'proc orders list --all --watch 5s': { shows: 'PO-00001', keys: '\u0003', exitCode: 130 },
};

/** Where the set-up that others need would be in the way. */
const WITHOUT_PROFILE = ['proc profile add'];

let prepared: Prepared;

beforeAll(async () => {
  prepared = await prepare();
});
afterAll(() => prepared.world[Symbol.asyncDispose]());

async function prepare(): Promise<Prepared> {
  const world = await openWorld();
  await cp(join(ROOT, 'examples'), join(world.cwd, 'examples'), { recursive: true });
  await world.file('key.txt', 'key-of-acme\n');
  const database = join(world.folder, 'sandbox.db');
  const run = async (exitCode: number, line: string, env = {}) => {
    const ran = await world.shell(`"$NODE" "$PROC" ${line}`, { env });
    expect(ran, `${line}\n${ran.stderr}`).toMatchObject({ exitCode });
    return ran.stdout.trim();
  };

  // An import that its service stopped, and a create whose outcome is unknown.
  const unwilling = await startHostile((socket, { method, body }) => {
    const status = body.includes('Unknown') ? 500 : 401;
    socket.write(method === 'GET' ? http(200, '[]') : http(status));
  });
  const { port } = unwilling;
  const env = { PROC_BASE_URL: unwilling.baseUrl, PROC_API_KEY: 'proc-sandbox-key' };
  await world.file('other.csv', 'code,name\nZ-1,Zed\n');
  await run(10, 'items import other.csv --yes', env);
  await world.file('doubtful.csv', 'reference,notes\nINV-1,Unknown\n');
  await run(9, 'imputations import doubtful.csv --yes', env);
  const doubtful = await run(0, 'imports list -o id --where noun=imputations');
  await run(9, 'items create --name Unknown', env);
  const importRun = await run(0, 'imports list -o id --where noun=items');
  const entry = await run(0, 'history list --state unknown -o id | head -n 1');
  await unwilling.close();

  const sandbox = await startSandbox({ port, db: database });
  await run(0, 'items create --name "Adjustable Race" --code AR-5381', env);
  for (let at = 2; at <= 12; at++) {
    await run(0, `items create --name "Hex bolt ${at}" --code HB-${at}`, env);
  }
  await run(0, 'items create --name "Bearing Ball" --code BA-8327', env);
  const groups =
    '--group name=Plant,delivery=delivery,address=adr-1 --group name=Shop,delivery=pickup';
  const items = '--item code=AR-5381,quantity=4,group=Plant --item code=HB-2,quantity=1,group=Shop';
  await run(0, `requisition create --title Parts ${groups} ${items}`, env);
  await run(0, 'addresses alias adr-1 plant-cba', env);
  await run(0, 'profile add acme -e staging --base-url https://staging.example.com/api/v1');
  await run(0, 'profile use sandbox');
  await sandbox.close();

  const drafts = new Drafts(world.env, systemClock);
  const target = { profile: undefined, environment: undefined, baseUrl: env.PROC_BASE_URL };
  const item = { kind: 'new', fields: { name: 'Chain' }, more: [] } as const;
  const { id: draft } = drafts.save(
    drafts.fresh(target, {
      title: 'A draft',
      type: null,
      sector: null,
      code: null,
      groups: [
        {
          name: null,
          deliveryMethod: 'pickup',
          address: null,
          lines: [{ item, quantity: 1 }],
          isComplete: true,
        },
      ],
    }),
  );
  const names = new Map([
    ['20260301-093000-1a2b', importRun],
    ['20260302-110000-3c4d', doubtful],
    ['h-7k3mqd', entry],
    ['d-7k3mqd', draft],
  ]);
  return { world, database, port, names };
}

/** A copy of everything, with a sandbox on the usual address and `proc` on the PATH. */
async function withCopy<T>(run: string, fn: (world: World) => Promise<T>): Promise<T> {
  const { world: from, database, port } = prepared;
  await using world = await openWorld();
  await cp(from.cwd, world.cwd, { recursive: true });
  await cp(from.stateDir, world.stateDir, { recursive: true });
  if (!WITHOUT_PROFILE.some((start) => run.startsWith(start))) {
    await cp(from.configDir, world.configDir, { recursive: true });
  }
  const copy = join(world.folder, 'sandbox.db');
  await cp(database, copy);
  const bin = join(world.folder, 'bin');
  await mkdir(bin);
  await writeFile(join(bin, 'proc'), `#!/bin/sh\nexec "${process.execPath}" "${binary()}" "$@"\n`);
  await chmod(join(bin, 'proc'), 0o755);
  const sandbox = await startSandbox({ port, db: copy });
  try {
    // Names and keys as in a shell in which proc was set up.
    const env = {
      ...world.env,
      PATH: `${bin}:${world.env.PATH}`,
      PROC_BASE_URL: sandbox.baseUrl,
      PROC_API_KEY: 'proc-sandbox-key',
    };
    return await fn({ ...world, env });
  } finally {
    await sandbox.close();
  }
}

function typed(run: string): string {
  let line = run;
  for (const [shown, real] of prepared.names) line = line.replaceAll(shown, real);
  return line;
}

const isStart = (run: string) => run.startsWith('proc sandbox start');

describe('every example runs', () => {
  it('and every command has one', () => {
    expect(specs.filter(({ examples }) => examples.length === 0)).toEqual([]);
    for (const [run, path] of EXAMPLES) expect(`${run} `).toContain(`proc ${path} `);
    expect(Object.keys(ASKING).filter((run) => !EXAMPLES.some(([one]) => one === run))).toEqual([]);
  });

  it.each(EXAMPLES.filter(([run]) => ASKING[run] === undefined && !isStart(run)))(
    '%s',
    async (run) => {
      await withCopy(run, async (world) => {
        const ran = await world.shell(typed(run), { env: world.env });
        expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
        expect(ran.stderr).not.toMatch(/"error"|"warning"/);
      });
    },
  );

  it.each(EXAMPLES.filter(([run]) => ASKING[run] !== undefined))('%s', async (run) => {
    await withCopy(run, async (world) => {
      const { shows, keys, exitCode } = ASKING[run]!;
      const terminal = startPty(world, [], { shell: `exec ${typed(run)}` });
      await terminal.waitFor(shows);
      terminal.type(keys);
      expect(await terminal.exited, terminal.text()).toBe(exitCode);
    });
  });

  it.each(EXAMPLES.filter(([run]) => isStart(run)))('%s', async (run) => {
    await withCopy(run, async (world) => {
      // The usual port may be taken on the machine that runs the tests.
      const line = run.includes('--port') ? run : `${run} --port 0`;
      if (run.includes('--detach')) {
        const ran = await world.shell(`${line} && proc sandbox stop`, { env: world.env });
        expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
        return;
      }
      const terminal = startPty(world, [], { shell: line });
      await terminal.waitFor('The sandbox is running.');
      await terminal.waitFor('Stop it with Ctrl-C.');
      terminal.type('\u0003');
      expect(await terminal.exited).toBe(0);
    });
  });
});
