import { describe, expect, it } from 'vitest';
import { parsed } from '../support/history.ts';
import { errorOf, freshWorld } from '../support/run.ts';
import { startTestSandbox } from '../support/sandbox.ts';

async function place() {
  const { baseUrl } = await startTestSandbox();
  const world = await freshWorld({ PROC_BASE_URL: baseUrl });
  return (line: string, env = {}) => world.run(line.split(' '), { env });
}

describe('requisition show', () => {
  it('shows what was sent, and the groups added since with their ids', async () => {
    const run = await place();
    const create =
      'requisition create --group name=Plant,delivery=pickup --new-item name=Bolt,quantity=4';
    const id = (await run(`${create} --title One -o id`)).stdout.trim();
    await run(`${create} --title Two -o id`);
    const kept = (await run(`requisition group add ${id} --name Shop -o id`)).stdout.trim();
    const gone = (await run(`requisition group add ${id} --name Gone -o id`)).stdout.trim();
    await run(`requisition group remove ${id} ${gone} --yes`);
    const shown = parsed(await run(`requisition show ${id}`)) as { historyId: string };
    expect(shown).toMatchObject({
      id,
      title: 'One',
      state: 'done',
      groups: [{ name: 'Plant', items: [{ item: { name: 'Bolt' }, quantity: 4 }] }],
      addedGroups: [{ id: kept, name: 'Shop' }],
    });
    expect(parsed(await run(`requisition show ${shown.historyId}`))).toEqual(shown);
    expect(parsed(await run('requisition show last'))).toMatchObject({ title: 'Two' });
    expect((await run(`requisition item list ${id} ${kept}`)).stdout).toBe('[]\n');
  });

  it.each([
    ['last', 'history has no requisition that was sent to this target'],
    ['req-99', 'history has no requisition with the id "req-99"'],
  ])('%s: says that there is none', async (ref, message) => {
    const run = await place();
    expect(errorOf(await run(`requisition show ${ref}`))).toMatchObject({
      code: 'reference_not_found',
      message,
    });
  });

  it('item list without a group says how to get its id', async () => {
    const run = await place();
    const missing = errorOf(await run('requisition item list req-1'));
    expect(missing).toMatchObject({ code: 'invalid_usage', exitCode: 2 });
    expect(missing.hint).toContain('proc requisition show REQUISITION');
    expect((await run('requisition item list --help')).stdout).toContain('proc requisition show');
  });
});
