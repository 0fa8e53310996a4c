import { ProcError } from '../core/errors.ts';
import type { Choices } from '../import/ledger/header.ts';
import type { Mapping } from '../import/map/mapping.ts';
import type { MappedRow, Source } from '../import/source/record.ts';
import {
  applySteps,
  begin,
  type RowWork,
  rowOf,
  type StepContext,
} from '../import/stage/row-step.ts';
import { rowCode } from '../import/stage/steps/body-steps.ts';
import { cellErrors, garbledText, invisibleCharacters } from '../import/stage/steps/cell-checks.ts';
import { damagedCodes, formulaCodes } from '../import/stage/steps/damaged-codes.ts';
import { missingFields } from '../import/stage/steps/missing-fields.ts';
import { notData } from '../import/stage/steps/not-data.ts';
import { fillDown, mapColumns, readProblem } from '../import/stage/steps/record-steps.ts';
import { where } from '../import/stage/steps/where-filter.ts';
import { ITEM_IMPORT } from '../import/targets/item-import.ts';
import type { Finding } from '../messages/findings.ts';
import { sentence } from '../messages/problems.ts';
import type { FileRow } from './comparison.ts';

export type RowChoices = Pick<Choices, 'where' | 'allow' | 'fillDown' | 'csvRaw'>;

/**
 * The rows of a file as an import would read them, but only with code and name. A row that an import
 * would reject, for whatever field, has a reason.
 *
 * @param mapping the mapping of all fields
 * @param onFindings called once, after the last row, with everything that looks wrong
 * @throws ProcError `invalid_input` if the file ends too early: the items of the missing rows would
 * count as gone
 */
export async function* fileRows(
  source: Source,
  mapping: Mapping,
  choices: RowChoices,
  onFindings: (findings: readonly Finding[]) => void,
): AsyncGenerator<readonly FileRow[]> {
  const run: StepContext = {
    header: { choices: { ...NO_CHOICES, ...choices }, groupBy: undefined, repairs: undefined },
    mapping,
    target: ITEM_IMPORT,
    shape: ITEM_IMPORT,
    source,
    earlier: undefined,
    resolver: undefined,
  };
  // Without a column of names, the rows are compared by their codes alone.
  const checked =
    mapping.fields.name === undefined ? CHECKS.filter((one) => one !== missingFields) : CHECKS;
  const keys = begin([readProblem, mapColumns], run);
  const payload = begin([readProblem, notData, fillDown, where, mapColumns], run);
  const checks = begin(checked, run);
  const [coded] = begin([rowCode], run) as [RowWork];
  for await (const records of source.records()) {
    yield records.map((record) => {
      const unmapped = rowOf(record);
      const mapped = applySteps(payload, unmapped);
      if (mapped.isFileProblem === true) throw cutOff(source.name, sentence(mapped.problem!));
      const isFiltered = mapped.isFiltered === true;
      // A row that is left out or rejected keeps its code, so that its item does not count as gone.
      const own = mapped.body === undefined ? applySteps(keys, unmapped) : mapped;
      if (isFiltered) return fileRow(own, own, true);
      const judged = applySteps(checks, mapped);
      const row = fileRow(own, judged, false);
      return {
        ...row,
        reasonIfNew: judged.problem === undefined ? reasonOf(coded.apply(judged)) : undefined,
      };
    });
  }
  onFindings(checks.flatMap((step) => step.findings?.() ?? []));
}

const CHECKS = [
  cellErrors,
  invisibleCharacters,
  damagedCodes,
  formulaCodes,
  garbledText,
  missingFields,
];

/** An import needs these choices. Here they have no effect. */
const NO_CHOICES: Omit<Choices, 'allow'> = {
  onExisting: 'skip',
  onDuplicate: undefined,
  noCode: 'reject',
  maxCreate: undefined,
  maxRejected: undefined,
  onSent: undefined,
};

function cutOff(name: string, problem: string): ProcError {
  return new ProcError('invalid_input', `${name}: ${problem}`, {
    hint: 'Nothing was compared, because items in the missing part of the file would count as gone',
  });
}

function fileRow(mapped: MappedRow, judged: MappedRow, isFiltered: boolean): FileRow {
  const { row, line, body } = mapped;
  return {
    row,
    line,
    code: textOf(body?.code),
    name: textOf(body?.name),
    reason: reasonOf(judged),
    isFiltered,
  };
}

function reasonOf({ problem }: MappedRow): string | undefined {
  return problem === undefined ? undefined : sentence(problem);
}

function textOf(value: unknown): string | null {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : null;
}
