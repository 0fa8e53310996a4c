import { CsvCutter, type CsvShape } from './csv-cutter.ts';

const LINE_BREAK = /\r\n?|\n/;

const DELIMITERS = [',', ';', '\t', '|'];

const SAMPLE = 50;

export interface FoundShape extends CsvShape {
  /** The first line is e.g. `sep=;`, which tells Excel the delimiter. */
  readonly hasSepLine: boolean;
  readonly lineEnd: string;
}

/**
 * With the right delimiter, most records have as many cells as the header, and at least two.
 *
 * @param isWhole `head` is the whole file; otherwise its last record may be incomplete
 * @param first the line of the header, or of the first record if there is no header
 */
export function findShape(head: string, isWhole: boolean, first = 1): FoundShape {
  const lineEnd = LINE_BREAK.exec(head)?.[0] ?? '\n';
  const declared = /^sep=(.)(?:[\r\n]|$)/.exec(head);
  if (declared !== null) return { delimiter: declared[1]!, lineEnd, hasSepLine: true };
  const table = fromLine(head, first);
  let best = { delimiter: ',', agreeing: 0, cells: 1 };
  for (const delimiter of DELIMITERS) {
    const counts = cellCounts(table, { delimiter }, isWhole);
    const cells = counts[0] ?? 1;
    if (cells < 2) continue;
    const agreeing = counts.filter((count) => count === cells).length / counts.length;
    const isBetter = agreeing > best.agreeing || (agreeing === best.agreeing && cells > best.cells);
    if (isBetter) best = { delimiter, agreeing, cells };
  }
  return { delimiter: best.delimiter, lineEnd, hasSepLine: false };
}

function fromLine(text: string, line: number): string {
  const cutter = new CsvCutter(text, { delimiter: ',' });
  let at = 0;
  for (let left = line; left > 1 && at < text.length; left--) at = cutter.lineAfter(at);
  return text.slice(at);
}

function cellCounts(head: string, shape: CsvShape, isWhole: boolean): number[] {
  const cutter = new CsvCutter(head, shape);
  const counts: number[] = [];
  for (let at = 0; at < head.length && counts.length < SAMPLE; ) {
    const cut = cutter.cut(at);
    // A quote that is open to the end of the file counts against the delimiter.
    if (cut === undefined && isWhole) counts.push(0);
    const isCut = cut === undefined || (!isWhole && cut.next >= head.length);
    if (isCut && (counts.length > 0 || cut === undefined)) break;
    // Quotes closed in wrong places count against the delimiter too.
    if (cut.problem !== undefined) counts.push(0);
    else if (cut.cells.some((cell) => cell.trim() !== '')) counts.push(cut.cells.length);
    at = cut.next;
  }
  return counts;
}
