// Compiled, never run: `tsc` fails if one of these lines is no longer an error.

import { endpoint } from '../../src/core/endpoint.ts';
import type { ApiPort, WriteIntent } from '../../src/core/ports.ts';
import type { Result } from '../../src/core/result.ts';
import { createItem } from '../../src/nouns/items/index.ts';
import { listOrders } from '../../src/nouns/orders/index.ts';
import { addLine, createRequisition } from '../../src/nouns/requisition/index.ts';
import { getSector } from '../../src/nouns/sectors/index.ts';

declare const api: ApiPort;
declare const intent: WriteIntent;
declare const none: () => Result;

export async function typesHold(): Promise<void> {
  await api.read(getSector, { params: { id: 'a' } }, none);
  // @ts-expect-error a missing path parameter
  await api.read(getSector, {}, none);
  // @ts-expect-error a misspelt path parameter
  await api.read(getSector, { params: { ID: 'a' } }, none);
  // @ts-expect-error one of two path parameters
  await api.send(addLine, { params: { id: 'r' }, body: { quantity: 1 } }, intent, none);

  await api.read(listOrders, { query: { limit: 1, sort: 'code', dir: 'asc' } }, none);
  // @ts-expect-error a misspelt query name
  await api.read(listOrders, { query: { limt: 1 } }, none);
  // @ts-expect-error a sort field of the other endpoint
  await api.read(listOrders, { query: { sort: 'name' } }, none);
  // @ts-expect-error sectors take no query
  await api.read(getSector, { params: { id: 'a' }, query: { limit: 1 } }, none);

  await api.send(createItem, { body: { name: 'x', attributes: null } }, intent, none);
  // @ts-expect-error a body is needed
  await api.send(createItem, {}, intent, none);
  // @ts-expect-error a code is a string
  await api.send(createItem, { body: { code: 3 } }, intent, none);
  // @ts-expect-error groups are required
  await api.send(createRequisition, { body: { title: 'x' } }, intent, none);
  await api.send(
    createRequisition,
    {
      // @ts-expect-error an unknown delivery method
      body: { title: 'x', groups: [{ deliveryMethod: 'drone', items: [] }] },
    },
    intent,
    none,
  );

  const body = {
    title: 'x',
    groups: [{ deliveryMethod: 'pickup' as const, items: [{ quantity: 1, itemId: 'i' }] }],
  };
  await api.send(createRequisition, { body }, intent, (created) => {
    const id: string | null | undefined = created.requisitionId;
    // @ts-expect-error a response's id may be missing
    const certain: string = created.requisitionId;
    void [id, certain];
    return none();
  });
  await api.read(listOrders, {}, ([order]) => {
    const amount: number | null | undefined = order?.amount;
    void amount;
    return none();
  });
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
