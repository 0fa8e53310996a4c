import { ProcError } from '../core/errors.ts';
import type { Choices } from '../import/ledger/header.ts';
import type { Mapping } from '../import/map/mapping.ts';
import type { MappedRow, Source } from '../import/source/record.ts';
import { applySteps, begin, rowOf, type StepContext } from '../import/stage/row-step.ts';
import { cellErrors } from '../import/stage/steps/cell-errors.ts';
import { damagedCodes } from '../import/stage/steps/damaged-codes.ts';
import { invisibleCharacters } from '../import/stage/steps/invisible-characters.ts';
import { mapColumns } from '../import/stage/steps/map-columns.ts';
import { readProblem } from '../import/stage/steps/read-problem.ts';
import { totalRow } from '../import/stage/steps/total-row.ts';
import { where } from '../import/stage/steps/where-filter.ts';
import { ITEM_IMPORT } from '../import/targets/item-import.ts';
import type { Finding } from '../messages/findings.ts';
import type { FileRow } from './comparison.ts';

export type RowChoices = Pick<Choices, 'where' | 'allow'>;

/**
 * The rows of a file as an import would read them, but only with code and name.
 *
 * @param mapping the mapping of `code` and `name`
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
  const filter = begin([where], run);
  const reading = begin([readProblem, mapColumns], run);
  const checks = begin([cellErrors, invisibleCharacters, damagedCodes, totalRow], run);
  for await (const records of source.records()) {
    yield records.map((record) => {
      const unmapped = rowOf(record);
      const isFiltered = applySteps(filter, unmapped).isFiltered === true;
      const mapped = applySteps(reading, unmapped);
      if (mapped.problem?.ofFile === true) throw cutOff(source.name, mapped.problem.message);
      return fileRow(mapped, isFiltered ? mapped : applySteps(checks, mapped), isFiltered);
    });
  }
  onFindings(checks.flatMap((step) => step.findings?.() ?? []));
}

/** An import needs these choices. Here they have no effect. */
const NO_CHOICES: Omit<Choices, 'allow'> = {
  onExisting: 'skip',
  onDuplicate: undefined,
  noCode: 'name',
  maxCreate: undefined,
  maxRejected: undefined,
  onSent: undefined,
};

function cutOff(name: string, problem: string): ProcError {
  return new ProcError('invalid_input', `${name}: ${problem}`, {
    hint: 'Nothing was compared, because items in the missing part of the file would count as gone',
  });
}

/** A rejected row keeps its code, so that its item does not count as gone. */
function fileRow(mapped: MappedRow, { problem }: MappedRow, isFiltered: boolean): FileRow {
  const { row, line, body } = mapped;
  const field = problem?.field === undefined ? '' : `${problem.field}: `;
  return {
    row,
    line,
    code: textOf(body?.code),
    name: textOf(body?.name),
    reason: problem === undefined ? undefined : `${field}${problem.message}`,
    isFiltered,
  };
}

function textOf(value: unknown): string | null {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : null;
}
