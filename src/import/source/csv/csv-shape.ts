import { CsvCutter, type CsvShape } from './csv-cutter.ts';

const DELIMITERS = [',', ';', '\t', '|'];

/** How many records decide. */
const SAMPLE = 50;

export interface FoundShape extends CsvShape {
  /** The first line is `sep=;`, as Excel writes it before the header. */
  readonly hasSepLine: boolean;
  /** The line break of the file: `\r\n`, `\n` or `\r`. */
  readonly lineEnd: string;
}

/**
 * Detects from its beginning how a CSV file is written: the delimiter is the one with which most
 * records have as many cells as the header, and at least two.
 *
 * @param isWhole `head` is the whole file; otherwise its last record may be incomplete
 */
export function findShape(head: string, isWhole: boolean): FoundShape {
  const feed = head.indexOf('\n');
  const newline = feed < 0 && head.includes('\r') ? '\r' : '\n';
  const lineEnd = newline === '\r' ? '\r' : feed > 0 && head[feed - 1] === '\r' ? '\r\n' : '\n';
  const declared = /^sep=(.)\r?(?:\n|$)/.exec(head);
  if (declared !== null) return { delimiter: declared[1]!, newline, lineEnd, hasSepLine: true };
  let best = { delimiter: ',', agreeing: 0, cells: 1 };
  for (const delimiter of DELIMITERS) {
    const counts = cellCounts(head, { delimiter, newline }, isWhole);
    const cells = counts[0] ?? 1;
    if (cells < 2) continue;
    const agreeing = counts.filter((count) => count === cells).length / counts.length;
    const isBetter = agreeing > best.agreeing || (agreeing === best.agreeing && cells > best.cells);
    if (isBetter) best = { delimiter, agreeing, cells };
  }
  return { delimiter: best.delimiter, newline, lineEnd, hasSepLine: false };
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
