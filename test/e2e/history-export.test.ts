import { hostname } from 'node:os';
import { describe, expect, it } from 'vitest';
import { accountName } from '../support/account.ts';
import { freshWorld, jsonLines } from '../support/run.ts';
import { startTestSandbox } from '../support/sandbox.ts';

interface Exported {
  readonly what: string;
  readonly actor: string;
  readonly job: string | null;
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

  it('says which account and which CI job wrote each entry, single or import', async () => {
    const { world, exported } = await place();
    const job = 'https://ci.example/jobs/7';
    const env = { CI: 'true', CI_JOB_URL: job, USER: 'somebody-else' };
    await world.run(['items', 'create', '--name', 'N', '--code', 'B-1'], { env });
    await world.file('items.csv', 'code,name\nB-2,Nut\n');
    const staged = await world.run(['items', 'import', 'items.csv', '--stage', '-o', 'json']);
    const { run, digest } = JSON.parse(staged.stdout);
    await world.run(['imports', 'send', run, '--yes'], { env });
    const by = { user: accountName(env.USER), host: hostname(), job };
    expect(await exported()).toMatchObject([by, { ...by, payload: { run, digest } }]);
    const listed = await world.run(['history', 'list', '-o', 'json']);
    expect(JSON.parse(listed.stdout)).toMatchObject([by, by]);
    const report = await world.run(['imports', 'report', run, '-o', 'json']);
    expect(JSON.parse(report.stdout)).toMatchObject(by);
  });
});
