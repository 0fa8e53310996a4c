import { mkdir, writeFile } from 'node:fs/promises';
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
    expect(ran.stdout).toMatch(/^service +ok +GET \/sectors\/ returns a list/m);
    expect(ran.stderr.trimEnd().split('\n').at(-1)).toMatch(/^All well/);
    expect(ran.stdout + ran.stderr).not.toContain(KEY);
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
    for (const check of ['target', 'credential', 'service', 'list names']) {
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
      ['PROC_LIST_NAMES', 'foo=bar'],
      ['PROC_OUTPUT', 'xx'],
    ] as const) {
      const args = name === 'PROC_OUTPUT' ? ['doctor'] : ['doctor', '-o', 'json'];
      const ran = await runHere(args, { ...env, [name]: value });
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
    [404, 5],
    [302, 6],
    [500, 7],
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
    expect([exitCode, at('service').status]).toEqual([7, 'problem']);
  });

  it('names a state folder that cannot be written', async () => {
    const world = await freshWorld();
    const file = await world.file('in-the-way', '');
    const { at, exitCode } = await examine({
      ...world.env,
      PROC_STATE_DIR: join(file, 'state'),
      PROC_BASE_URL: CLOSED,
    });
    expect(at('state folder')).toMatchObject({ status: 'problem', exitCode: 3 });
    expect(exitCode).toBe(7);
  });
});
