import type { ImportTarget } from './import-target.ts';
import { IMPUTATION_IMPORT } from './imputation-import.ts';
import { ITEM_IMPORT } from './item-import.ts';
import { REQUISITION_IMPORT } from './requisition-import.ts';

export const IMPORT_TARGETS: readonly ImportTarget[] = [
  ITEM_IMPORT,
  REQUISITION_IMPORT,
  IMPUTATION_IMPORT,
];

/** @param noun of a run */
export function targetOf(noun: string): ImportTarget {
  return IMPORT_TARGETS.find((one) => one.noun === noun)!;
}
