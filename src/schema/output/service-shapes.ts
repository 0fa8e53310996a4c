import * as z from 'zod/mini';
import { getAddress, patchAddress } from '../../nouns/addresses/index.ts';
import { createImputation } from '../../nouns/imputations/index.ts';
import { createItem, listItems } from '../../nouns/items/index.ts';
import { listOrders } from '../../nouns/orders/index.ts';
import { addGroup, addLine, createRequisition, listLines } from '../../nouns/requisition/index.ts';
import { getSector, listSectors, patchSector } from '../../nouns/sectors/index.ts';
import {
  anyValue,
  each,
  list,
  maybe,
  numberOrNull,
  record,
  responseOf,
  type Shapes,
  shape,
  textOrNull,
} from './shape.ts';

const removed = z.looseObject({ id: z.string(), deleted: z.literal(true) });
const removedWithCopy = z.looseObject({
  id: z.string(),
  deleted: z.literal(true),
  was: anyValue,
});

const order = responseOf(listOrders);
const created = responseOf(createRequisition);

const draft = {
  id: z.string(),
  title: textOrNull,
  groups: z.number(),
  items: z.number(),
  missing: z.string(),
  updated: z.string(),
  profile: textOrNull,
  environment: textOrNull,
};

const change = z.looseObject({
  change: z.enum(['new', 'changed', 'gone']),
  id: textOrNull,
  code: textOrNull,
  title: textOrNull,
  status: textOrNull,
  previousStatus: textOrNull,
  amount: numberOrNull,
  previousAmount: numberOrNull,
  currency: textOrNull,
  previousCurrency: textOrNull,
});

export const SERVICE_SHAPES: Shapes = {
  'requisition create': record(created),
  'requisition wizard': record(created, 'Nothing if the requisition was not sent.'),
  'requisition show': record(
    z.looseObject({
      id: textOrNull,
      state: z.string(),
      at: z.string(),
      addedGroups: z.array(
        z.looseObject({ id: z.string(), items: z.array(z.looseObject({ id: z.string() })) }),
      ),
      historyId: z.string(),
      profile: textOrNull,
      environment: textOrNull,
    }),
    'Also the fields of the requisition as it was sent.',
  ),
  'requisition list': list(
    z.looseObject({
      ...{ id: textOrNull, title: textOrNull, code: textOrNull, at: textOrNull },
      ...{ groups: numberOrNull, lines: numberOrNull, state: z.string(), from: textOrNull },
    }),
  ),
  'requisition draft list': list(z.looseObject({ ...draft, sent: textOrNull })),
  'requisition draft show': record(
    z.looseObject({
      ...draft,
      baseUrl: z.string(),
      problems: z.array(z.looseObject({ code: z.string(), field: z.string() })),
      payload: anyValue,
      sheet: anyValue,
    }),
  ),
  'requisition draft edit': record(created, 'Nothing if the requisition was not sent.'),
  'requisition draft submit': record(created),
  'requisition draft discard': list(
    z.looseObject({ id: z.string(), discarded: maybe(z.boolean()) }),
  ),
  'requisition group add': record(responseOf(addGroup)),
  'requisition group remove': record(removed),
  'requisition item add': record(responseOf(addLine)),
  'requisition item list': list(responseOf(listLines)),
  'requisition item remove': record(removed),
  'orders list': list(order),
  'orders get': each(order),
  'orders wait': shape(
    [
      { many: false, schema: order },
      { many: true, schema: z.extend(order, { met: z.boolean() }) },
    ],
    'One order for one reference, a list for several. In the list, "met" says whether the order meets the conditions.',
  ),
  'orders changes': list(change),
  'orders summary': list(
    z.looseObject({
      status: maybe(z.string()),
      month: maybe(z.string()),
      currency: z.string(),
      orders: z.number(),
      amount: z.number(),
      withoutAmount: z.number(),
    }),
    'Also the dimensions that --by names.',
  ),
  'items list': list(responseOf(listItems)),
  'items get': each(responseOf(listItems)),
  'items find': list(responseOf(listItems)),
  'orders find': list(responseOf(listOrders)),
  'items diff': shape(
    [
      {
        many: true,
        schema: z.looseObject({
          change: z.string(),
          row: numberOrNull,
          line: numberOrNull,
          code: textOrNull,
          name: textOrNull,
          catalogueName: textOrNull,
          id: textOrNull,
          reason: textOrNull,
        }),
      },
      {
        many: false,
        schema: z.looseObject({
          source: z.string(),
          rows: z.number(),
          catalogue: z.number(),
          duplicates: z.number(),
          notCompared: z.array(z.string()),
        }),
      },
    ],
    'The rows that differ; with --summary the counts.',
  ),
  'items audit': list(
    z.looseObject({
      tier: z.number(),
      group: z.number(),
      match: z.string(),
      differs: textOrNull,
      id: textOrNull,
      code: textOrNull,
      name: textOrNull,
    }),
  ),
  'items create': record(responseOf(createItem)),
  'imputations create': record(responseOf(createImputation)),
  'sectors list': list(responseOf(listSectors)),
  'sectors get': each(responseOf(getSector)),
  'sectors patch': record(responseOf(patchSector)),
  'sectors delete': each(removedWithCopy),
  'sectors diff': list(
    z.looseObject({
      sector: z.string(),
      field: z.string(),
      current: anyValue,
      desired: anyValue,
      id: textOrNull,
    }),
  ),
  'sectors apply': list(z.extend(responseOf(patchSector), { id: z.string(), changed: z.string() })),
  'addresses get': each(responseOf(getAddress)),
  'addresses patch': record(responseOf(patchAddress)),
  'addresses delete': each(removedWithCopy),
  'addresses known': list(
    z.looseObject({
      id: z.string(),
      alias: z.string(),
      formattedAddress: textOrNull,
      city: textOrNull,
      country: textOrNull,
      lastSeen: textOrNull,
    }),
  ),
  'addresses alias': record(
    z.looseObject({
      id: z.string(),
      alias: z.string(),
      formattedAddress: maybe(textOrNull),
      removed: maybe(z.boolean()),
    }),
  ),
};
