import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { sentence } from '../../../src/core/row-problem.ts';
import { type OpenOptions, openSource } from '../../../src/import/source/open-source.ts';
import type { Source } from '../../../src/import/source/record.ts';

export type Flags = OpenOptions['flags'];

const folder = mkdtempSync(join(tmpdir(), 'proc-reader-'));
let files = 0;

/** @param name its extension counts for JSON, NDJSON and workbooks */
export function opened(
  content: string | Uint8Array,
  flags: Flags = {},
  name = 'input',
): Promise<Source> {
  const file = join(folder, `${++files}-${name}`);
  writeFileSync(file, content);
  return openSource({ file, cwd: folder, stdin: Readable.from([]), spoolFolder: folder, flags });
}

/** The fields of each row, or its place and what is wrong with it. */
export async function read(
  content: string | Uint8Array,
  flags: Flags = {},
  name?: string,
): Promise<unknown[]> {
  const rows: unknown[] = [];
  for await (const batch of (await opened(content, flags, name)).records()) {
    for (const { row, line, fields, problem } of batch) {
      rows.push(fields ?? `row ${row}, line ${line}: ${sentence(problem!)}`);
    }
  }
  return rows;
}
