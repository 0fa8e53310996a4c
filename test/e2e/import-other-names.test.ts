import { describe, expect, it } from 'vitest';
import { freshWorld } from '../support/run.ts';
import { startTestSandbox } from '../support/sandbox.ts';

const ITEMS = Array.from({ length: 6 }, (_, n) => ({ code: `A-${n}`, name: `Part ${n}` }));
const FILE = `SKU,Label
A-0,Part 0
A-1,Part one
A-2,Part two
A-3,Part three
A-4,Part four
N-1,New
`;
const MAP = ['--map', 'code=SKU', '--map', 'name=Label'];

async function world(items: readonly { code: string; name: string }[] = ITEMS) {
  const sandbox = await startTestSandbox({ seed: { items: [...items] } });
  return freshWorld({ PROC_BASE_URL: sandbox.baseUrl, PROC_API_KEY: 'proc-sandbox-key' });
}

describe('existing rows with another name', () => {
  it('are in the plan and in the summary, with three of them', async () => {
    const here = await world();
    await here.file('items.csv', FILE);
    const args = ['items', 'import', 'items.csv', ...MAP];
    const plan = await here.run([...args, '--dry-run', '-o', 'json']);
    expect(plan.exitCode, plan.stderr).toBe(0);
    const planned = JSON.parse(plan.stdout);
    expect(planned).toMatchObject({ existing: 5, create: 1, renamed: 4 });
    expect(planned.otherNames).toHaveLength(3);
    expect(planned.otherNames[0]).toEqual({
      row: 2,
      line: 3,
      code: 'A-1',
      name: 'Part one',
      catalogueName: 'Part 1',
      id: 'itm-2',
    });
    expect(plan.stderr).toContain(
      '4 existing rows have another name in the catalogue: A-1 (file: Part one; catalogue: Part 1), ',
    );
    const ran = await here.run([...args, '--yes', '-o', 'json']);
    const { renamed, otherNames } = JSON.parse(ran.stdout);
    expect({ renamed, otherNames }).toEqual({ renamed: 4, otherNames: planned.otherNames });
  });

  it('are not mentioned if there are none', async () => {
    const here = await world();
    await here.file('items.csv', 'code,name\nA-0,Part 0\n');
    const ran = await here.run(['items', 'import', 'items.csv', '--yes', '-o', 'json']);
    expect(JSON.parse(ran.stdout)).not.toHaveProperty('renamed');
    expect(ran.stderr).not.toContain('another name');
  });

  it('do not count if another item with the same code has the name', async () => {
    const here = await world([...ITEMS, { code: 'A-0', name: 'Another' }]);
    await here.file('items.csv', 'code,name\nA-0,Part 0\n');
    const ran = await here.run(['items', 'import', 'items.csv', '--dry-run', '-o', 'json']);
    expect(JSON.parse(ran.stdout)).not.toHaveProperty('renamed');
  });

  it('are found in a long list too, where each code is searched for', async () => {
    const many = Array.from({ length: 2_400 }, (_, n) => ({ code: `K-${n}`, name: `Part ${n}` }));
    const here = await world(many);
    await here.file('items.csv', 'code,name\nK-7,Other\n');
    const ran = await here.run(['items', 'import', 'items.csv', '--dry-run', '-o', 'json']);
    expect(JSON.parse(ran.stdout), ran.stderr).toMatchObject({ existing: 1, renamed: 1 });
  });
});
