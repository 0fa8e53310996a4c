import type { Io } from '../core/io.ts';
import type { Block, Row } from '../core/result.ts';
import { paint } from '../terminal/terminal.ts';
import { writeNow } from '../terminal/write.ts';
import { columnsOf } from './cell.ts';
import { blocksText } from './table.ts';

/** Shows parts of a page on stderr, before a question. */
export function showBlocks(blocks: readonly Block[], { streams, terminal }: Io): void {
  const width = Math.max(20, (streams.stderr.columns || terminal.stderrWidth) - 1);
  const text = blocksText(blocks, { width, paint: paint(terminal.color.stderr) });
  writeNow(streams.stderr, `\n${text}\n`);
}

/** The fields of a record that are not empty, as lists show a record. */
export function showRecord(value: Row, io: Io): void {
  const columns = columnsOf([value]).filter(({ key }) => (value[key] ?? '') !== '');
  if (columns.length > 0) showBlocks([{ record: { columns, value } }], io);
}
