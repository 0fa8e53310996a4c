import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../src/store/database.ts';
import { raw } from '../support/raw-http.ts';
import { freshFolder, startTestSandbox } from '../support/sandbox.ts';

const PROGRAM = fileURLToPath(new URL('../support/sandbox-process.ts', import.meta.url));

interface Running {
  readonly url: string;
  readonly child: ChildProcess;
  stderr(): string;
}

async function start(folder: string, ...flags: string[]): Promise<Running> {
  const child = spawn(process.execPath, [PROGRAM, ...flags], {
    env: { ...process.env, PROC_STATE_DIR: join(folder, 'state') },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let stderr = '';
  child.stderr.on('data', (chunk) => (stderr += chunk));
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  return { ...(JSON.parse(line) as { url: string }), child, stderr: () => stderr };
}

function rows(db: string, sql: string): readonly Record<string, unknown>[] {
  const database = openDatabase(db, { readOnly: true });
  try {
    return database.prepare(sql).all();
  } finally {
    database.close();
  }
}

it('every acknowledged write survives kill -9 in the middle of writing, and ids continue', async () => {
  const db = join(await freshFolder(), 'a.db');
  const acknowledged = new Map<string, string>();
  for (let round = 0; round < 3; round++) {
    const { url, child } = await start(await freshFolder(), '--db', db, '--quiet');
    const enough = acknowledged.size + 150;
    const write = async (worker: number) => {
      for (let n = 0; ; n++) {
        const code = `${round}-${worker}-${n}`;
        const response = await raw(url, 'POST', '/items/', { body: { name: 'I', code } });
        acknowledged.set((response.json as { id: string }).id, code);
        if (acknowledged.size === enough) child.kill('SIGKILL');
      }
    };
    await Promise.allSettled(Array.from({ length: 8 }, (_, worker) => write(worker)));
    expect(acknowledged.size).toBeGreaterThanOrEqual(enough);
  }
  const kept = new Map(rows(db, 'SELECT id, code FROM items').map((row) => [row.id, row.code]));
  for (const [id, code] of acknowledged) expect([id, kept.get(id)]).toEqual([id, code]);
});

it('SIGTERM ends it with exit code 0, and keeps the data', async () => {
  const folder = await freshFolder();
  const db = join(folder, 'a.db');
  const { url, child, stderr } = await start(folder, '--db', db);
  await raw(url, 'POST', '/items/?x=1', { body: { name: 'Bolt' } });
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
  expect(rows(db, 'SELECT name FROM items ORDER BY seq DESC LIMIT 1')).toEqual([{ name: 'Bolt' }]);
  expect(stderr()).toMatch(/^POST \/\w+\/api\/v1\/items\/\?x=1 201 \d+\.\d ms\n$/);
});

it('a second sandbox on the same database is refused until the first has ended', async () => {
  const folder = await freshFolder();
  const db = join(folder, 'a.db');
  const { child } = await start(folder, '--db', db);
  await expect(startTestSandbox({ db })).rejects.toMatchObject({
    code: 'busy',
    message: `a running sandbox uses ${db}`,
    hint: expect.stringContaining('Ctrl-C'),
  });
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect((await startTestSandbox({ db })).dbPath).toBe(db);
  await expect(startTestSandbox({ db })).rejects.toMatchObject({ code: 'busy' });
});

it('a port in use is refused', async () => {
  const blocker = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void blocker.close());
  await once(blocker, 'listening');
  const { port } = blocker.address() as { port: number };
  await expect(startTestSandbox({ port })).rejects.toMatchObject({
    code: 'busy',
    message: `port ${port} is already in use`,
    hint: 'Use any free port: proc sandbox start --port 0',
  });
});

it("another program's database is not changed", async () => {
  const db = join(await freshFolder(), 'other.db');
  const other = openDatabase(db);
  other.exec('CREATE TABLE mine (a)');
  other.close();
  await expect(startTestSandbox({ db })).rejects.toMatchObject({ code: 'invalid_usage' });
  expect(rows(db, 'SELECT name FROM sqlite_schema')).toEqual([{ name: 'mine' }]);
});
