import { changedCodes } from '../map/repair/changed-codes.ts';
import { repairedRow } from '../map/repair/repaired-row.ts';
import { stillUnread } from '../map/repair/still-unread.ts';
import type { RowStep } from './row-step.ts';
import { bodyFingerprint } from './steps/body-fingerprint.ts';
import { cellErrors } from './steps/cell-errors.ts';
import { contract } from './steps/contract.ts';
import { damagedCodes, formulaCodes } from './steps/damaged-codes.ts';
import { doubtfulAmounts, garbledText } from './steps/doubtful-values.ts';
import { fillDown } from './steps/fill-down.ts';
import { invisibleCharacters } from './steps/invisible-characters.ts';
import { mapColumns } from './steps/map-columns.ts';
import { missingFields } from './steps/missing-fields.ts';
import { notData, unnamedTotals } from './steps/not-data.ts';
import { readProblem } from './steps/read-problem.ts';
import { referredAmounts } from './steps/referred-amounts.ts';
import { resolvedReferences } from './steps/resolved-references.ts';
import { rowCode } from './steps/row-code.ts';
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
