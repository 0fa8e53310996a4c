import { expect, it } from 'vitest';
import { runHere } from '../support/in-process.ts';
import { errorOf, type World } from '../support/run.ts';
import { sharedShop } from '../support/shop.ts';

const shop = sharedShop();

const CREATE = ['requisition', 'create', '--title', 'T'];

async function withEarlier(): Promise<World> {
  const world = await shop.world();
  const items = [{ quantity: 2, itemId: 'itm-1' }];
  const groups = [{ name: 'Plant', deliveryMethod: 'pickup', items }];
  await world.file('earlier.json', JSON.stringify({ title: 'Earlier', groups }));
  await world.file('list.txt', '2 x LO-C100\n');
  return world;
}

const COMPOSED: readonly (readonly [string, readonly string[]])[] = [
  ['--lines', ['--group', 'delivery=pickup', '--lines', 'list.txt']],
  ['--from', ['--from', 'earlier.json']],
  ['--quantity', ['--from', 'earlier.json', '--quantity', 'itm-1=5']],
];

it.each(COMPOSED)(
  '%s needs --yes in a non-interactive session, before any request',
  async (_, flags) => {
    const world = await withEarlier();
    const requests = shop.sandbox.requests.length;
    const args = [...CREATE, ...flags].map((word) =>
      /\.(txt|json)$/.test(word) ? `${world.cwd}/${word}` : word,
    );
    const ran = await runHere([...args, '--sector', 'brakes'], world.env);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(shop.sandbox.requests).toHaveLength(requests);
    const { code, details } = errorOf(ran);
    expect(code).toBe('confirmation_required');
    expect(details).toMatchObject({
      command: expect.stringMatching(/^proc requisition .* --yes$/),
    });
    const sent = await runHere([...args, '--yes', '--again'], world.env);
    expect(sent, sent.stderr).toMatchObject({ exitCode: 0 });
  },
);

it('a write made only of its own flags needs no confirmation', async () => {
  const world = await withEarlier();
  const flags = ['--group', 'delivery=pickup', '--item', 'id=itm-1,quantity=1', '--again'];
  expect((await runHere([...CREATE, ...flags], world.env)).exitCode).toBe(0);
});

it('a dry run shows a person the review, without JSON in a cell', async () => {
  const world = await withEarlier();
  const writes = shop.sandbox.writes().length;
  for (const flags of [
    ['--from', `${world.cwd}/earlier.json`],
    ['--group', 'name=Plant,delivery=pickup', '--item', 'id=itm-1,quantity=2'],
  ]) {
    const ran = await runHere([...CREATE, ...flags, '--dry-run'], world.env, {
      terminal: true,
      columns: 80,
    });
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(ran.stderr).toMatch(/Title: T[\s\S]*Plant · [\s\S]*2 +(?:itm-1|FR-R92B-58)/);
    expect(ran.stdout).toContain('POST');
    expect(ran.stdout).not.toContain('"quantity"');
  }
  expect(shop.sandbox.writes()).toHaveLength(writes);
});
