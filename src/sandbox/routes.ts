import type * as z from 'zod/mini';
import type { EndpointSpec, PathParam } from '../core/endpoint.ts';
import { deleteAddress, getAddress, patchAddress } from '../nouns/addresses/index.ts';
import { createImputation } from '../nouns/imputations/index.ts';
import { createItem, itemBody, listItems } from '../nouns/items/index.ts';
import { listOrders } from '../nouns/orders/index.ts';
import {
  addGroup,
  addLine,
  createRequisition,
  type groupItemCreate,
  listLines,
  removeGroup,
  removeLine,
} from '../nouns/requisition/index.ts';
import { deleteSector, getSector, listSectors, patchSector } from '../nouns/sectors/index.ts';
import type { ListQuery } from './database/list-query.ts';
import { lister } from './database/list-rows.ts';
import type { Store, StoredRow } from './database/sandbox-store.ts';
import type { Table } from './database/tables.ts';
import { badField, Problem } from './server/problem.ts';

export interface Call<E extends EndpointSpec> {
  readonly organizationId: string;
  readonly params: Readonly<Record<PathParam<E['path']>, string>>;
  readonly body: E extends { readonly body: infer B extends z.ZodMiniObject }
    ? z.output<B>
    : undefined;
  readonly list: ListQuery;
}

interface RouteResponse {
  readonly status: 200 | 201 | 204;
  readonly body?: unknown;
}

/**
 * `handle` is synchronous, and a write checks its whole input before its first SQL statement. The
 * class `Writer` relies on both.
 */
export interface Route {
  readonly spec: EndpointSpec;
  handle(call: Call<EndpointSpec>): RouteResponse;
}

type RouteFactory = (store: Store) => readonly Route[];

function route<const E extends EndpointSpec>(
  spec: E,
  handle: (call: Call<E>) => RouteResponse,
): Route {
  return { spec, handle: handle as unknown as Route['handle'] };
}

export function responseFields(spec: EndpointSpec): readonly string[] {
  return 'schema' in spec.response ? Object.keys(spec.response.schema.shape) : [];
}

function pick(row: StoredRow, fields: readonly string[]): StoredRow {
  return Object.fromEntries(fields.map((field) => [field, row[field]]));
}

/**
 * Finds the record of a path. Throws 404 if it does not exist, 403 if it belongs to another
 * organization.
 */
function owned(store: Store, table: Table, id: string, organizationId: string): StoredRow {
  const row = store.find(table, id);
  if (row === undefined) throw new Problem(404, `There is no ${singular(table)} "${id}"`);
  if (row.organizationId !== organizationId) throw new Problem(403, outside(table, id));
  return row;
}

/**
 * Checks a record that a body refers to. Throws 400 if it does not exist, 403 if it belongs to
 * another organization.
 */
function referred(
  store: Store,
  organizationId: string,
  {
    table,
    id,
    field,
  }: { readonly table: Table; readonly id: string | undefined; readonly field: string },
): void {
  if (id === undefined) return;
  const row = store.find(table, id);
  if (row === undefined) throw badField(field, `there is no ${singular(table)} "${id}"`);
  if (row.organizationId !== organizationId) throw new Problem(403, outside(table, id));
}

function outside(table: Table, id: string): string {
  return `The ${singular(table)} "${id}" belongs to another organization`;
}

function singular(table: Table): string {
  return table === 'addresses' ? 'address' : table.slice(0, -1);
}

const addressRoutes: RouteFactory = (store) => {
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
      store.delete('addresses', params.id);
      return { status: 204 };
    }),
  ];
};

const IMPUTATION_COLUMNS = [
  'reference',
  'account',
  'amount',
  'contractId',
  'orderId',
  'currency',
  'notes',
];

const imputationRoutes: RouteFactory = (store) => {
  const insert = store.inserter('imputations', IMPUTATION_COLUMNS);
  const fields = responseFields(createImputation);
  return [
    route(createImputation, ({ organizationId, body }) => {
      referred(store, organizationId, { table: 'orders', id: body.orderId, field: 'orderId' });
      const id = insert(organizationId, body);
      return { status: 201, body: pick(store.find('imputations', id)!, fields) };
    }),
  ];
};

const itemRoutes: RouteFactory = (store) => {
  const insert = store.inserter('items', Object.keys(itemBody.shape));
  const list = lister(store, 'items', responseFields(listItems));
  return [
    route(listItems, ({ organizationId, list: query }) => ({
      status: 200,
      body: list(organizationId, query),
    })),
    route(createItem, ({ organizationId, body }) => {
      const id = insert(organizationId, body);
      return { status: 201, body: { id, name: body.name ?? null, code: body.code ?? null } };
    }),
  ];
};

/** Orders can be sorted by these fields, so the sandbox returns them too. */
const ORDER_DATES = ['createdAt', 'updatedAt'];

const orderRoutes: RouteFactory = (store) => {
  const list = lister(store, 'orders', [...responseFields(listOrders), ...ORDER_DATES]);
  return [
    route(listOrders, ({ organizationId, list: query }) => ({
      status: 200,
      body: list(organizationId, query),
    })),
  ];
};

type LineInput = z.output<typeof groupItemCreate>;

const LINE_COLUMNS = ['groupId', 'quantity', 'itemId'];

const requisitionRoutes: RouteFactory = (store) => {
  const insertRequisition = store.inserter('requisitions', ['title', 'type', 'sector', 'code']);
  const insertGroup = store.inserter('groups', [
    'requisitionId',
    'name',
    'deliveryMethod',
    'addressId',
  ]);
  const insertLine = store.inserter('lines', LINE_COLUMNS);
  const insertItem = store.inserter('items', Object.keys(itemBody.shape));
  const lines = lister(store, 'lines', responseFields(listLines), 'groupId');
  const removeLines = store.database.prepare('DELETE FROM lines WHERE groupId = ?');

  const checkLine = (line: LineInput, organizationId: string, field: string): void => {
    if ((line.itemId === undefined) === (line.item === undefined)) {
      throw badField(field, 'needs either itemId or item');
    }
    referred(store, organizationId, { table: 'items', id: line.itemId, field: `${field}.itemId` });
  };

  return [
    route(createRequisition, ({ organizationId, body }) => {
      for (const [g, group] of body.groups.entries()) {
        const field = `groups[${g}]`;
        referred(store, organizationId, {
          table: 'addresses',
          id: group.addressId,
          field: `${field}.addressId`,
        });
        for (const [i, line] of group.items.entries()) {
          checkLine(line, organizationId, `${field}.items[${i}]`);
        }
      }
      const requisitionId = insertRequisition(organizationId, body);
      for (const group of body.groups) {
        const groupId = insertGroup(organizationId, { ...group, requisitionId });
        for (const { quantity, itemId, item } of group.items) {
          const orderedId = itemId ?? insertItem(organizationId, item!);
          insertLine(organizationId, { groupId, quantity, itemId: orderedId });
        }
      }
      return { status: 201, body: { requisitionId } };
    }),
    route(addGroup, ({ organizationId, params, body }) => {
      owned(store, 'requisitions', params.id, organizationId);
      referred(store, organizationId, {
        table: 'addresses',
        id: body.addressId,
        field: 'addressId',
      });
      const id = insertGroup(organizationId, {
        ...body,
        requisitionId: params.id,
        // The response has a delivery method, but the body has none: an address means delivery.
        deliveryMethod: body.addressId === undefined ? 'pickup' : 'delivery',
      });
      return { status: 201, body: pick(store.find('groups', id)!, responseFields(addGroup)) };
    }),
    route(removeGroup, ({ organizationId, params }) => {
      ownedGroup(store, params, organizationId);
      removeLines.run(params.groupId);
      store.delete('groups', params.groupId);
      return { status: 204 };
    }),
    route(addLine, ({ organizationId, params, body }) => {
      const { id: groupId } = ownedGroup(store, params, organizationId);
      if (body.itemId === undefined) throw badField('itemId', 'is required (a string)');
      referred(store, organizationId, { table: 'items', id: body.itemId, field: 'itemId' });
      const id = insertLine(organizationId, { ...body, groupId });
      return { status: 201, body: { id, quantity: body.quantity, itemId: body.itemId } };
    }),
    // This list has no parameters, so it is never paged.
    route(listLines, ({ organizationId, params, list }) => {
      ownedGroup(store, params, organizationId);
      return { status: 200, body: lines(params.groupId, { ...list, limit: undefined }) };
    }),
    route(removeLine, ({ organizationId, params }) => {
      ownedGroup(store, params, organizationId);
      const line = owned(store, 'lines', params.itemId, organizationId);
      if (line.groupId !== params.groupId) {
        throw new Problem(404, `The group "${params.groupId}" has no line "${params.itemId}"`);
      }
      store.delete('lines', params.itemId);
      return { status: 204 };
    }),
  ];
};

/** The group of a path; 404 if the group is not in the requisition of the path. */
function ownedGroup(
  store: Store,
  params: { readonly id: string; readonly groupId: string },
  organizationId: string,
): StoredRow {
  owned(store, 'requisitions', params.id, organizationId);
  const group = owned(store, 'groups', params.groupId, organizationId);
  if (group.requisitionId === params.id) return group;
  throw new Problem(404, `The requisition "${params.id}" has no group "${params.groupId}"`);
}

const sectorRoutes: RouteFactory = (store) => {
  const fields = responseFields(getSector);
  const list = lister(store, 'sectors', fields);
  return [
    // This list has no parameters, so it is never paged.
    route(listSectors, ({ organizationId, list: query }) => ({
      status: 200,
      body: list(organizationId, { ...query, limit: undefined }),
    })),
    route(getSector, ({ params, organizationId }) => ({
      status: 200,
      body: pick(owned(store, 'sectors', params.id, organizationId), fields),
    })),
    route(patchSector, ({ params, organizationId, body }) => {
      owned(store, 'sectors', params.id, organizationId);
      store.update('sectors', params.id, body);
      return { status: 200, body: pick(store.find('sectors', params.id)!, fields) };
    }),
    route(deleteSector, ({ params, organizationId }) => {
      owned(store, 'sectors', params.id, organizationId);
      store.delete('sectors', params.id);
      return { status: 204 };
    }),
  ];
};

const ROUTES: readonly RouteFactory[] = [
  requisitionRoutes,
  orderRoutes,
  itemRoutes,
  imputationRoutes,
  sectorRoutes,
  addressRoutes,
];

/** The whole API. */
export function routesOf(store: Store): readonly Route[] {
  return ROUTES.flatMap((factory) => factory(store));
}
