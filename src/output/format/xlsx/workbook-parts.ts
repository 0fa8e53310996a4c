import { filterRange } from './sheet-xml.ts';
import { xmlText } from './xml-text.ts';

export interface WrittenSheet {
  readonly name: string;
  readonly columns: number;
  readonly rows: number;
}

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const SHEET = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

export function sheetPart(index: number): string {
  return `xl/worksheets/sheet${index + 1}.xml`;
}

/**
 * By this hidden name proc recognises its own workbooks, which have no apostrophes before formulas.
 * Spreadsheets keep the name when they save.
 */
export const ORIGIN_NAME = '_proc_origin';

/**
 * The parts around the sheets, by name. They are written last, once the sheets are known.
 *
 * @param origin what the workbook contains: a word such as `report`, or the run whose rejected rows are in it
 */
export function workbookParts(
  sheets: readonly WrittenSheet[],
  styles: string,
  origin: string,
): [string, string][] {
  return [
    ['xl/styles.xml', styles],
    ['xl/workbook.xml', workbook(sheets, origin)],
    ['xl/_rels/workbook.xml.rels', workbookRelations(sheets)],
    [
      '_rels/.rels',
      `${HEAD}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    ],
    ['[Content_Types].xml', contentTypes(sheets)],
  ];
}

function workbook(sheets: readonly WrittenSheet[], origin: string): string {
  const list = sheets.map(
    ({ name }, index) =>
      `<sheet name="${xmlText(name)}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`,
  );
  // Excel expects a hidden name for the cells that a filter covers.
  const filters = sheets.flatMap(({ name, columns, rows }, index) => {
    if (columns === 0) return [];
    const range = filterRange(columns, rows).replace(/[A-Z]+|\d+/g, '$$$&');
    return `<definedName name="_xlnm._FilterDatabase" localSheetId="${index}" hidden="1">'${xmlText(name)}'!${range}</definedName>`;
  });
  const printTitles = sheets.flatMap(({ name, columns }, index) =>
    columns === 0
      ? []
      : [
          `<definedName name="_xlnm.Print_Titles" localSheetId="${index}">'${xmlText(name)}'!$1:$1</definedName>`,
        ],
  );
  const mark = `<definedName name="${ORIGIN_NAME}" hidden="1">"${origin}"</definedName>`;
  return `${HEAD}<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="${OFFICE}"><sheets>${list.join('')}</sheets><definedNames>${mark}${filters.join('')}${printTitles.join('')}</definedNames></workbook>`;
}

function workbookRelations(sheets: readonly WrittenSheet[]): string {
  const relations = sheets.map(
    (_, index) =>
      `<Relationship Id="rId${index + 1}" Type="${OFFICE}/worksheet" Target="worksheets/sheet${index + 1}.xml"/>`,
  );
  const styles = `<Relationship Id="rId${sheets.length + 1}" Type="${OFFICE}/styles" Target="styles.xml"/>`;
  return `${HEAD}<Relationships xmlns="${PACKAGE}/relationships">${relations.join('')}${styles}</Relationships>`;
}

function contentTypes(sheets: readonly WrittenSheet[]): string {
  const types = [
    ['xl/workbook.xml', `${SHEET}.sheet.main+xml`],
    ['xl/styles.xml', `${SHEET}.styles+xml`],
    ...sheets.map((_, index) => [sheetPart(index), `${SHEET}.worksheet+xml`]),
  ];
  const overrides = types.map(
    ([part, type]) => `<Override PartName="/${part}" ContentType="${type}"/>`,
  );
  return `${HEAD}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${overrides.join('')}</Types>`;
}
