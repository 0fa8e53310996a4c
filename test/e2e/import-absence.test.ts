import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorOf, openWorld, type World } from '../support/run.ts';
import { itemService, rowsOf } from './import-service.ts';

type Shows = NonNullable<Parameters<typeof itemService>[1]>;
type Service = Awaited<ReturnType<typeof itemService>>;

let world: World & AsyncDisposable;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

const ROWS = 40;
/** Of 40 items, the service stores this many without a response. */
const LOST = 5;

const losing = (_: string, nth: number) =>
  nth % 8 === 0 ? { reset: true, stored: true } : undefined;

const envOf = ({ target, name }: Service) => ({
  ...target,
  PROC_STATE_DIR: `${world.folder}/${name}`,
});

async function importing(service: Service, text: string, ...args: string[]) {
  const file = await world.file(`rows-${service.name}.csv`, text);
  const flags = ['--yes', 'PROC_SETTLE=300ms', 'PROC_CONCURRENCY=2', ...args];
  return world.run(['items', 'import', file, ...flags], { env: envOf(service) });
}

const codesOf = (codeOf: (n: number) => string, count = ROWS) =>
  [...Array(count).keys()].map((n) => codeOf(n + 1));
const low = (n: number) => `ab-${String(n).padStart(5, '0')}`;

const CODES: ReadonlyArray<readonly [string, (n: number) => string, Shows]> = [
  ['in upper case', low, (item) => ({ ...item, code: item.code.toUpperCase() })],
  ['with a space for a hyphen', low, (item) => ({ ...item, code: item.code.replace('-', ' ') })],
  ['without a code', low, ({ id, name }) => ({ id, name })],
  [
    'as a number',
    (n) => String(n).padStart(5, '0'),
    (item) => ({ ...item, code: Number(item.code) }),
  ],
  ['only up to the sixth', low, (item) => (Number(item.id.slice(2)) > 6 ? undefined : item)],
  ['not at all', low, () => undefined],
];

describe.concurrent('a row that a look-up does not find is sent again only if the list shows created rows', () => {
  it.each(CODES)('a list that shows new items %s', async (_, codeOf, shows) => {
    await using service = await itemService(losing, shows);
    const ran = await importing(service, rowsOf(codesOf(codeOf)));
    expect(ran, ran.stderr).toMatchObject({ exitCode: 9 });
    const summary = JSON.parse(ran.stdout);
    expect(summary).toMatchObject({ created: ROWS - LOST, unconfirmed: LOST, verified: false });
    expect(summary.unconfirmedRows[0].reason).toMatch(
      /; a look-up cannot tell: (the service stores|the list|\d+ created rows are missing from the list)/,
    );
    expect(service.creates()).toBe(ROWS);

    const resend = [
      'imports',
      'resolve',
      summary.run,
      String(summary.unconfirmedRows[0].row),
      '--resend',
    ];
    const refused = await world.run([...resend, 'PROC_SETTLE=300ms'], { env: envOf(service) });
    expect(errorOf(refused)).toMatchObject({ code: 'incomplete' });
    expect(service.creates()).toBe(ROWS);
  });

  it('a long list, in which codes are searched', async () => {
    const shows: Shows = (item) => ({ ...item, code: item.code.toUpperCase() });
    await using service = await itemService(losing, shows);
    for (let n = 0; n < 4_000; n++) {
      const code = `${'ALZ'[n % 3]}-${String((n * 1_237) % 4_000).padStart(5, '0')}`;
      service.items.push({ id: `old-${n}`, code, name: 'Old' });
    }
    const ran = await importing(service, rowsOf(codesOf(low)));
    expect(ran, ran.stderr).toMatchObject({ exitCode: 9 });
    expect(service.creates()).toBe(ROWS);
  });

  it('only the code of the lost row is one that the service changes', async () => {
    const shows: Shows = (item) => ({ ...item, code: item.code.toUpperCase() });
    const fate = (code: string) => (code === 'ab-7' ? { reset: true, stored: true } : undefined);
    await using service = await itemService(fate, shows);
    const ran = await importing(service, rowsOf(['AB-1', 'AB-2', 'ab-7', 'AB-9']));
    expect(ran, ran.stderr).toMatchObject({ exitCode: 9 });
    expect(JSON.parse(ran.stdout).unconfirmedRows[0].reason).toMatch(
      /1 new record of unknown origin \(i-\S+\), which may be this row with a changed code or name$/,
    );
    expect(service.creates()).toBe(4);
  });

  it.each([
    ['the first requests', (nth: number) => nth <= 5],
    ['all requests', (nth: number) => nth <= ROWS],
  ])('nothing is parked if %s are lost and the list is correct', async (_, isLost) => {
    await using service = await itemService((__, nth) =>
      isLost(nth) ? { reset: true, stored: nth % 2 === 0 } : undefined,
    );
    const ran = await importing(service, rowsOf(codesOf(low)));
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(ran.stdout)).toMatchObject({ created: ROWS, unconfirmed: 0, verified: true });
    expect(service.codes()).toEqual(codesOf(low));
  });
});
