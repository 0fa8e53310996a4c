import { expect, it } from 'vitest';
import { KEY, raw } from '../support/raw-http.ts';
import { errorOf } from '../support/run.ts';
import { lastPayload, sharedShop } from '../support/shop.ts';
import { startTerminal } from '../support/terminal.ts';
import { play } from '../support/wizard.ts';

const shop = sharedShop();

it('a new item whose code now belongs to another name is a question, or exit 2', async () => {
  const world = await shop.world();
  const item = { kind: 'new', fields: { name: 'Wrench', code: 'WR-8' }, more: [] } as const;
  const lines = [{ item, quantity: 4 }];
  const group = { name: null, deliveryMethod: 'pickup', address: null, lines, isComplete: true };
  const heading = { title: 'Tools', type: null, sector: null, code: null };
  const id = shop.draft(world, { ...heading, groups: [{ ...group, deliveryMethod: 'pickup' }] });
  const body = { name: 'Spanner', code: 'WR-8' };
  const made = await raw(shop.sandbox.baseUrl, 'POST', '/items/', { key: KEY, body });
  const submit = ['requisition', 'draft', 'submit', id];
  const refused = await world.run(submit);
  expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
  expect(errorOf(refused)).toMatchObject({
    code: 'invalid_input',
    message: expect.stringContaining('"WR-8" is "Spanner"'),
    hint: expect.stringContaining(`proc requisition draft edit ${id}`),
  });
  const session = startTerminal(world, submit);
  await play(session, [
    ['The catalogue already has the code WR-8: on an item with another name', ''],
    ['Order WR-8 Spanner', '\r'],
  ]);
  expect(await session.exited).toBe(0);
  const { items } = (await lastPayload(world)).groups[0]!;
  expect(items).toEqual([{ quantity: 4, itemId: (made.json as { id: string }).id }]);
});
