import { describe, expect, it } from 'vitest';
import { errorOf, freshWorld, type World } from '../support/run.ts';
import { type ItemService, itemService, rowsOf } from './import-service.ts';

const ROWS = ['A-1', 'BAD-2', 'A-3', 'A-4'];
/** Short waits, because nobody answers at the wrong address. */
const SOON = ['PROC_SETTLE=1ms', '--timeout', '5s', 'PROC_PATIENCE=1s'];

/** The same address with `localhost` instead of 127.0.0.1. */
function respelled({ baseUrl }: Pick<ItemService, 'baseUrl'>): string {
  return baseUrl.replace('127.0.0.1', 'localhost');
}

/** The service rejects BAD-2. While `stop.isOn`, answers 401 from the third create on. */
async function stoppable() {
  const stop = { isOn: true };
  const service = await itemService((code, nth) => {
    if (stop.isOn && nth > 2) return { status: 401 };
    return code.startsWith('BAD') ? { status: 422, body: { message: 'is bad' } } : undefined;
  });
  return { service, stop, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
}

async function importRows(here: World, ...flags: string[]) {
  await here.file('rows.csv', rowsOf(ROWS));
  const args = ['items', 'import', 'rows.csv', '--yes', 'PROC_CONCURRENCY=1', ...SOON, ...flags];
  const ran = await here.run(args);
  return { ...ran, summary: JSON.parse(ran.stdout) };
}

describe('a service addressed as localhost instead of 127.0.0.1', () => {
  it('can resume a run', async () => {
    await using world = await stoppable();
    const { service, stop } = world;
    const here = await freshWorld(service.target);
    expect(await importRows(here)).toMatchObject({ exitCode: 10, summary: { created: 1 } });
    stop.isOn = false;
    const there = { env: { PROC_BASE_URL: respelled(service) } };
    const resumed = await here.run(['imports', 'resume', ...SOON], there);
    expect(resumed, resumed.stderr).toMatchObject({ exitCode: 8 });
    expect(JSON.parse(resumed.stdout)).toMatchObject({ created: 3, rejected: 1, pending: 0 });
    expect(service.codes()).toEqual(['A-1', 'A-3', 'A-4']);
  });
});

describe('an interrupted run', () => {
  it('is not resumed at another port, path or protocol', async () => {
    await using world = await stoppable();
    const { service, stop } = world;
    const here = await freshWorld(service.target);
    const { summary } = await importRows(here);
    stop.isOn = false;
    await using other = await itemService(() => undefined);
    const before = service.requests.length;
    const spelled = respelled(service);
    const resumeAt = (PROC_BASE_URL: string) =>
      here.run(['imports', 'resume', ...SOON], { env: { PROC_BASE_URL } });
    for (const url of [
      respelled(other),
      spelled.replace('/api/v1', '/api/v2'),
      spelled.replace('http:', 'https:'),
    ]) {
      const refused = await resumeAt(url);
      expect(refused, url).toMatchObject({ exitCode: 2, stdout: '' });
      expect(errorOf(refused).message).toBe(
        `${summary.run} imports into ${service.baseUrl}, not into ${url}`,
      );
    }
    const byName = await resumeAt('https://localhost.example/api/v1');
    expect(byName).toMatchObject({ exitCode: 2, stdout: '' });
    expect(other.requests).toHaveLength(0);
    expect(service.requests).toHaveLength(before);
  });

  it('sends the key of a profile only to the address for which it was stored', async () => {
    await using world = await stoppable();
    const { service, stop } = world;
    const here = await freshWorld();
    const added = await here.run(
      ['profile', 'add', 'acme', '-e', 'test', '--base-url', service.baseUrl, '--api-key-stdin'],
      { input: 'k-1\n' },
    );
    expect(added, added.stderr).toMatchObject({ exitCode: 0 });
    const { port } = new URL(service.baseUrl);
    const acme = ['-p', 'acme', '-e', 'test'];
    expect(await importRows(here, ...acme)).toMatchObject({ exitCode: 10 });
    stop.isOn = false;
    const before = service.requests.length;
    const resume = ['imports', 'resume', ...SOON, ...acme];
    const refused = await here.run(resume, { env: { PROC_BASE_URL: respelled(service) } });
    expect(refused).toMatchObject({ exitCode: 3, stdout: '' });
    expect(errorOf(refused)).toMatchObject({
      code: 'credential_origin',
      message: `the credential of acme/test belongs to http://127.0.0.1:${port} and is not sent to http://localhost:${port}`,
    });
    expect(service.requests).toHaveLength(before);
    const resumed = await here.run(resume);
    expect(JSON.parse(resumed.stdout)).toMatchObject({ created: 3, rejected: 1 });
  });
});
