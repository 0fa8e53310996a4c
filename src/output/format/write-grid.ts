import type { Column, Row } from '../../core/result.ts';
import type { Grid } from '../format-loader.ts';
import type { Rendering } from '../rendering.ts';
import { csvHeader, csvRow } from './csv.ts';

const BATCH = 1000;

export async function openGrid(
  columns: readonly Column[],
  { plan, sink, load }: Rendering,
): Promise<Grid> {
  if (plan.format === 'xlsx') {
    const { sheet } = plan;
    return (await load.workbook())({ write: (bytes) => sink.write(bytes), sheet, columns });
  }
  let names: readonly string[] = [];
  const line = (row: Row) => csvRow(row, names);
  return {
    async header(fields) {
      names = fields;
      await sink.writeData(csvHeader(fields));
    },
    rows: (rows) => sink.writeData(rows.map(line).join('')),
    end: async () => undefined,
  };
}

export async function writeGrid(
  rows: readonly Row[],
  fields: readonly string[],
  columns: readonly Column[],
  rendering: Rendering,
): Promise<void> {
  const grid = await openGrid(columns, rendering);
  await grid.header(fields);
  for (let from = 0; from < rows.length && !rendering.sink.closed(); from += BATCH) {
    await grid.rows(rows.slice(from, from + BATCH));
  }
  await grid.end();
}
