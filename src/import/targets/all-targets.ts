import { createImputation } from '../../nouns/imputations/index.ts';
import { createItem, listItems } from '../../nouns/items/index.ts';
import { createRequisition } from '../../nouns/requisition/index.ts';
import {
  assembleRequisition,
  FLAT_FIELDS,
  fieldsAt,
  groupsWithoutLines,
  plainRequisition,
} from './flat-requisitions.ts';
import { type ImportTarget, texts } from './import-target.ts';

/** Items (docs/service-contract.md §2 Item, §4 rows 8 and 9). The contract requires no field. */
export const ITEM_IMPORT: ImportTarget = {
  noun: 'items',
  one: 'item',
  many: 'items',
  create: createItem,
  fields: [
    { name: 'name', kind: 'string', required: true },
    { name: 'code', kind: 'string', required: true },
    ...texts('description', 'unitOfMeasure', 'brand', 'material', 'certification'),
    ...texts('type', 'title'),
    { name: 'attributes', kind: 'any' },
  ],
  keyField: 'code',
  listing: { endpoint: listItems, sort: 'code', idField: 'id', nameField: 'name' },
};

/** Requisitions (docs/service-contract.md §2 Requisition, §4 row 1). The service cannot list them. */
const REQUISITION_IMPORT: ImportTarget = {
  noun: 'requisitions',
  one: 'requisition',
  many: 'requisitions',
  create: createRequisition,
  keyField: 'code',
  isChecked: true,
  plain: plainRequisition,
  problemsIn: groupsWithoutLines,
  definesItems: true,
  fields: [
    { name: 'title', kind: 'string', required: true },
    ...texts('type', 'sector', 'code'),
    { name: 'groups', kind: 'any', required: true },
  ],
  references: [{ field: 'sector', to: 'sector' }],
  grouped: {
    fields: FLAT_FIELDS,
    references: [
      { field: 'sector', to: 'sector' },
      { field: 'group.address', into: 'group.addressId', to: 'address' },
      { field: 'item.code', into: 'item.id', to: 'item', unless: 'item.name', bareIsCode: true },
    ],
    payloadField: 'groups',
    needed: [['title'], ['item.name', 'item.code', 'item.id'], ['group.deliveryMethod']],
    assemble: assembleRequisition,
    fieldsAt,
  },
};

/**
 * Imputations (docs/service-contract.md §2 Imputation, §4 row 10). The service cannot list them:
 * only the ledger knows what was sent.
 */
const IMPUTATION_IMPORT: ImportTarget = {
  noun: 'imputations',
  one: 'imputation',
  many: 'imputations',
  create: createImputation,
  keyField: 'reference',
  isChecked: true,
  needed: [['order', 'orderId', 'contractId']],
  references: [
    { field: 'orderId', to: 'order', copies: 'currency' },
    { field: 'order', into: 'orderId', to: 'order', copies: 'currency' },
  ],
  fields: [
    { name: 'reference', kind: 'string' },
    { name: 'account', kind: 'string', required: true },
    { name: 'amount', kind: 'number', required: true, currency: 'currency' },
    ...texts('contractId', 'orderId', 'order', 'currency', 'notes'),
    { name: 'createdAt', kind: 'any' },
    { name: 'updatedAt', kind: 'any' },
  ],
};

export const IMPORT_TARGETS: readonly ImportTarget[] = [
  ITEM_IMPORT,
  REQUISITION_IMPORT,
  IMPUTATION_IMPORT,
];

/** @param noun of a run */
export function targetOf(noun: string): ImportTarget {
  return IMPORT_TARGETS.find((one) => one.noun === noun)!;
}
