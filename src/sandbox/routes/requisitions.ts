import type * as z from 'zod/mini';
import {
  addGroup,
  addLine,
  createRequisition,
  type groupItemCreate,
  listLines,
  removeGroup,
  removeLine,
} from '../../nouns/requisition/api.ts';
import { lister } from '../database/list-rows.ts';
import type { Store, StoredRow } from '../database/sandbox-store.ts';
import { badField, Problem } from '../server/problem.ts';
import {
  deleted,
  owned,
  pick,
  type RouteFactory,
  referred,
  responseFields,
  route,
} from '../server/route.ts';
import { itemWriter } from './items.ts';

type LineInput = z.output<typeof groupItemCreate>;

const LINE_COLUMNS = ['groupId', 'quantity', 'itemId'];

export const requisitionRoutes: RouteFactory = (store, habits) => {
  const insertRequisition = store.inserter('requisitions', ['title', 'type', 'sector', 'code']);
  const insertGroup = store.inserter('groups', [
    'requisitionId',
    'name',
    'deliveryMethod',
    'addressId',
  ]);
  const insertLine = store.inserter('lines', LINE_COLUMNS);
  const items = itemWriter(store, habits);
  const lines = lister(store, habits, 'lines', responseFields(listLines), 'groupId');
  const removeLines = store.database.prepare('DELETE FROM lines WHERE groupId = ?');

  const checkLine = (line: LineInput, organizationId: string, field: string): void => {
    if ((line.itemId === undefined) === (line.item === undefined)) {
      throw badField(field, 'needs either itemId or item');
    }
    referred(store, 'items', line.itemId, organizationId, `${field}.itemId`);
    items.check(organizationId, line.item?.code);
  };

  return [
    route(createRequisition, ({ organizationId, body }) => {
      for (const [g, group] of body.groups.entries()) {
        const field = `groups[${g}]`;
        referred(store, 'addresses', group.addressId, organizationId, `${field}.addressId`);
        for (const [i, line] of group.items.entries()) {
          checkLine(line, organizationId, `${field}.items[${i}]`);
        }
      }
      const requisitionId = insertRequisition(organizationId, body);
      for (const group of body.groups) {
        const groupId = insertGroup(organizationId, { ...group, requisitionId });
        for (const { quantity, itemId, item } of group.items) {
          const orderedId = itemId ?? items.write(organizationId, item!);
          insertLine(organizationId, { groupId, quantity, itemId: orderedId });
        }
      }
      return { status: 201, body: { requisitionId } };
    }),
    route(addGroup, ({ organizationId, params, body }) => {
      owned(store, 'requisitions', params.id, organizationId);
      referred(store, 'addresses', body.addressId, organizationId, 'addressId');
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
      return deleted(habits, () => {
        removeLines.run(params.groupId);
        store.delete('groups', params.groupId);
      });
    }),
    route(addLine, ({ organizationId, params, body }) => {
      const { id: groupId } = ownedGroup(store, params, organizationId);
      if (body.itemId === undefined) throw badField('itemId', 'is required (a string)');
      referred(store, 'items', body.itemId, organizationId, 'itemId');
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
      return deleted(habits, () => store.delete('lines', params.itemId));
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
