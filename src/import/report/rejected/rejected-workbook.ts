import { messageOf, ProcError } from '../../../core/errors.ts';
import { inShell } from '../../../core/text/typed.ts';
import type { SheetColumn } from '../../../output/format/xlsx/cell-value.ts';
import { MOST_TEXT } from '../../../output/format/xlsx/sheet-xml.ts';
import { WorkbookWriter } from '../../../output/format/xlsx/workbook-writer.ts';
import { openWholeFile, PRIVATE } from '../../../store/whole-file.ts';
import type { Mapping } from '../../map/mapping.ts';
import { columnsOf as columnsOfRule } from '../../map/mapping-flags.ts';
import type { Run } from '../../store/run-file.ts';
import { targetOf } from '../../targets/all-targets.ts';
import { shapeOf, type TargetFields } from '../../targets/import-target.ts';
import { brokenCells, columnsOf, type Rejected, rejectedRows } from './rejected-rows.ts';

const PER_BATCH = 500;

export function isWorkbookName(path: string): boolean {
  return /\.xlsx$/i.test(path);
}

/**
 * Text stays text, so that a spreadsheet changes no code. The cells to correct are marked.
 *
 * @throws ProcError `unwritable_output`; an existing file stays unchanged
 */
export async function writeRejectedWorkbook(journal: Run, path: string): Promise<void> {
  const { header } = journal;
  const fields = targetFieldsOf(journal);
  const numeric = numericColumns(header.mapping as Mapping, fields);
  const broken = brokenCells(journal, fields);
  const marked = new WeakMap<object, ReadonlySet<string>>();
  try {
    const file = openWholeFile(path, PRIVATE);
    try {
      const book = new WorkbookWriter({
        write: async (bytes) => file.write(bytes),
        sheet: header.source.format.workbook?.sheet ?? 'Rejected',
        columns: [],
        origin: header.run,
        columnOf: (field): SheetColumn => ({
          field,
          kind: undefined,
          isIdentifier: !numeric.has(field) && !field.startsWith('_'),
          own: numeric.has(field) ? 'number' : 'text',
        }),
        markedIn: (row) => marked.get(row) ?? new Set(),
      });
      await book.header(columnsOf(journal));
      let batch: Record<string, unknown>[] = [];
      for (const row of rejectedRows(journal)) {
        const cells = cellsOf(row);
        marked.set(cells, broken(row, cells));
        batch.push(cells);
        if (batch.length < PER_BATCH) continue;
        await book.rows(batch);
        batch = [];
      }
      await book.rows(batch);
      await book.end();
      file.commit();
    } catch (thrown) {
      file.abort();
      throw thrown;
    }
  } catch (thrown) {
    throw new ProcError(
      'unwritable_output',
      `cannot write --rejected ${path}: ${messageOf(thrown)}`,
      {
        hint:
          thrown instanceof ProcError
            ? `Write them as CSV: proc imports resume ${inShell(header.run)} --rejected FILE.csv`
            : 'Choose a file in a folder where you have write permission',
        cause: thrown,
      },
    );
  }
}

function cellsOf({ own, added }: Rejected): Record<string, unknown> {
  const { _reason } = added;
  const isTooLong = typeof _reason === 'string' && _reason.length > MOST_TEXT;
  return {
    ...(JSON.parse(own) as Record<string, unknown>),
    ...added,
    ...(isTooLong ? { _reason: `${_reason.slice(0, MOST_TEXT - 1)}…` } : {}),
  };
}

export function targetFieldsOf({ header: { noun, groupBy } }: Run): TargetFields {
  return shapeOf(targetOf(noun), groupBy).fields;
}

/** Columns of numeric fields: what a person types into their cells must become a number. */
export function numericColumns(mapping: Mapping, { fields }: TargetFields): ReadonlySet<string> {
  return new Set(
    fields.flatMap(({ name, kind }) => {
      const rule = mapping.fields[name];
      const isNumeric = kind === 'number' || kind === 'integer';
      return isNumeric && rule !== undefined ? columnsOfRule(rule) : [];
    }),
  );
}
