import { describe, expect, it } from 'vitest';
import { errorOf, freshWorld } from '../support/run.ts';
import { codes, type Fate, itemService, rowsOf } from './import-service.ts';

type Shows = NonNullable<Parameters<typeof itemService>[1]>;

const QUICK = ['PROC_SETTLE=300ms', '--timeout', '5s', 'PROC_CONCURRENCY=2'];
const ROWS = 40;
/** Of 40 items, the service stores these 5 without a response. */
const losing = (_: string, nth: number): Fate | undefined =>
  nth % 8 === 0 ? { reset: true, stored: true } : undefined;
const low = (n: number) => `ab-${String(n).padStart(5, '0')}`;
const lowCodes = [...Array(ROWS).keys()].map((n) => low(n + 1));

async function imported(
  service: Awaited<ReturnType<typeof itemService>>,
  rows: readonly string[],
  ...flags: string[]
) {
  const world = await freshWorld(service.target);
  await world.file('a.csv', rowsOf(rows));
  const ran = await world.run(['items', 'import', 'a.csv', '--yes', ...QUICK, ...flags]);
  return { ...ran, world, summary: JSON.parse(ran.stdout === '' ? '{}' : ran.stdout) };
}

describe('a row that a look-up does not find is sent again only if the list shows what the run has created', () => {
  it.each<[string, Shows]>([
    ['without codes', ({ id, name }) => ({ id, name })],
    ['with other codes', (item) => ({ ...item, code: item.code.replace('-', 'x') })],
  ])('a list that shows new items %s', async (_, shows) => {
    await using service = await itemService(losing, shows);
    const ran = await imported(service, lowCodes);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 9 });
    expect(ran.summary.created + ran.summary.unconfirmed).toBe(ROWS);
    expect(ran.summary.unconfirmed).toBeGreaterThan(0);
    expect(service.creates()).toBe(ROWS);
    const resumed = await ran.world.run(['imports', 'resume', '--yes', ...QUICK]);
    expect(resumed, resumed.stderr).toMatchObject({ exitCode: 9 });
    expect(service.creates()).toBe(ROWS);
  });

  it.each<[string, Shows | undefined, (code: string) => string]>([
    ['in upper case', undefined, (code) => code.toUpperCase()],
    [
      'and a list that shows them in upper case',
      (item) => ({ ...item, code: item.code.toUpperCase() }),
      (code) => code,
    ],
  ])('a service that stores codes %s: each row is there once', async (_, shows, stores) => {
    await using service = await itemService(losing, shows, stores);
    const ran = await imported(service, lowCodes);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect(ran.summary).toMatchObject({ created: ROWS, unconfirmed: 0 });
    expect(service.creates()).toBe(ROWS);
    // The same file again, in another case.
    await ran.world.file('a.csv', rowsOf(lowCodes).replaceAll(/^ab/gm, 'AB'));
    const again = await ran.world.run(['items', 'import', 'a.csv', '--yes', ...QUICK]);
    expect(service.creates(), again.stderr).toBe(ROWS);
  });

  it('if the answers to all requests are lost, each row is created once', async () => {
    await using service = await itemService((_, nth) =>
      nth <= ROWS ? { reset: true, stored: nth % 2 === 0 } : undefined,
    );
    const ran = await imported(service, lowCodes);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect(ran.summary).toMatchObject({ created: ROWS, unconfirmed: 0, verified: true });
    expect(service.codes()).toEqual(lowCodes);
  });
});

it('a row that fails every time is rejected in the end, not sent forever', async () => {
  await using service = await itemService((code) =>
    code === 'X-0002' ? { status: 500, body: { message: 'boom' } } : undefined,
  );
  const ran = await imported(service, codes(4), 'PROC_SETTLE=1ms');
  expect(ran, ran.stderr).toMatchObject({ exitCode: 8 });
  expect(ran.summary).toMatchObject({ created: 3, rejected: 1 });
  expect(service.creates()).toBe(8);
});

it.each([
  ['other codes', 'A-1', 'Z-9'],
  ['codes without dashes', 'A-1', 'A1'],
])('a service that stores %s stops the run at its first response', async (_, code, stored) => {
  await using service = await itemService((sent) => ({ body: { id: `i-${sent}`, code: stored } }));
  const ran = await imported(service, [code, 'A-2', 'A-3']);
  expect(ran, ran.stderr).toMatchObject({ exitCode: 10 });
  expect(ran.stderr).toContain(`(sent ${code}, stored ${stored})`);
  expect(service.creates()).toBe(1);
  const { run, next } = ran.summary;
  const givesUp = `proc imports resolve ${run} --drop --all`;
  expect(next).toMatchObject([{ command: givesUp }]);
  const { hint } = errorOf(ran);
  expect(hint).toContain('Change the codes of the file');
  expect(hint).toContain(givesUp);
  expect(hint).not.toContain('imports resume');
  // A script that resumes it must not send a row each time.
  for (let again = 0; again < 3; again++)
    await ran.world.run(['imports', 'resume', '--yes', ...QUICK]);
  expect(service.creates()).toBe(1);
  const given = await ran.world.run([...givesUp.split(' ').slice(1), '--yes']);
  expect(given, given.stderr).toMatchObject({ exitCode: 0 });
});

describe('the list after a run', () => {
  it('that does not show the created rows: not verified, exit 9', async () => {
    await using service = await itemService(
      () => undefined,
      (item) => (item.code === 'X-0002' ? undefined : item),
    );
    const ran = await imported(service, codes(5));
    expect(ran, ran.stderr).toMatchObject({ exitCode: 9 });
    expect(ran.summary).toMatchObject({ created: 5, verified: false });
    expect(ran.stdout + ran.stderr).toContain('X-0002');
    const shown = await ran.world.run(['imports', 'show', ran.summary.run]);
    expect(JSON.parse(shown.stdout)).toMatchObject({ verified: false });
  });

  it('that has a rejected row: the next import knows that it exists', async () => {
    await using service = await itemService((code) =>
      code === 'X-0001' || code === 'X-0003'
        ? { status: 400, stored: code === 'X-0003' }
        : undefined,
    );
    const ran = await imported(service, codes(4));
    expect(ran.summary).toMatchObject({ created: 2, rejected: 2 });
    const again = await ran.world.run(['items', 'import', 'a.rejected.csv', '--yes']);
    expect(JSON.parse(again.stdout)).toMatchObject({ existing: 1 });
    expect(service.codes()).toEqual(['X-0000', 'X-0002', 'X-0003']);
  });

  it('that shows new rows late is read again', async () => {
    let hidden = 12;
    await using service = await itemService(
      () => undefined,
      (item) => (service.creates() === 3 && hidden-- > 0 ? undefined : item),
    );
    const ran = await imported(service, codes(3), 'PROC_SETTLE=5s');
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect(ran.summary).toMatchObject({ created: 3, verified: true });
  });
});
