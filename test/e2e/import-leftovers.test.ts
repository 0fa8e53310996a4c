import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshWorld, type World } from '../support/run.ts';
import { type LoggedSandbox, loggedSandbox } from '../support/service.ts';
import { until } from '../support/until.ts';
import { workbook } from '../support/workbook.ts';

let sandbox: LoggedSandbox;

beforeAll(async () => {
  sandbox = await loggedSandbox();
});
afterAll(() => sandbox.close());

/** Copies of the input and unfinished journals. A later command removes them. */
function inputs({ stateDir }: World): string[] {
  const folder = join(stateDir, 'imports');
  if (!existsSync(folder)) return [];
  return readdirSync(folder).filter((name) => name.startsWith('input-') || name.includes('.new'));
}

/** Kills an import that reads standard input. Its copy of the input stays. */
async function killedWhileReading(world: World): Promise<void> {
  const input = new PassThrough();
  input.write('{"code":"K-1","name":"Kept"}\n');
  const running = world.start(['items', 'import', '-', '--yes'], { input });
  await until(() => inputs(world).length > 0);
  running.kill('SIGKILL');
  expect((await running).signal).toBe('SIGKILL');
  expect(inputs(world)).toHaveLength(1);
}

describe('files of an import that was killed while reading', () => {
  it('are removed by the next import', async () => {
    const world = await freshWorld(sandbox.target);
    await killedWhileReading(world);
    await world.file('next.csv', 'code,name\nN-1,Next\n');
    const next = await world.run(['items', 'import', 'next.csv', '--yes']);
    expect(next, next.stderr).toMatchObject({ exitCode: 0 });
    expect(inputs(world)).toEqual([]);
  });

  it('are removed by `imports prune`, also those of a workbook', async () => {
    const world = await freshWorld(sandbox.target);
    await killedWhileReading(world);
    const rows = Array.from({ length: 30_000 }, (_, n) => [`B-${n}`, `Row ${n}`]);
    await world.file('book.xlsx', workbook({ Items: [['code', 'name'], ...rows] }));
    const running = world.start(['items', 'import', 'book.xlsx', '--yes']);
    const before = inputs(world);
    await until(() => inputs(world).some((name) => !before.includes(name)));
    running.kill('SIGKILL');
    expect((await running).signal).toBe('SIGKILL');
    expect(inputs(world)).not.toEqual([]);
    const pruned = await world.run(['imports', 'prune', '--yes']);
    expect(pruned, pruned.stderr).toMatchObject({ exitCode: 0 });
    expect(inputs(world)).toEqual([]);
  });

  it('are not removed from an import that is still reading', async () => {
    const world = await freshWorld(sandbox.target);
    const input = new PassThrough();
    input.write('{"code":"R-1","name":"Reading"}\n');
    const reading = world.start(['items', 'import', '-', '--yes'], { input });
    await until(() => inputs(world).length > 0);
    await world.file('other.csv', 'code,name\nO-1,Other\n');
    expect(await world.run(['items', 'import', 'other.csv', '--yes'])).toMatchObject({
      exitCode: 0,
    });
    expect(inputs(world)).toHaveLength(1);
    input.end('{"code":"R-2","name":"Read"}\n');
    const ran = await reading;
    expect(ran, String(ran.stderr)).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(String(ran.stdout))).toMatchObject({ rows: 2, created: 2 });
    expect(inputs(world)).toEqual([]);
  });

  it('are removed by both commands if the journal was not complete', async () => {
    const world = await freshWorld(sandbox.target);
    await world.file('one.csv', 'code,name\nJ-1,One\n');
    const folder = join(world.stateDir, 'imports');
    mkdirSync(folder, { recursive: true });
    const leave = (): void => {
      for (const end of ['', '-wal', '-shm']) {
        writeFileSync(join(folder, `20260101-000000-ab12.db.new${end}`), 'x');
      }
    };
    leave();
    expect(await world.run(['items', 'import', 'one.csv', '--yes'])).toMatchObject({ exitCode: 0 });
    expect(inputs(world)).toEqual([]);
    leave();
    const pruned = await world.run(['imports', 'prune', '--before', '30d', '--yes']);
    expect(pruned, pruned.stderr).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(pruned.stdout)).toEqual({ removed: 0, kept: 1 });
    expect(inputs(world)).toEqual([]);
  });
});
