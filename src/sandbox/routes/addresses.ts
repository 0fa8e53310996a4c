import { deleteAddress, getAddress, patchAddress } from '../../nouns/addresses/api.ts';
import { deleted, owned, pick, type RouteFactory, responseFields, route } from '../server/route.ts';

export const addressRoutes: RouteFactory = (store, habits) => {
  const fields = responseFields(getAddress);
  return [
    route(getAddress, ({ params, organizationId }) => ({
      status: 200,
      body: pick(owned(store, 'addresses', params.id, organizationId), fields),
    })),
    route(patchAddress, ({ params, organizationId, body }) => {
      owned(store, 'addresses', params.id, organizationId);
      store.update('addresses', params.id, body);
      return { status: 200, body: pick(store.find('addresses', params.id)!, fields) };
    }),
    route(deleteAddress, ({ params, organizationId }) => {
      owned(store, 'addresses', params.id, organizationId);
      return deleted(habits, () => store.delete('addresses', params.id));
    }),
  ];
};
