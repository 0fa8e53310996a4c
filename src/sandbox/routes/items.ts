import type * as z from 'zod/mini';
import { createItem, itemBody, listItems } from '../../nouns/items/api.ts';
import { collated, defineFold, lister } from '../database/list-rows.ts';
import type { Store } from '../database/sandbox-store.ts';
import type { Habits } from '../faults/behaviour.ts';
import { badField, Problem } from '../server/problem.ts';
import { pick, type RouteFactory, responseFields, route } from '../server/route.ts';

export const itemRoutes: RouteFactory = (store, habits) => {
  const items = itemWriter(store, habits);
  const list = lister(store, habits, 'items', responseFields(listItems));
  const fields = responseFields(createItem);
  return [
    route(listItems, ({ organizationId, list: query }) => ({
      status: 200,
      body: list(organizationId, query),
    })),
    route(createItem, ({ organizationId, body }) => {
      items.check(organizationId, body.code);
      const id = items.write(organizationId, body);
      if (habits.second === 'same id') {
        return { status: 201, body: pick(store.find('items', id)!, fields) };
      }
      const { isEcho, stored } = habits;
      const code = body.code === undefined ? null : isEcho ? body.code : stored(body.code);
      return { status: 201, body: { id, name: body.name ?? null, code } };
    }),
  ];
};

interface ItemWriter {
  /** @throws Problem if the item would be refused */
  check(organizationId: string, code: string | undefined): void;
  /** @returns the id of the new item; with `same-id`, of the item that has the code already */
  write(organizationId: string, body: z.output<typeof itemBody>): string;
}

export function itemWriter(store: Store, habits: Habits): ItemWriter {
  const { second, longestCode, collation, stored } = habits;
  const insert = store.inserter('items', Object.keys(itemBody.shape));
  if (collation === 'unaccented') defineFold(store);
  const find = store.database.prepare(
    `SELECT id FROM items WHERE organizationId = ? AND ${collated('code', collation)} = ${collated('?', collation)} LIMIT 1`,
  );
  const holderOf = (organizationId: string, code: string | undefined): string | undefined =>
    second === 'create' || code === undefined
      ? undefined
      : (find.get(organizationId, stored(code))?.id as string | undefined);
  return {
    check(organizationId, code) {
      if (code !== undefined && code.length > longestCode) {
        throw badField('code', `must have at most ${longestCode} characters`);
      }
      const holder = second === 'refuse' ? holderOf(organizationId, code) : undefined;
      if (holder === undefined) return;
      throw new Problem(409, `The item "${holder}" already has the code "${stored(code!)}"`, [
        { field: 'code', message: 'exists already' },
      ]);
    },
    write(organizationId, body) {
      const { code } = body;
      return (
        holderOf(organizationId, code) ??
        insert(organizationId, code === undefined ? body : { ...body, code: stored(code) })
      );
    },
  };
}
