import { describe, expect, it } from 'vitest';
import { runHere } from '../support/in-process.ts';
import { freshWorld } from '../support/run.ts';
import { startTestSandbox } from '../support/sandbox.ts';

async function sandboxWorld() {
  const sandbox = await startTestSandbox();
  const world = await freshWorld({ PROC_BASE_URL: sandbox.baseUrl, NO_COLOR: '1' });
  return (args: readonly string[], options = {}) => runHere(args, world.env, options);
}

const CREATE = ['requisition', 'create', '--title', 'Desks', '--group', 'delivery=pickup'];
const LINES = ['--new-item', 'name=Desk,quantity=3', '--new-item', 'name=Chair,quantity=12'];

describe('after a write', () => {
  it('a terminal shows what was done, and no table that repeats it', async () => {
    const run = await sandboxWorld();
    const ran = await run([...CREATE, ...LINES, '--yes'], { terminal: true });
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(ran.stderr).toBe('✔ Created requisition "Desks" with 1 group: req-1\n');
    expect(ran.stdout).toBe('');
    const item = await run(['items', 'create', '--name', 'Bolt', '--yes'], { terminal: true });
    expect(item.stderr).toMatch(/^✔ Created item "Bolt": itm-\d+\n$/);
    const patched = await run(['sectors', 'patch', 'sec-1', '--name', 'Bikes'], { terminal: true });
    expect(patched.stderr).toContain('✔ Changed name of sector mountain-bikes "Mountain Bikes"\n');
    expect(patched.stdout).toBe('');
    const asked = await run(['items', 'create', '--name', 'Nut', '--yes', '-o', 'table'], {
      terminal: true,
    });
    expect(asked.stdout).toMatch(/^NAME +Nut$/m);
    const id = await run(['items', 'create', '--name', 'Cog', '--yes', '-o', 'id'], {
      terminal: true,
    });
    expect(id.stdout).toMatch(/^itm-\d+\n$/);
  });

  it('scripts, --quiet and a dry run get no such message', async () => {
    const run = await sandboxWorld();
    expect((await run(['items', 'create', '--name', 'A'])).stderr).toBe('');
    expect((await run(['items', 'create', '--name', 'B', '-o', 'table'])).stderr).toBe('');
    const quiet = await run(['items', 'create', '--name', 'C', '--yes', '--quiet'], {
      terminal: true,
    });
    expect(quiet.stderr).toBe('');
    const dry = await run(['items', 'create', '--name', 'D', '--dry-run'], { terminal: true });
    expect(dry.stderr).not.toContain('✔');
  });
});
