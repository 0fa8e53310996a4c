import type { EndpointSpec } from '../core/endpoint.ts';
import { deleteAddress, getAddress, patchAddress } from './addresses/index.ts';
import { createImputation } from './imputations/index.ts';
import { createItem, listItems } from './items/index.ts';
import { listOrders } from './orders/index.ts';
import {
  addGroup,
  addLine,
  createRequisition,
  listLines,
  removeGroup,
  removeLine,
} from './requisition/index.ts';
import { deleteSector, getSector, listSectors, patchSector } from './sectors/index.ts';

/** Every endpoint of the service, in the order of the table in docs/service-contract.md §4. */
export const ENDPOINTS: readonly EndpointSpec[] = [
  createRequisition,
  addGroup,
  removeGroup,
  addLine,
  listLines,
  removeLine,
  listOrders,
  listItems,
  createItem,
  createImputation,
  listSectors,
  getSector,
  patchSector,
  deleteSector,
  getAddress,
  patchAddress,
  deleteAddress,
];
