import type * as z from 'zod/mini';
import { documentedFields, type EndpointSpec, type PathParam } from '../core/endpoint.ts';
import type { FieldIssue } from '../core/validate.ts';
import { deleteAddress, getAddress, patchAddress } from '../nouns/addresses/index.ts';
import { createImputation } from '../nouns/imputations/index.ts';
import { createItem, listItems } from '../nouns/items/index.ts';
import { listOrders } from '../nouns/orders/index.ts';
import {
  addGroup,
  addLine,
  createRequisition,
  listLines,
  removeGroup,
  removeLine,
} from '../nouns/requisition/index.ts';
import { deleteSector, getSector, listSectors, patchSector } from '../nouns/sectors/index.ts';
import type { ListQuery, Store, StoredRow, Table } from './store.ts';

/** A refusal for the client. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly status: number;
  readonly errors: readonly FieldIssue[];

  constructor(status: number, detail: string, errors: readonly FieldIssue[] = []) {
    super(detail);
    this.status = status;
    this.errors = errors;
  }
}

export function badField(field: string, message: string): Problem {
  return new Problem(400, `${field}: ${message}`, [{ field, message }]);
}

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

/** `handle` of a write runs in a transaction. */
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

function pick(row: StoredRow, fields: readonly string[]): StoredRow {
  return Object.fromEntries(fields.map((field) => [field, row[field]]));
}

/** Throws 403 if the record belongs to another organization. */
function ofOrganization(table: Table, row: StoredRow, organizationId: string): StoredRow {
  if (row.organizationId === organizationId) return row;
  throw new Problem(403, `The ${singular(table)} "${row.id}" belongs to another organization`);
}

/** Finds the record of a path. Throws 404 if it does not exist. */
function owned(store: Store, table: Table, id: string, organizationId: string): StoredRow {
  const row = store.find(table, id);
  if (row === undefined) throw new Problem(404, `There is no ${singular(table)} "${id}"`);
  return ofOrganization(table, row, organizationId);
}

/** Checks a record that a body refers to. Throws 400 if it does not exist. */
function referred(
  store: Store,
  organizationId: string,
  [table, field]: readonly [Table, string],
  id: string | undefined,
): void {
  if (id === undefined) return;
  const row = store.find(table, id);
  if (row === undefined) throw badField(field, `there is no ${singular(table)} "${id}"`);
  ofOrganization(table, row, organizationId);
}

function singular(table: Table): string {
  return table === 'addresses' ? 'address' : table.slice(0, -1);
}

/** Reads, changes and deletes a record by its id. */
function recordRoutes(
  store: Store,
  table: Table,
  { get, patch, remove }: Readonly<Record<'get' | 'patch' | 'remove', EndpointSpec>>,
): readonly Route[] {
  const fields = documentedFields(get);
  const idOf = ({ params, organizationId }: Call<EndpointSpec>): string => {
    const { id } = params as { readonly id: string };
    owned(store, table, id, organizationId);
    return id;
  };
  const shown = (id: string): RouteResponse => ({
    status: 200,
    body: pick(store.find(table, id)!, fields),
  });
  return [
    route(get, (call) => shown(idOf(call))),
    route(patch, (call) => {
      const id = idOf(call);
      store.update(table, id, call.body ?? {});
      return shown(id);
    }),
    route(remove, (call) => {
      store.delete(table, idOf(call));
      return { status: 204 };
    }),
  ];
}

/** Lists the records of an organization. @param more fields beside those of the contract */
function listRoute(
  store: Store,
  table: Table,
  spec: EndpointSpec,
  more: readonly string[] = [],
): Route {
  const list = store.lister(table, [...documentedFields(spec), ...more]);
  return route(spec, ({ organizationId, list: query }) => {
    // A list without parameters is never paged.
    const asked = spec.query === undefined ? { ...query, limit: undefined } : query;
    return { status: 200, body: list(organizationId, asked) };
  });
}

const imputationRoutes: RouteFactory = (store) => [
  route(createImputation, ({ organizationId, body }) => {
    referred(store, organizationId, ['orders', 'orderId'], body.orderId);
    const id = store.insert('imputations', organizationId, body);
    const row = store.find('imputations', id)!;
    return { status: 201, body: pick(row, documentedFields(createImputation)) };
  }),
];

const itemRoutes: RouteFactory = (store) => [
  listRoute(store, 'items', listItems),
  route(createItem, ({ organizationId, body }) => {
    const id = store.insert('items', organizationId, body);
    return { status: 201, body: { id, name: body.name, code: body.code } };
  }),
];

/** Orders can be sorted by these fields, so the sandbox returns them too. */
const ORDER_DATES = ['createdAt', 'updatedAt'];

const requisitionRoutes: RouteFactory = (store) => {
  const lines = store.lister('lines', documentedFields(listLines), 'groupId');
  return [
    route(createRequisition, ({ organizationId, body }) => {
      const requisitionId = store.insert('requisitions', organizationId, body);
      for (const [g, group] of body.groups.entries()) {
        const field = `groups[${g}]`;
        const address = ['addresses', `${field}.addressId`] as const;
        referred(store, organizationId, address, group.addressId);
        const groupId = store.insert('groups', organizationId, { ...group, requisitionId });
        for (const [i, { quantity, itemId, item }] of group.items.entries()) {
          const line = `${field}.items[${i}]`;
          if ((itemId === undefined) === (item === undefined)) {
            throw badField(line, 'needs either itemId or item');
          }
          referred(store, organizationId, ['items', `${line}.itemId`], itemId);
          const orderedId = itemId ?? store.insert('items', organizationId, item!);
          store.insert('lines', organizationId, { groupId, quantity, itemId: orderedId });
        }
      }
      return { status: 201, body: { requisitionId } };
    }),
    route(addGroup, ({ organizationId, params, body }) => {
      owned(store, 'requisitions', params.id, organizationId);
      const { addressId } = body;
      referred(store, organizationId, ['addresses', 'addressId'], addressId);
      const id = store.insert('groups', organizationId, {
        ...body,
        requisitionId: params.id,
        // The response has a delivery method, but the body has none: an address means delivery.
        deliveryMethod: addressId === undefined ? 'pickup' : 'delivery',
      });
      return { status: 201, body: pick(store.find('groups', id)!, documentedFields(addGroup)) };
    }),
    route(removeGroup, ({ organizationId, params }) => {
      ownedGroup(store, params, organizationId);
      store.prepare('DELETE FROM lines WHERE groupId = ?').run(params.groupId);
      store.delete('groups', params.groupId);
      return { status: 204 };
    }),
    route(addLine, ({ organizationId, params, body }) => {
      const { id: groupId } = ownedGroup(store, params, organizationId);
      const { quantity, itemId } = body;
      if (itemId === undefined) throw badField('itemId', 'is required (a string)');
      referred(store, organizationId, ['items', 'itemId'], itemId);
      const id = store.insert('lines', organizationId, { quantity, itemId, groupId });
      return { status: 201, body: { id, quantity, itemId } };
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

/** The whole API. */
export function routesOf(store: Store): readonly Route[] {
  return [
    ...requisitionRoutes(store),
    listRoute(store, 'orders', listOrders, ORDER_DATES),
    ...itemRoutes(store),
    ...imputationRoutes(store),
    listRoute(store, 'sectors', listSectors),
    ...recordRoutes(store, 'sectors', { get: getSector, patch: patchSector, remove: deleteSector }),
    ...recordRoutes(store, 'addresses', {
      get: getAddress,
      patch: patchAddress,
      remove: deleteAddress,
    }),
  ];
}
