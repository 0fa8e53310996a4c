// Compiled, never run: `tsc` fails if one of these lines is no longer an error.

import type { Context } from '../../src/context.ts';
import type { Result } from '../../src/core/result.ts';
import type { Target } from '../../src/core/service.ts';
import { createItem } from '../../src/nouns/items/index.ts';
import { listOrders } from '../../src/nouns/orders/index.ts';
import { addLine, createRequisition } from '../../src/nouns/requisition/index.ts';
import { getSector } from '../../src/nouns/sectors/index.ts';
import { type Write, write } from '../../src/write.ts';

declare const ctx: Context;
declare const intent: Write;
declare const none: () => Result;

export async function typesHold(target: Target): Promise<void> {
  const http = ctx.http();
  // @ts-expect-error commands see a target without its credential
  void target.credential;

  await http.call(getSector, { params: { id: 'a' } });
  // @ts-expect-error a missing path parameter
  await http.call(getSector, {});
  // @ts-expect-error a misspelt path parameter
  await http.call(getSector, { params: { ID: 'a' } });
  // @ts-expect-error one of two path parameters
  await write(ctx, addLine, { params: { id: 'r' }, body: { quantity: 1 } }, intent, none);

  await http.call(listOrders, { query: { limit: 1, sort: 'code', dir: 'asc' } });
  // @ts-expect-error a misspelt query name
  await http.call(listOrders, { query: { limt: 1 } });
  // @ts-expect-error a sort field of the other endpoint
  await http.call(listOrders, { query: { sort: 'name' } });
  // @ts-expect-error sectors take no query
  await http.call(getSector, { params: { id: 'a' }, query: { limit: 1 } });

  await write(ctx, createItem, { body: { name: 'x', attributes: null } }, intent, none);
  // @ts-expect-error a body is needed
  await write(ctx, createItem, {}, intent, none);
  // @ts-expect-error a code is a string
  await write(ctx, createItem, { body: { code: 3 } }, intent, none);
  // @ts-expect-error groups are required
  await write(ctx, createRequisition, { body: { title: 'x' } }, intent, none);
  await write(
    ctx,
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
  await write(ctx, createRequisition, { body }, intent, (created) => {
    const id: string | null | undefined = created.requisitionId;
    // @ts-expect-error a response's id may be missing
    const certain: string = created.requisitionId;
    void [id, certain];
    return none();
  });
  const [order] = await http.call(listOrders, {});
  const amount: number | null | undefined = order?.amount;
  void amount;
}
