import { IMPUTATION_IMPORT } from './imputation-import.ts';
import { ITEM_IMPORT } from './item-import.ts';
import { REQUISITION_IMPORT } from './requisition-import.ts';

export const IMPORT_TARGETS = [ITEM_IMPORT, REQUISITION_IMPORT, IMPUTATION_IMPORT];
