import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { expect, it } from 'vitest';
import { compileMapping } from '../../../src/import/map/compile.ts';
import { parseMapping } from '../../../src/import/map/mapping-flags.ts';
import { matchColumns } from '../../../src/import/map/match.ts';
import { ITEM_IMPORT_FIELDS } from '../../../src/import/targets/item-import.ts';
import { allOf, fileOf, open } from './reading.ts';

const CATALOG = join(import.meta.dirname, '../../../examples/catalog.csv');

// Another CSV reader than proc's reads the expected rows.
const ROWS = parse(readFileSync(CATALOG), { columns: true }) as Record<string, string>[];

const MAP = [
  'code=SKU',
  'name=Product',
  'type={Category} / {Subcategory}',
  'attributes=jmes:Model',
];

async function bodiesOf(file: string): Promise<unknown[]> {
  const source = await open(file);
  const mapping = parseMapping(
    { map: MAP, set: ['unitOfMeasure=EA'], nulls: ['NA'] },
    source,
    ITEM_IMPORT_FIELDS,
  );
  const map = compileMapping(mapping, ITEM_IMPORT_FIELDS);
  return (await allOf(source)).map((record) => map(record).body);
}

it('one mapping gives the same bodies from CSV, JSON and NDJSON', async () => {
  const bodies = await bodiesOf(CATALOG);
  expect(bodies).toHaveLength(ROWS.length);
  expect(bodies.length).toBeGreaterThan(300);
  expect(bodies[0]).toEqual({
    name: 'HL Road Frame - Black, 58',
    code: 'FR-R92B-58',
    unitOfMeasure: 'EA',
    type: 'Components / Road Frames',
    attributes: 'HL Road Frame',
  });
  const files = [
    JSON.stringify(ROWS, null, 1),
    JSON.stringify({ products: ROWS }),
    ROWS.map((row) => JSON.stringify(row)).join('\n'),
  ];
  for (const file of files) expect(await bodiesOf(fileOf(file))).toEqual(bodies);
});

it('the columns of the catalogue are matched without flags', async () => {
  const source = await open(CATALOG);
  const { matched, exact } = matchColumns(source, ITEM_IMPORT_FIELDS);
  expect(Object.fromEntries(matched)).toEqual({ name: 'Product', code: 'SKU', type: 'Category' });
  expect(exact).toBe(false);
});
