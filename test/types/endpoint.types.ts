// Compiled, never run: `tsc` fails where one of these lines stops being an error.
import type { Context } from '../../src/core/command.ts';
import { endpoint } from '../../src/core/endpoint.ts';
import { createItem } from '../../src/nouns/items/api.ts';
import { listOrders } from '../../src/nouns/orders/api.ts';
import { addLine, createRequisition } from '../../src/nouns/requisition/api.ts';
import { getSector } from '../../src/nouns/sectors/api.ts';

declare const ctx: Context;

export async function typesHold(): Promise<void> {
  await ctx.call(getSector, { params: { id: 'a' } });
  // @ts-expect-error a missing path parameter
  await ctx.call(getSector, {});
  // @ts-expect-error a misspelt path parameter
  await ctx.call(getSector, { params: { ID: 'a' } });
  // @ts-expect-error one of two path parameters
  await ctx.call(addLine, { params: { id: 'r' }, body: { quantity: 1 } });

  await ctx.call(listOrders, { query: { limit: 1, sort: 'code', dir: 'asc' } });
  // @ts-expect-error a misspelt query name
  await ctx.call(listOrders, { query: { limt: 1 } });
  // @ts-expect-error a sort field of the other endpoint
  await ctx.call(listOrders, { query: { sort: 'name' } });
  // @ts-expect-error sectors take no query
  await ctx.call(getSector, { params: { id: 'a' }, query: { limit: 1 } });

  await ctx.call(createItem, { body: { name: 'x', attributes: null } });
  // @ts-expect-error a body is needed
  await ctx.call(createItem, {});
  // @ts-expect-error a code is a string
  await ctx.call(createItem, { body: { code: 3 } });
  // @ts-expect-error groups are required
  await ctx.call(createRequisition, { body: { title: 'x' } });
  await ctx.call(createRequisition, {
    // @ts-expect-error an unknown delivery method
    body: { title: 'x', groups: [{ deliveryMethod: 'drone', items: [] }] },
  });

  const created = await ctx.call(createRequisition, {
    body: {
      title: 'x',
      groups: [{ deliveryMethod: 'pickup', items: [{ quantity: 1, itemId: 'i' }] }],
    },
  });
  const id: string | null | undefined = created.requisitionId;
  // @ts-expect-error an answer's id may be missing
  const certain: string = created.requisitionId;
  const [order] = await ctx.call(listOrders, {});
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
