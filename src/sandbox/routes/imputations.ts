import { createImputation } from '../../nouns/imputations/api.ts';
import { pick, type RouteFactory, referred, responseFields, route } from '../server/route.ts';

const COLUMNS = ['reference', 'account', 'amount', 'contractId', 'orderId', 'currency', 'notes'];

export const imputationRoutes: RouteFactory = (store) => {
  const insert = store.inserter('imputations', COLUMNS);
  const fields = responseFields(createImputation);
  return [
    route(createImputation, ({ organizationId, body }) => {
      referred(store, 'orders', body.orderId, organizationId, 'orderId');
      const id = insert(organizationId, body);
      return { status: 201, body: pick(store.find('imputations', id)!, fields) };
    }),
  ];
};
