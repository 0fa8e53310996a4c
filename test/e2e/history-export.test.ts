import { hostname } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { freshWorld, jsonLines } from '../support/run.ts';
import { startTestSandbox } from '../support/sandbox.ts';

interface Exported {
  readonly what: string;
  readonly actor: string | null;
  readonly host: string | null;
  readonly version: string | null;
}

async function place() {
  const { baseUrl } = await startTestSandbox();
  const world = await freshWorld({ PROC_BASE_URL: baseUrl });
  const create = async (code: string, env = {}) => {
    const ran = await world.run(['items', 'create', '--name', 'N', '--code', code], { env });
    expect(ran.exitCode, ran.stderr).toBe(0);
  };
  const exported = async (...flags: string[]) => {
    const ran = await world.run(['history', 'export', '-o', 'ndjson', ...flags]);
    expect(ran.exitCode, ran.stderr).toBe(0);
    return jsonLines(ran.stdout) as unknown as Exported[];
  };
  return { world, create, exported };
}

describe('history export', () => {
  it('has whole entries, oldest first, with who sent them', async () => {
    const { world, create, exported } = await place();
    await create('B-1');
    await create('B-2', { CI: 'true' });
    await create('B-3', { CI: 'true', AI_AGENT: 'helper' });
    await world.file('items.csv', 'code,name\nB-4,Nut\n');
    await world.run(['items', 'import', 'items.csv', '--yes'], { env: { CI: '1' } });
    const entries = await exported('--since', '1h');
    expect(entries.map(({ actor }) => actor)).toEqual(['script', 'ci', 'helper', 'ci']);
    expect(entries[0]).toMatchObject({
      what: 'create item "N"',
      host: hostname(),
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      payload: { code: 'B-1' },
      response: { code: 'B-1' },
    });
    expect(await exported('--state', 'rejected')).toEqual([]);
  });

  it('reads a ledger without the columns of the sender, and adds them at the next write', async () => {
    const { world, create, exported } = await place();
    await create('B-1');
    const database = new DatabaseSync(join(world.stateDir, 'ledger.db'));
    for (const column of ['actor', 'host', 'version']) {
      database.exec(`ALTER TABLE entries DROP COLUMN ${column}`);
    }
    database.close();
    expect(await exported()).toMatchObject([{ actor: null, host: null, version: null }]);
    await create('B-2');
    expect((await exported()).map(({ actor }) => actor)).toEqual([null, 'script']);
  });
});
