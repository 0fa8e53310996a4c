import { createRequisition } from '../../nouns/requisition/index.ts';
import {
  assembleRequisition,
  FLAT_FIELDS,
  fieldsAt,
  groupsWithoutLines,
  plainRequisition,
} from './flat-requisitions.ts';
import { type ImportTarget, texts } from './import-target.ts';

/**
 * Requisitions (docs/service-contract.md §2 Requisition, §4 row 1). The service cannot list them.
 */
export const REQUISITION_IMPORT: ImportTarget = {
  noun: 'requisitions',
  one: 'requisition',
  many: 'requisitions',
  create: createRequisition,
  keyField: 'code',
  isChecked: true,
  plain: plainRequisition,
  problemsIn: groupsWithoutLines,
  definesItems: true,
  fields: {
    fields: [
      { name: 'title', kind: 'string', required: true },
      ...texts('type', 'sector', 'code'),
      { name: 'groups', kind: 'any', required: true },
    ],
  },
  references: [{ field: 'sector', to: 'sector' }],
  grouped: {
    fields: FLAT_FIELDS,
    references: [
      { field: 'sector', to: 'sector' },
      {
        field: 'item.code',
        into: 'item.id',
        to: 'item',
        unless: 'item.name',
        bareIsCode: true,
      },
    ],
    payloadField: 'groups',
    needed: [['title'], ['item.name', 'item.code', 'item.id'], ['group.deliveryMethod']],
    assemble: assembleRequisition,
    fieldsAt,
  },
};
