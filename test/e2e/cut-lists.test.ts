import { expect, it } from 'vitest';
import { type ForeignHabits, foreignService } from '../support/foreign-service.ts';
import { errorOf, freshWorld } from '../support/run.ts';

const ASKS = { limit: 'limit', offset: 'offset', sort: 'sort', dir: 'dir' };
const BY_PAGE = { limit: 'limit', page: 'page', sort: 'sort', dir: 'dir' };
const WHOLE = { ...ASKS, isWhole: true };
const codeOf = (at: number) => `C-${String(at).padStart(5, '0')}`;

it.each<[string, number, number, ForeignHabits, string]>([
  ['100 of 101 rows, one page', 101, 100, ASKS, ''],
  ['3,000 of 3,100 rows, long enough to be searched', 3_100, 3_000, ASKS, ''],
  ['page numbers', 1_050, 1_000, BY_PAGE, 'page=page,pageBase=1'],
  ['no paging', 1_050, 1_000, WHOLE, 'paging=none'],
])('a list that is cut off is not complete: %s', async (_, size, mostRows, habits, names) => {
  await using service = await foreignService({ ...habits, mostRows });
  for (let at = 1; at <= size; at++)
    service.items.push({ id: `f-${at}`, code: codeOf(at), name: `Item ${at}` });
  const world = await freshWorld({ ...service.target, PROC_LIST_NAMES: names });
  const codes = [1, size - 1, size].map(codeOf);
  await world.file('i.csv', `code,name\n${codes.map((code) => `${code},Row\n`).join('')}D-1,Row\n`);
  expect(errorOf(await world.run(['items', 'import', 'i.csv', '--yes']))).toMatchObject({
    ...{ code: 'catalogue_unverified', exitCode: 2 },
    message: expect.stringContaining(
      `${codeOf(size)} (f-${size}), which the service shows only in`,
    ),
  });
  expect(service.creates()).toBe(0);
});
