import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { examine } from '../support/doctor.ts';
import { always, http, startHostile, targetOf } from '../support/hostile-service.ts';
import { runHere } from '../support/in-process.ts';
import { KEY } from '../support/raw-http.ts';
import { freshWorld } from '../support/run.ts';
import { startTestSandbox } from '../support/sandbox.ts';

/** Nothing listens on port 9. */
const CLOSED = 'http://127.0.0.1:9/api/v1';

describe('proc doctor', () => {
  it('lists a working setup in order, as a table on a terminal', async () => {
    const sandbox = await startTestSandbox();
    const world = await freshWorld({ PROC_BASE_URL: sandbox.baseUrl, NO_COLOR: '1' });
    const ran = await runHere(['doctor'], world.env, { terminal: true, columns: 100 });
    expect(ran.exitCode).toBe(0);
    expect(ran.stdout).toMatch(/^config +ok /m);
    expect(ran.stdout).toMatch(/^service +ok +GET \/sectors\/ returns 200/m);
    expect(ran.stderr.trimEnd().split('\n').at(-1)).toMatch(/^All well[;.]/);
    expect(ran.stderr).not.toContain('?limit=101');
    expect(ran.stdout + ran.stderr).not.toContain(KEY);
    const more = await runHere(['doctor', '-v'], world.env, { terminal: true, columns: 100 });
    expect(more.stderr).toContain('?limit=2 → 2 rows');
    expect(more.stderr.trimEnd().split('\n').at(-1)).toMatch(/^All well[;.]/);
  });

  it('sends GETs only', async () => {
    await using service = await startHostile(always(http(200, '[]')));
    const world = await freshWorld(targetOf(service));
    await examine(world.env);
    expect(service.requests.length).toBeGreaterThan(20);
    expect(new Set(service.requests.map(({ method }) => method))).toEqual(new Set(['GET']));
  });

  it('works with a broken configuration, as help and completion do', async () => {
    const world = await freshWorld();
    await mkdir(world.configDir, { recursive: true });
    await writeFile(join(world.configDir, 'config.json'), '{"profiles": [');
    const { exitCode, at } = await examine(world.env);
    expect(exitCode).toBe(3);
    expect(at('config')).toMatchObject({ status: 'problem', exitCode: 3 });
    expect(at('config').finding).toContain('config.json: line 1');
    expect(at('config').hint).toMatch(/\w/);
    expect(at('state folder').status).toBe('ok');
    for (const check of ['target', 'credential', 'dns', 'service', 'clock', 'list parameters']) {
      expect(at(check)).toMatchObject({
        status: 'skipped',
        finding: 'fix the problems above first',
      });
    }
    const { stdout } = await world.run(['doctor', '-o', 'table']);
    expect(stdout).toMatch(/^CHECK +STATUS +FINDING +NEXT STEP$/m);
    expect(stdout).toMatch(new RegExp(`^config +problem .*${at('config').hint!.slice(-20)}$`, 'm'));
    const seen = await runHere(['doctor'], world.env, { terminal: true, columns: 100 });
    expect(seen.stderr.replace(/\s+/g, ' ').trimEnd().endsWith(at('config').hint!)).toBe(true);
    for (const words of [
      ['help'],
      ['help', 'orders', 'list'],
      ['completion', 'bash'],
      ['schema', 'items'],
    ]) {
      expect((await world.run(words)).exitCode).toBe(0);
    }
  });

  it('shows a wrong dialect and a wrong output format once each, and no ok for the configuration', async () => {
    const { baseUrl } = await startTestSandbox();
    const { env } = await freshWorld({ PROC_BASE_URL: baseUrl });
    for (const [name, value] of [
      ['PROC_DIALECT', 'foo=bar'],
      ['PROC_OUTPUT', 'xx'],
    ] as const) {
      const args = name === 'PROC_OUTPUT' ? ['doctor'] : ['doctor', '-o', 'json'];
      const ran = await runHere([...args, '--quick'], { ...env, [name]: value });
      const checks = JSON.parse(ran.stdout) as { check: string; status: string; finding: string }[];
      const row = name === 'PROC_OUTPUT' ? 'output' : 'config';
      const about = checks.filter(({ check }) => check === row);
      if (name === 'PROC_OUTPUT') {
        expect(checks.find(({ check }) => check === 'service')).toMatchObject({ status: 'ok' });
      }
      expect(about).toMatchObject([{ status: 'problem', finding: expect.stringContaining(name) }]);
      expect(ran.exitCode).toBeGreaterThan(0);
    }
  });

  it('names an unknown profile', async () => {
    const world = await freshWorld();
    const { exitCode, at } = await examine(world.env, '-p', 'acmee');
    expect([exitCode, at('config').finding]).toEqual([
      3,
      'no profile is named "acmee" (--profile)',
    ]);
  });

  it.each([
    [401, 4],
    [403, 4],
    [404, 5],
    [418, 6],
    [302, 6],
    [500, 7],
    [429, 7],
  ])('ends with the code of a response with %i', async (status, code) => {
    await using service = await startHostile(always(http(status, '{"message":"no"}')));
    const { exitCode, at, checks } = await examine((await freshWorld(targetOf(service))).env);
    expect(exitCode).toBe(code);
    expect(at('service')).toMatchObject({ status: 'problem', exitCode: code });
    expect(checks.some(({ check }) => check === 'orders limit')).toBe(false);
  });

  it('reports that nothing listens, and how to start the sandbox', async () => {
    const world = await freshWorld({ PROC_BASE_URL: CLOSED });
    const { exitCode, at } = await examine(world.env);
    expect([exitCode, at('service').hint]).toEqual([7, 'Start the sandbox: proc sandbox start']);
  });

  it('names a host that does not exist', async () => {
    const world = await freshWorld({
      PROC_BASE_URL: 'https://no-such-host.invalid/api/v1',
      PROC_API_KEY: 'k',
    });
    const { exitCode, at } = await examine(world.env);
    expect([exitCode, at('dns').status]).toEqual([7, 'problem']);
  });

  it('detects a wrong clock', async () => {
    const date = new Date(Date.now() + 3_600_000).toUTCString();
    await using service = await startHostile(always(http(200, '[]', { date })));
    const { exitCode, at } = await examine((await freshWorld(targetOf(service))).env, '--quick');
    expect(at('clock').status).toBe('warning');
    expect(at('clock').finding).toMatch(/is 3(599|600) s behind the service/);
    expect(exitCode).toBe(0);
  });

  it.each(['http://user:hunter2@127.0.0.1:9', 'user:hunter2@127.0.0.1:9'])(
    'does not show the password of a proxy: %s',
    async (proxy) => {
      const world = await freshWorld({
        PROC_BASE_URL: 'https://procurement.invalid/api/v1',
        PROC_API_KEY: 'k',
        HTTPS_PROXY: proxy,
      });
      const { checks, at, stderr } = await examine(world.env, '--quick');
      expect(at('proxy').finding).toContain('127.0.0.1:9');
      expect(JSON.stringify(checks) + stderr).not.toContain('hunter2');
    },
  );

  it('names a state folder that cannot be written', async () => {
    const world = await freshWorld();
    const file = await world.file('in-the-way', '');
    const { at, exitCode } = await examine(
      { ...world.env, PROC_STATE_DIR: join(file, 'state'), PROC_BASE_URL: CLOSED },
      '--quick',
    );
    expect(at('state folder')).toMatchObject({ status: 'problem', exitCode: 3 });
    expect(exitCode).toBe(7);
  });
});

describe('proc doctor stores what it found', () => {
  const dialect =
    'orders.limit=max,items.limit=size,orders.page=pageNo,orders.pageBase=0,sort=orderBy';

  async function withProfile() {
    const sandbox = await startTestSandbox({ dialect });
    const world = await freshWorld();
    const add = [
      'profile',
      'add',
      'acme',
      '-e',
      'test',
      '--base-url',
      sandbox.baseUrl,
      '--api-key-stdin',
    ];
    expect((await world.run(add, { input: `${KEY}-2\n` })).exitCode).toBe(0);
    return world;
  }

  it('stores the detected names, which lists then use', async () => {
    const world = await withProfile();
    await world.run([
      'profile',
      'set',
      'acme',
      '-e',
      'test',
      'dialect=sectorValue=id,items.dir=way',
    ]);
    const { at, exitCode } = await examine(world.env);
    expect(exitCode).toBe(0);
    expect(at('stored names').finding).toBe(
      'stored for acme · test: limit=max,page=pageNo,pageBase=0,sort=orderBy,dir=dir,sectorValue=id',
    );
    const config = JSON.parse(await readFile(join(world.configDir, 'config.json'), 'utf8'));
    expect(at('stored names').finding).toContain(config.profiles.acme.environments.test.dialect);
    const again = await examine(world.env);
    expect(again.checks.filter(({ status }) => status === 'warning')).toEqual([]);
    const list = await world.run(['orders', 'list', '--all', '-o', 'id']);
    expect(list.exitCode).toBe(0);
  });

  it('says why it cannot store without a profile, and what to set instead', async () => {
    const sandbox = await startTestSandbox({ dialect: 'limit=top' });
    const world = await freshWorld({ PROC_BASE_URL: sandbox.baseUrl });
    const { at, exitCode } = await examine(world.env);
    expect(exitCode).toBe(0);
    expect(at('stored names').status).toBe('warning');
    const [, text] = /PROC_DIALECT='(.*)'$/.exec(at('stored names').hint ?? '')!;
    const again = await examine({ ...world.env, PROC_DIALECT: text });
    expect(again.checks.filter(({ status }) => status === 'warning')).toEqual([]);
  });

  it('ends with what it stored', async () => {
    const world = await withProfile();
    const table = await world.run(['doctor', '-o', 'table']);
    expect(table.stderr + table.stdout).toMatch(/stored for acme · test: limit=max/);
    expect((await examine(world.env)).checks.map(({ check }) => check)).not.toContain(
      'stored names',
    );
  });
});
