import { describe, expect, it } from 'vitest';
import { errorOf, freshWorld, type World } from '../support/run.ts';
import { itemService, rowsOf } from './import-service.ts';

const SETTLE = ['PROC_SETTLE=1ms'];

/** The service stores a LOST code twice and sends no response. So nobody knows which record belongs to the row. */
async function twins() {
  const service = await itemService((code) => {
    if (!code.startsWith('LOST')) return undefined;
    service.items.push({ id: `i-${service.items.length + 1}`, code, name: 'Meanwhile' });
    return { reset: true, stored: true };
  });
  return service;
}

async function imported(world: World, codes: readonly string[], ...flags: string[]) {
  await world.file('a.csv', rowsOf(codes));
  const ran = await world.run(['items', 'import', 'a.csv', '--yes', ...SETTLE, ...flags]);
  expect(ran, ran.stderr).toMatchObject({ exitCode: 9 });
  return JSON.parse(ran.stdout).run as string;
}

const words = (command: string) => command.replace(/^proc /, '').split(' ');

describe('a row to resend that is in the list', () => {
  it('is proposed for adoption, one by one or all of them, with any confirmation', async () => {
    await using service = await twins();
    const world = await freshWorld(service.target);
    const run = await imported(world, ['A-1', 'LOST-1', 'LOST-2']);
    const created = service.creates();
    const idsOf = (code: string) =>
      service.items.filter((item) => item.code === code).map(({ id }) => id);
    const rows = [2, 3].map((row) => {
      const candidates = idsOf(`LOST-${row - 1}`);
      const command = `proc imports resolve ${run} ${row} --adopt ${candidates[0]}`;
      return { row, code: `LOST-${row - 1}`, candidates, command };
    });
    const all = ['--all', '--yes'];
    for (const [args, found] of [
      [['2'], rows.slice(0, 1)],
      [['LOST-1', '3', '--again'], rows],
      [all, rows],
      [[...all, '--again'], rows],
    ] as const) {
      const typed = ['imports', 'resolve', run, ...args, '--resend', ...SETTLE];
      const refused = await world.run(typed);
      expect(refused, refused.stderr).toMatchObject({ exitCode: 2, stdout: '' });
      const { message, hint, details } = errorOf(refused);
      expect(message).toContain(
        `row 2 (LOST-1) is in the list as ${rows[0]!.candidates.join(', ')}`,
      );
      expect(hint).toBe(
        `If the list shows what was created, adopt it: ${found.map((one) => one.command).join('; ')}`,
      );
      expect(details).toMatchObject({ wrong: found.length, rows: found });
    }
    for (const { command } of rows) await world.run(words(command));
    const shown = await world.run(['imports', 'show', run]);
    expect(JSON.parse(shown.stdout)).toMatchObject({ created: 3, unconfirmed: 0, pending: 0 });
    expect(service.creates()).toBe(created);
  });

  it('is sent again once a complete list does not show it', async () => {
    await using service = await twins();
    const world = await freshWorld(service.target);
    const run = await imported(world, ['A-1', 'LOST-1', 'LOST-2']);
    // Only LOST-2 is in the list now. A command that names LOST-1 too resends neither row.
    const kept = service.items.filter(({ code }) => code !== 'LOST-1');
    service.items.splice(0, service.items.length, ...kept);
    const resolve = (...args: string[]) =>
      world.run(['imports', 'resolve', run, ...args, '--resend', ...SETTLE]);
    const both = await resolve('--all', '--yes');
    expect(errorOf(both).details).toMatchObject({ wrong: 1, rows: [{ row: 3 }] });
    const one = await resolve('2');
    expect(one, one.stderr).toMatchObject({ exitCode: 9 });
    expect(JSON.parse(one.stdout)).toMatchObject({ pending: 1, unconfirmed: 1 });
  });

  it('is sent if the listed record was created from here', async () => {
    await using service = await itemService((code, nth) =>
      code === 'LOST' && nth > 1 ? { reset: true, stored: true } : undefined,
    );
    const world = await freshWorld(service.target);
    await world.file('a.csv', 'code,name\nLOST,One\nLOST,Two\nLOST,Three\n');
    const flags = ['--on-duplicate', 'all', 'PROC_CONCURRENCY=1'];
    const ran = await world.run(['items', 'import', 'a.csv', '--yes', ...SETTLE, ...flags]);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 9 });
    const { run } = JSON.parse(ran.stdout);
    // Removes the record of row 3. The list still has i-1, created by row 1, and i-2, which row 2 adopts.
    service.items.splice(2);
    const adopted = await world.run(['imports', 'resolve', run, '2', '--adopt', 'i-2']);
    expect(adopted, adopted.stderr).toMatchObject({ exitCode: 9 });
    const resent = await world.run(['imports', 'resolve', run, '3', '--resend', ...SETTLE]);
    expect(JSON.parse(resent.stdout)).toMatchObject({ created: 2, pending: 1, unconfirmed: 0 });
  });
});
