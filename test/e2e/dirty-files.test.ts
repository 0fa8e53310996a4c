import { existsSync, readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { readSheet } from 'read-excel-file/node';
import { describe, expect, it } from 'vitest';
import { freshWorld } from '../support/run.ts';
import { loggedSandbox } from '../support/service.ts';
import { stock } from '../support/stock.ts';
import { DIRTY_FILES as DIRTY_VALUES } from './dirty-files.ts';
import { DIRTY_TABLES } from './dirty-tables.ts';

const DIRTY_FILES = [...DIRTY_VALUES, ...DIRTY_TABLES];

const STORED = 'SELECT code, name FROM items ORDER BY seq';

describe('every number adds up, by SQL', () => {
  it.each(DIRTY_FILES.map((file) => [file.title, file] as const))('%s', async (_, file) => {
    const { name, content, flags = [], existing = [] } = file;
    const created = file.stored.length;
    await using sandbox = await loggedSandbox();
    stock(
      sandbox,
      existing.map((code) => ({ code, name: 'Existing' })),
    );
    const before = sandbox.sql(STORED);
    expect(before).toHaveLength(existing.length);
    const world = await freshWorld(sandbox.target);
    await world.file(name, content);
    const command = ['items', 'import', name, ...flags];

    const dry = await world.run([...command, '--dry-run']);
    const plan = JSON.parse(dry.stdout);
    const { rows, repeated, rejected } = plan;
    expect(dry, dry.stderr).toMatchObject({ exitCode: rejected > 0 ? 8 : 0 });
    expect(plan.create).toBe(created);
    expect(created + plan.existing + repeated + rejected).toBe(rows);
    expect(sandbox.writes()).toEqual([]);
    expect(sandbox.sql(STORED)).toEqual(before);

    const ran = await world.run([...command, '--yes']);
    expect(ran, ran.stderr).toMatchObject({ exitCode: rejected > 0 ? 8 : 0 });
    const summary = JSON.parse(ran.stdout);
    expect(summary).toMatchObject({ rows, created, repeated, rejected });
    const now = sandbox.sql(STORED);
    expect(now).toHaveLength(before.length + created);
    const sent = now.slice(before.length).sort(byCode);
    expect(sent).toEqual(file.stored.map(([code, name]) => ({ code, name })).sort(byCode));
    expect(await rejectedRows(summary.rejectedFile)).toBe(rejected);
  });
});

function byCode(a: unknown, b: unknown): number {
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1;
}

async function rejectedRows(path: string | undefined): Promise<number> {
  if (path === undefined || !existsSync(path)) return 0;
  if (path.endsWith('.xlsx')) return (await readSheet(path)).length - 1;
  const text = readFileSync(path, 'utf8');
  if (path.endsWith('.ndjson')) return text.trimEnd().split('\n').length;
  return parse(text, { bom: true, columns: true, relax_column_count: true }).length;
}
