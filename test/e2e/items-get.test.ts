import { describe, expect, it } from 'vitest';
import { parsed } from '../support/history.ts';
import { errorOf, freshWorld } from '../support/run.ts';
import { startTestSandbox } from '../support/sandbox.ts';

describe('items get', () => {
  it('shows items by code, id and name, each once', async () => {
    const { baseUrl } = await startTestSandbox();
    const world = await freshWorld({ PROC_BASE_URL: baseUrl });
    const run = (line: string) => world.run(line.split(' '));
    await run('items create --name Nut --code N-1');
    const one = parsed(await run('items create --name Bolt --code B-1')) as { id: string };
    expect(parsed(await run('items get code=B-1'))).toEqual(one);
    expect(parsed(await run(`items get Bolt B-1 ${one.id}`))).toEqual([one]);
    const missing = await run(`items get nothing-like-this ${one.id}`);
    expect(missing.exitCode).toBe(5);
    expect(JSON.parse(missing.stdout)).toEqual([one]);
    const asked = await run('items get code=nothing-like-this');
    expect(errorOf(asked).hint).toMatch(/proc items list nothing-like-this$/);
    expect(errorOf(missing)).toMatchObject({
      code: 'not_found',
      hint: 'Search for part of it: proc items list nothing-like-this',
    });
  });
});
