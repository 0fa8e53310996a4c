import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { sentence } from '../../../src/core/problem/sentence.ts';
import { type OpenOptions, openSource } from '../../../src/import/source/open-source.ts';
import type { Source, SourceRecord } from '../../../src/import/source/record.ts';

/** All test files of this process share this folder. */
export const folder = mkdtempSync(join(tmpdir(), 'proc-reader-'));

let files = 0;

/** Writes a file whose name does not reveal its format. */
export function fileOf(content: string | Uint8Array): string {
  const file = join(folder, `input-${++files}`);
  writeFileSync(file, content);
  return file;
}

export function open(file: string, options: Partial<OpenOptions> = {}): Promise<Source> {
  return openSource({
    file,
    cwd: folder,
    stdin: Readable.from([]),
    spoolFolder: folder,
    ...options,
  });
}

export async function allOf(source: Source): Promise<SourceRecord[]> {
  const records: SourceRecord[] = [];
  for await (const batch of source.records()) records.push(...batch);
  return records;
}

export async function recordsOf(
  content: string | Uint8Array,
  options: Partial<OpenOptions> = {},
): Promise<SourceRecord[]> {
  return allOf(await open(fileOf(content), options));
}

/** Rows as a user sees them. */
export async function told(
  content: string | Uint8Array,
  options: Partial<OpenOptions> = {},
): Promise<unknown[]> {
  return (await recordsOf(content, options)).map(
    ({ fields, line, row, problem, isFileProblem }) => {
      if (fields !== undefined) return fields;
      const at = line === undefined ? { row } : { line };
      const place =
        problem?.place?.line === undefined ? { ...at, ...problem?.place } : problem.place;
      return `${isFileProblem === true ? 'FILE ' : ''}${sentence({ ...problem!, place })}`;
    },
  );
}
