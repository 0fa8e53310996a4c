import type { SheetColumn } from '../../output/format/xlsx/cell-value.ts';
import {
  letters,
  MOST_ROWS,
  sheetHead,
  sheetRow,
  sheetTail,
} from '../../output/format/xlsx/sheet-xml.ts';
import { Styles } from '../../output/format/xlsx/styles.ts';
import { sheetPart, workbookParts } from '../../output/format/xlsx/workbook-parts.ts';
import { xmlText } from '../../output/format/xlsx/xml-text.ts';
import { type WriteBytes, ZipWriter } from '../../output/format/xlsx/zip-writer.ts';
import type { TemplateColumn } from './columns-to-fill.ts';

/**
 * One sheet to fill in, and one sheet with an example. Text columns have the text format, so that a
 * spreadsheet changes no code.
 */
export async function templateWorkbook(
  columns: readonly TemplateColumn[],
  names: { readonly sheet: string; readonly example: string },
  write: WriteBytes,
): Promise<void> {
  const sheetColumns = columns.map(
    ({ header, kind, isRequired }): SheetColumn => ({
      field: header,
      kind: undefined,
      isIdentifier: false,
      own: kind === 'number' || kind === 'integer' ? 'number' : 'text',
      isRequired,
    }),
  );
  const example = Object.fromEntries(columns.map(({ header, example: value }) => [header, value]));
  const head = sheetHead(sheetColumns, [example]);
  const styles = new Styles();
  const zip = new ZipWriter(write);
  const count = columns.length;
  await zip.add(sheetPart(0), head + sheetTail(count, 1, validations(columns)));
  const row = sheetRow(example, 2, sheetColumns, styles);
  await zip.add(sheetPart(1), head + row + sheetTail(count, 2));
  const sheets = [
    { name: names.sheet, columns: count, rows: 1 },
    { name: names.example, columns: count, rows: 2 },
  ];
  for (const [name, text] of workbookParts(sheets, styles.xml(), 'template')) {
    await zip.add(name, text);
  }
  await zip.end();
}

function validations(columns: readonly TemplateColumn[]): string {
  const rules = columns.flatMap(({ kind, choices }, index) => {
    const column = letters(index);
    const cells = `allowBlank="1" showErrorMessage="1" sqref="${column}2:${column}${MOST_ROWS}"`;
    if (choices !== undefined) {
      return [
        `<dataValidation type="list" ${cells}><formula1>${xmlText(`"${choices.join(',')}"`)}</formula1></dataValidation>`,
      ];
    }
    return kind === 'integer'
      ? [
          `<dataValidation type="whole" operator="greaterThan" ${cells}><formula1>0</formula1></dataValidation>`,
        ]
      : [];
  });
  return rules.length === 0
    ? ''
    : `<dataValidations count="${rules.length}">${rules.join('')}</dataValidations>`;
}
