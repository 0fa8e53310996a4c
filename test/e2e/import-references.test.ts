import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { http, startHostile, targetOf } from '../support/hostile-service.ts';
import { assumeFirstRuns } from '../support/in-process.ts';
import { errorOf, freshWorld, type World } from '../support/run.ts';
import { loggedSandbox } from '../support/service.ts';

assumeFirstRuns();

const sandbox = await loggedSandbox();

async function done(world: World, args: readonly string[], exitCode = 0) {
  const ran = await world.run(args);
  expect(ran, ran.stderr).toMatchObject({ exitCode });
  return { summary: JSON.parse(ran.stdout) };
}

describe('references with no match or several', () => {
  it('reject their rows and list the candidates', async () => {
    const world = await freshWorld(sandbox.target);
    for (const name of ['First', 'Second']) {
      await done(world, ['items', 'create', '--code', 'TWICE', '--name', name, '--again']);
    }
    await world.file(
      'rows.csv',
      'R,SKU,Q,Sector\nA,TWICE,1,Brakes\nB,ABSENT-1,1,brakes\nC,TWICE-NOT,1,Nowhere\n',
    );
    const { summary } = await done(
      world,
      [
        ...['requisition', 'import', 'rows.csv', '--group-by', 'R', '--dry-run'],
        ...['--map', 'title=R', '--map', 'item.code=SKU', '--map', 'quantity=Q'],
        ...['--map', 'sector=Sector', '--set', 'group.deliveryMethod=pickup'],
      ],
      8,
    );
    const reasons = summary.samples.rejected.map(({ reason }: { reason: string }) => reason);
    expect(reasons).toEqual([
      expect.stringMatching(
        /column "SKU": item "TWICE" matches 2 items: id=.* \(First\), id=.* \(Second\)$/,
      ),
      expect.stringContaining('column "SKU": no item has the code or id "ABSENT-1"'),
      expect.stringContaining('column "Sector": no sector has the name, key or id "Nowhere"'),
    ]);
  });
});

it('of many wrong references only the first say what is nearest: each takes a search of the list', async () => {
  const world = await freshWorld(sandbox.target);
  const rows = Array.from({ length: 8 }, (_, at) => `PO-0000${at}x,6000,1`).join('\n');
  await world.file('a.csv', `order,account,amount\n${rows}\n`);
  const results = ['--results', 'all.json', '--dry-run'];
  await done(world, ['imputations', 'import', 'a.csv', ...results], 8);
  const found = JSON.parse(await readFile(join(world.cwd, 'all.json'), 'utf8'));
  const reasons: string[] = found.map(({ reason }: { reason: string }) => reason);
  expect(reasons.map((reason) => reason.includes('nearest'))).toEqual(
    reasons.map((_, at) => at < 5),
  );
});

it('an address that the service redirects is no missing one: nothing is planned', async () => {
  await using service = await startHostile((socket, { line }) => {
    const isAddress = line.includes('/addresses/');
    socket.write(isAddress ? http(302, '', { location: '/login' }) : http(200, '[]'));
  });
  const world = await freshWorld(targetOf(service));
  await world.file('r.csv', 'R,address,item.name,quantity\nA,adr-1,Bolt,1\n');
  const map = ['--map', 'title=R', '--map', 'group.address=address'];
  const ran = await world.run([
    ...['requisition', 'import', 'r.csv', '--group-by', 'R', '--dry-run', ...map],
    ...['--set', 'group.deliveryMethod=delivery'],
  ]);
  expect(errorOf(ran), ran.stderr).toMatchObject({ code: 'refused', exitCode: 6, status: 302 });
});
