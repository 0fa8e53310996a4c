import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parse } from 'csv-parse/sync';
import { readSheet } from 'read-excel-file/node';
import { describe, expect, it } from 'vitest';
import { errorOf, freshWorld, ROOT } from '../support/run.ts';
import { loggedSandbox } from '../support/service.ts';
import { stock } from '../support/stock.ts';
import { DIRTY_FILES as DIRTY_VALUES } from './dirty-files.ts';
import { DIRTY_TABLES } from './dirty-tables.ts';

const DIRTY_FILES = [...DIRTY_VALUES, ...DIRTY_TABLES];

interface Numbers {
  readonly rows: number;
  readonly created: number;
  readonly existing: number;
  readonly duplicates: number;
  readonly rejected: number;
}

/** The counts in the table of the documentation, which this test expects. */
const DOCUMENTED = new Map(
  readFileSync(join(ROOT, 'test/e2e/dirty-files.md'), 'utf8')
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .filter((cells) => /^\d+$/.test(cells[2] ?? ''))
    .map(([, title, ...cells]): [string, Numbers] => {
      const [rows, created, existing, duplicates, rejected] = cells.map(Number) as number[];
      return [title!, { rows, created, existing, duplicates, rejected } as Numbers];
    }),
);

interface Stored {
  readonly code: string | null;
  readonly name: string | null;
}

function stored(path: string): Stored[] {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const rows = database.prepare('SELECT code, name FROM items ORDER BY seq').all();
    return rows.map((row) => ({ code: row.code, name: row.name }) as Stored);
  } finally {
    database.close();
  }
}

it('the table has the same files as this test, at least 25', () => {
  expect([...DOCUMENTED.keys()]).toEqual(DIRTY_FILES.map(({ title }) => title));
  expect(DIRTY_FILES.length).toBeGreaterThanOrEqual(25);
});

describe('every number adds up, by SQL', () => {
  it.each(DIRTY_FILES.map((file) => [file.title, file] as const))('%s', async (title, file) => {
    const { name, content, flags = [], existing = [], warnings = [] } = file;
    const numbers = DOCUMENTED.get(title)!;
    const { rows, created, duplicates, rejected } = numbers;
    expect(created + numbers.existing + duplicates + rejected).toBe(rows);
    await using sandbox = await loggedSandbox();
    stock(
      sandbox,
      existing.map((code) => ({ code, name: 'Existing' })),
    );
    const before = stored(sandbox.dbPath);
    expect(before).toHaveLength(existing.length);
    const world = await freshWorld(sandbox.target);
    await world.file(name, content);
    const command = ['items', 'import', name, ...flags];

    const dry = await world.run([...command, '--dry-run']);
    expect(dry, dry.stderr).toMatchObject({ exitCode: 0 });
    const plan = JSON.parse(dry.stdout);
    const { create, invalid } = plan;
    expect({ ...numbers, rows: plan.rows, created: create, rejected: invalid }).toEqual(numbers);
    expect({ existing: plan.existing, duplicates: plan.duplicates }).toEqual({
      existing: numbers.existing,
      duplicates,
    });
    const found = (plan.warnings ?? []) as { kind: string; count: number; message: string }[];
    expect(found.map(({ kind }) => kind)).toEqual(warnings);
    for (const { count, message } of found) {
      expect(count).toBeGreaterThan(0);
      expect(dry.stderr).toContain(JSON.stringify(message).slice(1, -1));
    }
    expect(stored(sandbox.dbPath)).toEqual(before);

    const strict = await world.run([...command, '--yes', '--strict', '--dry-run']);
    expect(strict.exitCode).toBe(warnings.length === 0 ? 0 : 2);
    if (warnings.length > 0) {
      const refused = await world.run([...command, '--yes', '--strict']);
      expect(errorOf(refused)).toMatchObject({ code: 'invalid_input', exitCode: 2 });
      expect(errorOf(refused).message).toContain('(--strict)');
    }
    expect(sandbox.writes()).toEqual([]);
    expect(stored(sandbox.dbPath)).toEqual(before);

    const ran = await world.run([...command, '--yes']);
    expect(ran, ran.stderr).toMatchObject({ exitCode: rejected > 0 ? 8 : 0 });
    const summary = JSON.parse(ran.stdout);
    expect(summary).toMatchObject(numbers);
    const now = stored(sandbox.dbPath);
    expect(now).toHaveLength(before.length + created);
    const sent = now.slice(before.length).sort(byCode);
    expect(sent).toEqual(file.stored.map(([code, name]) => ({ code, name })).sort(byCode));
    expect(await rejectedRows(summary.rejectedFile)).toBe(rejected);
  });
});

function byCode(a: Stored, b: Stored): number {
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1;
}

async function rejectedRows(path: string | undefined): Promise<number> {
  if (path === undefined || !existsSync(path)) return 0;
  if (path.endsWith('.xlsx')) return (await readSheet(path)).length - 1;
  const text = readFileSync(path, 'utf8');
  if (path.endsWith('.ndjson')) return text.trimEnd().split('\n').length;
  return parse(text, { bom: true, columns: true, relax_column_count: true }).length;
}
