import { expect, it } from 'vitest';
import { type ForeignHabits, foreignService } from '../support/foreign-service.ts';
import { errorOf, freshWorld } from '../support/run.ts';

const ASKS = { limit: 'limit', offset: 'offset', sort: 'sort', dir: 'dir' };
const codeOf = (at: number) => `C-${String(at).padStart(5, '0')}`;

/** A service with a list that ends after `mostRows` rows, although it has `size` records. */
async function cutService(size: number, mostRows: number, more: ForeignHabits = ASKS) {
  const service = await foreignService({ ...more, mostRows });
  for (let at = 1; at <= size; at++) {
    service.items.push({ id: `f-${at}`, code: codeOf(at), name: `Item ${at}` });
  }
  const world = await freshWorld(service.target);
  const importing = async (codes: readonly string[], ...flags: readonly string[]) => {
    await world.file('i.csv', ['code,name', ...codes.map((code) => `${code},Row`), ''].join('\n'));
    return world.run(['items', 'import', 'i.csv', '--yes', 'PROC_SETTLE=20ms', ...flags]);
  };
  const doubled = () => service.items.length - new Set(service.items.map(({ code }) => code)).size;
  return { service, world, importing, doubled };
}

const BY_PAGE = { limit: 'limit', page: 'page', sort: 'sort', dir: 'dir' };
const WHOLE = { ...ASKS, isWhole: true };
const CUT: readonly (readonly [string, number, number, ForeignHabits, string])[] = [
  ['100 of 101 rows, one page', 101, 100, ASKS, ''],
  ['3,000 of 3,100 rows, long enough to be searched', 3_100, 3_000, ASKS, ''],
  ['page numbers', 1_050, 1_000, BY_PAGE, 'page=page,pageBase=1'],
  ['no paging', 1_050, 1_000, WHOLE, 'paging=none'],
];

it.each(CUT)(
  'a list that is cut off is not complete: %s',
  async (_, size, most, habits, dialect) => {
    const shop = await cutService(size, most, habits);
    await using service = shop.service;
    if (dialect !== '') Object.assign(shop.world.env, { PROC_LIST_NAMES: dialect });
    const hidden = [codeOf(size - 1), codeOf(size), 'D-1'];
    const ran = await shop.importing([codeOf(1), ...hidden]);
    expect(ran.exitCode, ran.stderr).toBe(2);
    expect(errorOf(ran)).toMatchObject({
      code: 'catalogue_unverified',
      message: expect.stringContaining(
        `${codeOf(size)} (f-${size}), which the service shows only in`,
      ),
    });
    expect(service.creates()).toBe(0);
  },
);

it('a list that grows beyond its cap during a run does not verify it', async () => {
  const shop = await cutService(995, 1_000);
  await using service = shop.service;
  const ran = await shop.importing(['D-1', 'D-2', 'D-3', 'D-4', 'D-5', 'D-6', 'D-7']);
  expect(JSON.parse(ran.stdout)).toMatchObject({ created: 7, verified: false });
  expect(ran.stderr).toContain('the list of 1000 rows is cut off');
  const again = await shop.importing(['D-6', 'D-7', 'D-8']);
  expect(again.exitCode, again.stderr).toBe(2);
  expect(service.creates()).toBe(7);
  expect(shop.doubled()).toBe(0);
});

it('a list that others add to while it is read is complete', async () => {
  const shop = await cutService(350, 10_000);
  await using service = shop.service;
  let adds = 0;
  const first = service.requests.push.bind(service.requests);
  // With each request, another client adds a record at the end.
  service.requests.push = (...lines) => {
    const code = `Z-${String(++adds).padStart(4, '0')}`;
    service.items.push({ id: `z-${adds}`, code, name: 'Other' });
    return first(...lines);
  };
  const listed = await shop.world.run(['items', 'list', '--all', '-o', 'id']);
  expect(listed.exitCode, listed.stderr).toBe(0);
  const ran = await shop.importing([codeOf(1), 'D-1']);
  expect(ran.exitCode, ran.stderr).toBe(0);
  expect(JSON.parse(ran.stdout)).toMatchObject({ created: 1, existing: 1 });
});

it('a service that ignores the direction, or sorts rows without a code first, is believed', async () => {
  const { dir: _, ...noDir } = ASKS;
  for (const habits of [noDir, { ...ASKS, shows: codelessFirst }]) {
    const shop = await cutService(150, 10_000, habits);
    await using service = shop.service;
    service.items.push({ id: 'n-1', code: '', name: 'No code' });
    const ran = await shop.importing([codeOf(1), 'D-1']);
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(service.creates()).toBe(1);
  }
});

function codelessFirst(item: { id: string; code: string; name: string }) {
  return item.code === '' ? { id: item.id, name: item.name, code: null as never } : item;
}
