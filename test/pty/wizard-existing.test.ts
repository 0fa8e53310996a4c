import { expect, it } from 'vitest';
import { KEY, raw } from '../support/raw-http.ts';
import { lastPayload, sharedShop } from '../support/shop.ts';
import { play, startWizard } from '../support/wizard.ts';

const shop = sharedShop();

it('a new item whose code now belongs to another name is a question', async () => {
  const world = await shop.world();
  const item = { kind: 'new', fields: { name: 'Wrench', code: 'WR-8' }, more: [] } as const;
  const lines = [{ item, quantity: 4 }];
  const group = { name: null, deliveryMethod: 'pickup', address: null, lines, isComplete: true };
  const heading = { title: 'Tools', type: null, sector: null, code: null };
  shop.draft(world, { ...heading, groups: [{ ...group, deliveryMethod: 'pickup' }] });
  const body = { name: 'Spanner', code: 'WR-8' };
  const made = await raw(shop.sandbox.baseUrl, 'POST', '/items/', { key: KEY, body });
  const session = startWizard(world);
  await play(session, [
    ['You have a draft', '\r'],
    ['Unit of measure', '\r'],
    ['What now?', '\r'],
    ['Code of the new item', '\r'],
    ['The code WR-8 already exists', ''],
    ['Order WR-8 Spanner', '\r'],
    ['What now?', '\r'],
  ]);
  expect(await session.exited).toBe(0);
  const { items } = (await lastPayload(world)).groups[0]!;
  expect(items).toEqual([{ quantity: 4, itemId: (made.json as { id: string }).id }]);
});
