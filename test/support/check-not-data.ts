import { DatabaseSync } from 'node:sqlite';
import { expect } from 'vitest';
import type { DoubtfulFile, Noun } from './not-data-files.ts';
import { freshWorld } from './run.ts';
import { loggedSandbox } from './service.ts';

const QUERIES: Readonly<Record<Noun, string>> = {
  items: 'SELECT code AS a, name AS b FROM items ORDER BY code',
  imputations: 'SELECT reference AS a, amount AS b FROM imputations ORDER BY reference',
  requisition:
    'SELECT r.title AS a, (SELECT count(*) FROM lines l JOIN "groups" g ON l.groupId = g.id WHERE g.requisitionId = r.id) AS b FROM requisitions r ORDER BY r.title',
};

/** Imports the file into an empty sandbox with one order, `PO`, and reads what is stored by SQL. */
export async function checkFile(
  { noun, flags = [], exitCode, stored, says }: DoubtfulFile,
  name: string,
  content: string | Buffer,
): Promise<void> {
  await using sandbox = await loggedSandbox({ empty: true });
  const database = new DatabaseSync(sandbox.dbPath);
  try {
    database.exec(
      `INSERT INTO orders (id, organizationId, code, amount, currency, createdAt, updatedAt)
       SELECT 'o-1', id, 'PO', 1e9, 'USD', '2026-01-01', '2026-01-01' FROM organizations LIMIT 1`,
    );
  } finally {
    database.close();
  }
  const world = await freshWorld(sandbox.target);
  await world.file(name, content);
  const first = noun === 'items' ? [] : ['--first-run'];
  const preview = flags.includes('--dry-run') ? [] : ['--yes'];
  const ran = await world.run([noun, 'import', name, ...flags, ...first, ...preview]);
  const { run } = ran.stdout.startsWith('{') ? JSON.parse(ran.stdout) : {};
  const rejected =
    run === undefined ? '' : (await world.run(['imports', 'rows', run, '-o', 'json'])).stdout;
  const said = [ran.stdout, ran.stderr, rejected].join('\n');
  const after = new DatabaseSync(sandbox.dbPath, { readOnly: true });
  try {
    const found = after.prepare(QUERIES[noun]).all();
    expect(
      found.map(({ a, b }) => [a, b]),
      said,
    ).toEqual([...stored].sort(([one], [other]) => ((one ?? '') < (other ?? '') ? -1 : 1)));
  } finally {
    after.close();
  }
  expect(ran.exitCode, said).toBe(exitCode);
  if (says !== undefined) expect(said.replaceAll('\\"', '"')).toContain(says);
}
