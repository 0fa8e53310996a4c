// Compiled, never run: `tsc` fails where one of these lines stops being an error.

import { endpoint } from '../../src/core/endpoint.ts';
import type { ApiPort } from '../../src/core/ports.ts';
import { createItem } from '../../src/nouns/items/api.ts';
import { listOrders } from '../../src/nouns/orders/api.ts';
import { addLine, createRequisition } from '../../src/nouns/requisition/api.ts';
import { getSector } from '../../src/nouns/sectors/api.ts';

declare const api: ApiPort;

export async function typesHold(): Promise<void> {
  await api.call(getSector, { params: { id: 'a' } });
  // @ts-expect-error a missing path parameter
  await api.call(getSector, {});
  // @ts-expect-error a misspelt path parameter
  await api.call(getSector, { params: { ID: 'a' } });
  // @ts-expect-error one of two path parameters
  await api.call(addLine, { params: { id: 'r' }, body: { quantity: 1 } });

  await api.call(listOrders, { query: { limit: 1, sort: 'code', dir: 'asc' } });
  // @ts-expect-error a misspelt query name
  await api.call(listOrders, { query: { limt: 1 } });
  // @ts-expect-error a sort field of the other endpoint
  await api.call(listOrders, { query: { sort: 'name' } });
  // @ts-expect-error sectors take no query
  await api.call(getSector, { params: { id: 'a' }, query: { limit: 1 } });

  await api.call(createItem, { body: { name: 'x', attributes: null } });
  // @ts-expect-error a body is needed
  await api.call(createItem, {});
  // @ts-expect-error a code is a string
  await api.call(createItem, { body: { code: 3 } });
  // @ts-expect-error groups are required
  await api.call(createRequisition, { body: { title: 'x' } });
  await api.call(createRequisition, {
    // @ts-expect-error an unknown delivery method
    body: { title: 'x', groups: [{ deliveryMethod: 'drone', items: [] }] },
  });

  const created = await api.call(createRequisition, {
    body: {
      title: 'x',
      groups: [{ deliveryMethod: 'pickup', items: [{ quantity: 1, itemId: 'i' }] }],
    },
  });
  const id: string | null | undefined = created.requisitionId;
  // @ts-expect-error an answer's id may be missing
  const certain: string = created.requisitionId;
  const [order] = await api.call(listOrders, {});
  const amount: number | null | undefined = order?.amount;
  void [id, certain, amount];
}

endpoint({
  id: 'x.get',
  method: 'GET',
  path: '/x/{id}',
  // @ts-expect-error the path parameter `id` is not described
  params: {},
  response: { kind: 'none' },
  doc: { summary: '', source: '' },
});
