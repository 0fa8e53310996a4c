import { createRequisition, IMPORTED_AS } from '../../nouns/requisition/index.ts';
import {
  assembleRequisition,
  FLAT_FIELDS,
  fieldsAt,
  REQUEST_NUMBERS,
} from './flat-requisitions.ts';
import { headersIn, type ImportTarget } from './import-target.ts';

/**
 * Requisitions (docs/service-contract.md §2 Requisition, §4 row 1). The service cannot list them.
 */
export const REQUISITION_IMPORT: ImportTarget = {
  noun: IMPORTED_AS,
  one: 'requisition',
  many: 'requisitions',
  create: createRequisition,
  keyField: 'code',
  isChecked: true,
  definesItems: true,
  fields: {
    fields: [
      { name: 'title', kind: 'string', required: true, synonyms: [] },
      { name: 'type', kind: 'string', synonyms: [] },
      { name: 'sector', kind: 'string', synonyms: [] },
      { name: 'code', kind: 'string', synonyms: [] },
      { name: 'groups', kind: 'any', required: true, synonyms: [] },
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
    requiredFields: [
      ['title'],
      ['quantity'],
      ['item.name', 'item.code', 'item.id'],
      ['group.deliveryMethod'],
    ],
    keyField: 'code',
    titleField: 'title',
    headers: headersIn(`${REQUEST_NUMBERS}
      Request | Requisition | Requisición | Solicitud | Pedido | Anforderung`),
    defaults: { 'group.deliveryMethod': 'pickup' },
    assemble: assembleRequisition,
    fieldsAt,
  },
};
