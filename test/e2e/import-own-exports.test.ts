import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runHere } from '../support/in-process.ts';
import { freshFolder, startTestSandbox } from '../support/sandbox.ts';

const ITEMS = [
  { code: '=1+1', name: '=SUM(A1)' },
  { code: '+A1', name: '@home' },
  { code: 'B-1', name: '- 3 mm bolt' },
  { code: "'=2+2", name: "''@x" },
  { code: "'quoted", name: 'plain' },
  { code: '-12.5', name: '+54' },
];

async function place() {
  const folder = await freshFolder();
  const env = (baseUrl: string) => ({
    PATH: process.env.PATH,
    HOME: folder,
    PROC_CONFIG_DIR: join(folder, 'config'),
    PROC_STATE_DIR: join(folder, 'state'),
    PROC_BASE_URL: baseUrl,
  });
  const first = env((await startTestSandbox()).baseUrl);
  const second = env((await startTestSandbox()).baseUrl);
  const file = (name: string) => join(folder, name);
  const ok = async (at: typeof first, ...args: string[]) => {
    const ran = await runHere(args, at);
    expect({ exitCode: ran.exitCode, stderr: ran.stderr }).toMatchObject({ exitCode: 0 });
    return ran.stdout === '' ? undefined : (JSON.parse(ran.stdout) as Record<string, unknown>);
  };
  await writeFile(file('items.ndjson'), ITEMS.map((item) => `${JSON.stringify(item)}\n`).join(''));
  await ok(first, 'items', 'import', file('items.ndjson'), '--yes');
  return { first, second, file, ok };
}

const seen = (rows: unknown) =>
  (rows as { code: string; name: string }[]).map(({ code, name }) => `${code} ${name}`).sort();

it('rows exported as CSV are recognised when imported, here and at another service', async () => {
  const { first, second, file, ok } = await place();
  await ok(first, 'items', 'list', '--all', '--out', file('items.csv'));
  expect(await ok(first, 'items', 'import', file('items.csv'), '--dry-run')).toMatchObject({
    create: 0,
    existing: ITEMS.length,
    unguarded: 8,
  });
  expect(await ok(second, 'items', 'import', file('items.csv'), '--yes')).toMatchObject({
    created: ITEMS.length,
    unguarded: 8,
  });
  expect(seen(await ok(second, 'items', 'list', '--all'))).toEqual(seen(ITEMS));
});
