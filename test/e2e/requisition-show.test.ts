import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parsed } from '../support/history.ts';
import { errorOf, freshWorld } from '../support/run.ts';
import { startTestSandbox } from '../support/sandbox.ts';

async function place() {
  const { baseUrl } = await startTestSandbox();
  const world = await freshWorld({ PROC_BASE_URL: baseUrl });
  const run = (line: string, env = {}) => world.run(line.split(' '), { env });
  return Object.assign(run, { cwd: world.cwd, stateDir: world.stateDir });
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
    const nut = (await run('items create --code N-1 --name Nut -o id')).stdout.trim();
    const line = (
      await run(`requisition item add ${id} ${kept} --item N-1 --quantity 7 -o id`)
    ).stdout.trim();
    const shown = parsed(await run(`requisition show ${id}`)) as { historyId: string };
    expect(shown).toMatchObject({
      id,
      title: 'One',
      state: 'done',
      groups: [{ name: 'Plant', items: [{ item: { name: 'Bolt' }, quantity: 4 }] }],
      addedGroups: [{ id: kept, name: 'Shop', items: [{ id: line, itemId: nut, quantity: 7 }] }],
    });
    const page = (await run(`requisition show ${id} -o table`)).stdout;
    expect(page).toContain('Plant · pickup\n#  QUANTITY  CODE  ITEM\n');
    expect(page).toMatch(/^1 +4 +Bolt \(new\)$/m);
    expect(page).toContain(`Shop · ${kept} · added later\n`);
    expect(page).toMatch(/^1 +7 +N-1 +Nut$/m);
    const listed = parsed(await run('requisition list')) as { id: string; title: string }[];
    expect(listed.map(({ title }) => title)).toEqual(['Two', 'One']);
    expect(listed[1]).toMatchObject({ id, groups: 1, lines: 1, from: shown.historyId });
    const written = parsed(await run(`history list --limit 1`)) as { what: string }[];
    expect(written[0]!.what).toBe('add 7 × N-1 "Nut" to "Shop" of "One"');
    expect(parsed(await run(`requisition show ${shown.historyId}`))).toEqual(shown);
    expect(parsed(await run('requisition show last'))).toMatchObject({ title: 'Two' });
    expect(parsed(await run(`requisition item list ${id} ${kept}`))).toMatchObject([{ id: line }]);
  });

  it('list has imported requisitions too, with their groups and lines', async () => {
    const run = await place();
    const item = { quantity: 2, item: { name: 'Bolt' } };
    const groups = [
      { deliveryMethod: 'pickup', items: [item, { quantity: 2, item: { name: 'Nut' } }] },
    ];
    await writeFile(
      join(run.cwd, 'r.json'),
      JSON.stringify([{ title: 'Three', code: 'R-3', groups }]),
    );
    const imported = await run('requisition import r.json --yes');
    expect(imported.exitCode, imported.stderr).toBe(0);
    const [listed] = parsed(await run('requisition list')) as Record<string, unknown>[];
    const { run: from } = parsed(imported) as Record<string, unknown>;
    expect(listed).toMatchObject({ title: 'Three', code: 'R-3', groups: 1, lines: 2, from });
    await run(`requisition group add ${listed!.id} --name Later`);
    expect(parsed(await run(`requisition show ${listed!.id}`))).toMatchObject({
      ...{ id: listed!.id, title: 'Three', run: from, historyId: null },
      ...{
        groups: [{ items: [{ quantity: 2 }, { quantity: 2 }] }],
        addedGroups: [{ name: 'Later' }],
      },
    });
    const page = (await run(`requisition show ${listed!.id} -o table`)).stdout;
    expect(page).toMatch(/^1 +2 +Bolt \(new\)$/m);
    const again = await run(`requisition create --from ${listed!.id} --title Four --again --yes`);
    expect(again.exitCode, again.stderr).toBe(0);
    expect(parsed(await run('requisition show last'))).toMatchObject({
      ...{ title: 'Four', groups: [{ items: [{ quantity: 2 }, { quantity: 2 }] }] },
    });
    await rm(join(run.stateDir, `imports/${from}.db`));
    expect(errorOf(await run(`requisition create --from ${listed!.id}`)).message).toContain(
      `${listed!.id} cannot be ordered again: the file of its import ${from} is not on this machine`,
    );
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
