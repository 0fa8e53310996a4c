import { isAscii, isUtf8 } from 'node:buffer';
import type { Problem } from '../../../core/problem/row-problem.ts';
import { JsonScanner } from '../../../core/text/json-scanner.ts';
import type { ByteSource } from '../bytes/byte-source.ts';
import { BATCH_RECORDS, RECORD_LIMIT } from '../bytes/limits.ts';
import { lineBlocks } from '../bytes/line-blocks.ts';
import type { SourceFormat, SourceRecord } from '../record.ts';
import { salvagedBytes } from '../salvage.ts';
import { outOfBounds, type Place, parseRecord } from './json-record.ts';
import { invalidText } from './json-text.ts';

/** Messages about rows name the line already. */
const inLine: Place = (_line, column) => ({ inRecord: { column } });

/** One JSON object per line. An invalid line is rejected; reading continues with the next line. */
export async function* readNdjson(
  source: ByteSource,
  encoding: SourceFormat['encoding'],
): AsyncGenerator<SourceRecord[], void> {
  const scanner = new JsonScanner(true);
  let row = 0;
  let line = 0;
  for await (const block of lineBlocks(source)) {
    if (block.kind === 'overlong') {
      const problem: Problem = { code: 'too_long', args: { limit: RECORD_LIMIT } };
      yield [unread(++row, ++line, problem, block.head)];
      continue;
    }
    if (block.kind === 'cut') {
      const { problem } = block;
      yield [{ row: row + 1, line: line + 1, fields: undefined, problem, isFileProblem: true }];
      return;
    }
    const { bytes } = block;
    // In ASCII, byte positions are text positions, so each line is a cheap slice of one text.
    const ascii = isAscii(bytes) ? bytes.toString('latin1') : undefined;
    const valid = ascii !== undefined || isUtf8(bytes);
    let batch: SourceRecord[] = [];
    let stop = 0;
    for (let start = 0; start < bytes.length; start = stop + 1) {
      scanner.reset();
      stop = scanner.scan(bytes, start, bytes.length);
      line++;
      if (scanner.deepest === 0 && isBlank(bytes, start, stop)) continue;
      row++;
      // Only the last line may have no line break.
      if (stop === bytes.length && scanner.depth > 0) {
        const problem: Problem = { code: 'file_ends', args: { row } };
        batch.push({ row, line, fields: undefined, problem, isFileProblem: true });
        break;
      }
      const problem =
        outOfBounds(scanner, stop - start) ??
        (valid ? undefined : invalidText(bytes.subarray(start, stop), encoding, inLine));
      const own = bytes.subarray(start, stop);
      if (problem !== undefined) batch.push(unread(row, line, problem, own));
      else {
        const text = ascii?.slice(start, stop) ?? bytes.toString('utf8', start, stop);
        const { fields, problem } = parseRecord(text, scanner, inLine);
        batch.push(fields === undefined ? unread(row, line, problem, own) : { row, line, fields });
      }
      if (batch.length === BATCH_RECORDS) {
        yield batch;
        batch = [];
      }
    }
    if (batch.length > 0) yield batch;
  }
}

function unread(
  row: number,
  line: number,
  problem: SourceRecord['problem'],
  text: Buffer,
): SourceRecord {
  return { row, line, fields: undefined, problem, salvaged: salvagedBytes(text) };
}

function isBlank(bytes: Buffer, start: number, stop: number): boolean {
  for (let at = start; at < stop; at++) {
    const byte = bytes[at]!;
    if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) return false;
  }
  return true;
}
