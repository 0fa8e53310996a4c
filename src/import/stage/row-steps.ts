import { changedCodes } from '../map/repair/changed-codes.ts';
import { repairedRow } from '../map/repair/repaired-row.ts';
import { stillUnread } from '../map/repair/still-unread.ts';
import type { RowStep } from './row-step.ts';
import { bodyFingerprint } from './steps/body-fingerprint.ts';
import { cellErrors } from './steps/cell-errors.ts';
import { contract } from './steps/contract.ts';
import { damagedCodes } from './steps/damaged-codes.ts';
import { invisibleCharacters } from './steps/invisible-characters.ts';
import { mapColumns } from './steps/map-columns.ts';
import { missingAmounts } from './steps/missing-amounts.ts';
import { missingNames } from './steps/missing-names.ts';
import { readProblem } from './steps/read-problem.ts';
import { referredAmounts } from './steps/referred-amounts.ts';
import { resolvedReferences } from './steps/resolved-references.ts';
import { rowCode } from './steps/row-code.ts';
import { totalRow } from './steps/total-row.ts';
import { where } from './steps/where-filter.ts';
import { workbookSigns } from './steps/workbook-signs.ts';

/**
 * From record to payload. If there are references to look up, proc reads the source twice. The
 * first time, it applies only these steps.
 */
export const PAYLOAD_STEPS: readonly RowStep[] = [
  readProblem,
  where,
  mapColumns,
  repairedRow,
  stillUnread,
  changedCodes,
];

export const CHECK_STEPS: readonly RowStep[] = [
  cellErrors,
  invisibleCharacters,
  damagedCodes,
  missingNames,
  missingAmounts,
  totalRow,
  workbookSigns,
  resolvedReferences,
  referredAmounts,
];

/** From body to row of the ledger. Several flat rows may have made the body. */
export const BODY_STEPS: readonly RowStep[] = [contract, rowCode, bodyFingerprint];
