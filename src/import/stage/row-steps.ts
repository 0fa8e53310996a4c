import { changedCodes, repairedRow, stillUnread } from '../map/repair/repair-steps.ts';
import type { RowStep } from './row-step.ts';
import { bodyFingerprint, contract, rowCode } from './steps/body-steps.ts';
import {
  cellErrors,
  doubtfulAmounts,
  garbledText,
  invisibleCharacters,
} from './steps/cell-checks.ts';
import { damagedCodes, formulaCodes } from './steps/damaged-codes.ts';
import { missingFields } from './steps/missing-fields.ts';
import { notData, unnamedTotals } from './steps/not-data.ts';
import { fillDown, mapColumns, readProblem, resolvedReferences } from './steps/record-steps.ts';
import { referredAmounts } from './steps/referred-amounts.ts';
import { where } from './steps/where-filter.ts';
import { workbookSigns } from './steps/workbook-signs.ts';

/**
 * From record to payload. If there are references to look up, proc reads the source twice. The
 * first time, it applies only these steps.
 */
export const PAYLOAD_STEPS: readonly RowStep[] = [
  readProblem,
  notData,
  fillDown,
  where,
  mapColumns,
  repairedRow,
  stillUnread,
  changedCodes,
];

export const CHECK_STEPS: readonly RowStep[] = [
  unnamedTotals,
  cellErrors,
  invisibleCharacters,
  damagedCodes,
  formulaCodes,
  garbledText,
  missingFields,
  workbookSigns,
  resolvedReferences,
  referredAmounts,
];

/** From body to row of the ledger. Several flat rows may have made the body. */
export const BODY_STEPS: readonly RowStep[] = [contract, doubtfulAmounts, rowCode, bodyFingerprint];
