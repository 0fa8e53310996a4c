import { listOrders } from '../../nouns/orders/api.ts';
import { lister } from '../database/list-rows.ts';
import { type RouteFactory, responseFields, route } from '../server/route.ts';

/** Orders can be sorted by these fields, so the sandbox returns them too. */
const DATES = ['createdAt', 'updatedAt'];

export const orderRoutes: RouteFactory = (store, habits) => {
  const list = lister(store, habits, 'orders', [...responseFields(listOrders), ...DATES]);
  return [
    route(listOrders, ({ organizationId, list: query }) => ({
      status: 200,
      body: list(organizationId, query),
    })),
  ];
};
