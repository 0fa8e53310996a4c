import { CsvCutter, type CsvShape } from './csv-cutter.ts';

const LINE_BREAK = /\r\n?|\n/;

const DELIMITERS = [',', ';', '\t', '|'];

/** How many records decide the delimiter. */
const SAMPLE = 50;

export interface FoundShape extends CsvShape {
  /** The first line is `sep=;`, as Excel writes it before the header. */
  readonly hasSepLine: boolean;
  /** The first line break of the file: `\r\n`, `\n` or `\r`. */
  readonly lineEnd: string;
}

/**
 * Detects the delimiter and the line break of a CSV file from its beginning. The delimiter is the one with
 * which most records have as many cells as the header, and at least two.
 *
 * @param isWhole `head` is the whole file; otherwise its last record may be incomplete
 * @param first the line on which the header is, or the first record
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

/** The text from a line on, counted from 1. */
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
    // With a wrong delimiter a quote may stay open to the end of the file. Count that as a disagreement, or
    // the few records before it would all agree.
    if (cut === undefined && isWhole) counts.push(0);
    const isCut = cut === undefined || (!isWhole && cut.next >= head.length);
    if (isCut && (counts.length > 0 || cut === undefined)) break;
    // A wrong delimiter closes quotes in the wrong places: count such a record as a disagreement.
    if (cut.problem !== undefined) counts.push(0);
    else if (cut.cells.some((cell) => cell.trim() !== '')) counts.push(cut.cells.length);
    at = cut.next;
  }
  return counts;
}
