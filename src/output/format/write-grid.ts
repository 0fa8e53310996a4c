import type { Column, Row } from '../../core/result.ts';
import type { Grid } from '../format-loader.ts';
import type { Rendering } from '../rendering.ts';
import { csvHeader, csvRow } from './csv.ts';

/** Number of rows converted to text at once. */
const BATCH = 1000;

/** Opens the grid of the format: a workbook, else CSV. */
export async function openGrid(
  columns: readonly Column[],
  { plan, sink, load }: Rendering,
): Promise<Grid> {
  if (plan.format === 'xlsx') {
    const { sheet } = plan;
    return (await load.workbook())({ write: (bytes) => sink.write(bytes), sheet, columns });
  }
  const { csv } = plan;
  let names: readonly string[] = [];
  return {
    header(fields) {
      names = fields;
      return sink.writeData(csvHeader(fields, csv));
    },
    rows: (rows) => sink.writeData(rows.map((row) => csvRow(row, names, csv)).join('')),
    end: async () => undefined,
  };
}

/** Writes rows that are all known. */
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
