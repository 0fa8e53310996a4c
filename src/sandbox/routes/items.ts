import { createItem, itemBody, listItems } from '../../nouns/items/api.ts';
import { lister } from '../database/list-rows.ts';
import type { Store } from '../database/sandbox-store.ts';
import type { Habits } from '../faults/habits.ts';
import { Problem } from '../server/problem.ts';
import { type RouteFactory, responseFields, route } from '../server/route.ts';

export const ITEM_COLUMNS = Object.keys(itemBody.shape);

export const itemRoutes: RouteFactory = (store, habits) => {
  const insert = store.inserter('items', ITEM_COLUMNS);
  const refuseDuplicate = duplicateCheck(store, habits);
  const list = lister(store, habits, 'items', responseFields(listItems));
  return [
    route(listItems, ({ organizationId, list: query }) => ({
      status: 200,
      body: list(organizationId, query),
    })),
    route(createItem, ({ organizationId, body }) => {
      refuseDuplicate(organizationId, body.code);
      const id = insert(organizationId, body);
      return { status: 201, body: { id, name: body.name ?? null, code: body.code ?? null } };
    }),
  ];
};

export function duplicateCheck(
  store: Store,
  habits: Habits,
): (organizationId: string, code: string | undefined) => void {
  if (habits.duplicates === 'allow') return () => {};
  const find = store.database.prepare(
    'SELECT id FROM items WHERE organizationId = ? AND code = ? LIMIT 1',
  );
  return (organizationId, code) => {
    if (code === undefined) return;
    const existing = find.get(organizationId, code);
    if (existing === undefined) return;
    throw new Problem(409, `The item "${existing.id}" already has the code "${code}"`, [
      { field: 'code', message: 'exists already' },
    ]);
  };
}
