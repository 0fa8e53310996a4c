import type { ByteSource } from '../bytes/byte-source.ts';
import { firstBytes } from '../bytes/byte-source.ts';
import { TOP_ROWS, type TopRow } from '../likely-header.ts';
import { CsvCutter } from './csv-cutter.ts';
import { findShape } from './csv-shape.ts';

const HEAD_BYTES = 64 << 10;

/**
 * Detects the delimiter of each line by itself, because titles above the table may contain other
 * delimiters.
 */
export async function csvTop(source: ByteSource): Promise<readonly TopRow[]> {
  const bytes = await firstBytes(source, HEAD_BYTES);
  const text = bytes.toString('utf8');
  const isWhole = bytes.length < HEAD_BYTES;
  const lines = new CsvCutter(text, { delimiter: ',' });
  const rows: TopRow[] = [];
  for (let at = 0, row = 1; at < text.length && row <= TOP_ROWS; at = lines.lineAfter(at), row++) {
    const { delimiter } = findShape(text, isWhole, row);
    const cut = new CsvCutter(text.slice(at), { delimiter }).cut(0);
    if (cut !== undefined && cut.problem === undefined) rows.push({ row, cells: cut.cells });
  }
  return rows;
}
