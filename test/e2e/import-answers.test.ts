import { describe, expect, it } from 'vitest';
import { http, startHostile, targetOf } from '../support/hostile-service.ts';
import { assumeFirstRuns } from '../support/in-process.ts';
import { freshWorld, type World } from '../support/run.ts';

assumeFirstRuns();

type Body = Record<string, unknown>;

/**
 * A service of items and imputations with books of its own.
 *
 * @param answer to the nth create, from 1
 */
async function service(answer: (record: Body, nth: number) => unknown) {
  const items: Body[] = [];
  let creates = 0;
  const hostile = await startHostile((socket, { method, line, body }) => {
    if (method === 'GET') {
      const { searchParams } = new URL(line.split(' ')[1]!, 'http://x');
      const offset = Number(searchParams.get('offset') ?? 0);
      const limit = Number(searchParams.get('limit') ?? 100);
      const sorted = items.toSorted((a, b) => (String(a.code) < String(b.code) ? -1 : 1));
      socket.write(http(200, JSON.stringify(sorted.slice(offset, offset + limit))));
      return;
    }
    const record = { id: `x-${++creates}`, ...(JSON.parse(body) as Body) };
    if (line.includes('/items/')) items.push(record);
    socket.write(http(201, JSON.stringify(answer(record, creates))));
  });
  const world = await freshWorld(targetOf(hostile));
  return { ...hostile, items, creates: () => creates, world };
}

const QUICK = ['--yes', 'PROC_SETTLE=1s', 'PROC_CONCURRENCY=1'];

async function importItems(world: World, from: number, to: number, ...flags: string[]) {
  const rows = Array.from({ length: to - from + 1 }, (_, at) => from + at);
  const lines = rows.map((n) => `Part ${n},P-${String(n).padStart(3, '0')}`);
  const file = await world.file(`i-${from}-${to}.csv`, `name,code\n${lines.join('\n')}\n`);
  return world.run(['items', 'import', file, ...QUICK, ...flags]);
}

async function importImputations(world: World, count: number, ...flags: string[]) {
  const lines = Array.from({ length: count }, (_, at) => `R-${at + 1},6000,${100 + at},USD,c-1`);
  const file = await world.file(
    'm.csv',
    `reference,account,amount,currency,contractId\n${lines.join('\n')}\n`,
  );
  return world.run([
    'imputations',
    'import',
    file,
    '--set',
    'contractId=k-1',
    '--first-run',
    ...QUICK,
    ...flags,
  ]);
}

async function rowsOf(world: World, run: string) {
  const shown = await world.run(['imports', 'rows', run, '-o', 'json']);
  return JSON.parse(shown.stdout) as { row: number; state: string; id?: string; reason?: string }[];
}

describe('an answer that contradicts a row', () => {
  it('of items: the row is looked up, and has the id of its record', async () => {
    await using at = await service((record, nth) =>
      nth === 3 ? { ...record, name: 'Nut' } : record,
    );
    const ran = await importItems(at.world, 1, 6);
    expect(JSON.parse(ran.stdout)).toMatchObject({ created: 6, unconfirmed: 0, verified: true });
    expect(at.creates()).toBe(6);
  });

  it('of imputations stops the run: nothing can be looked up', async () => {
    await using at = await service((record, nth) =>
      nth === 3 ? { ...record, amount: 999999 } : record,
    );
    const ran = await importImputations(at.world, 8);
    expect(ran.exitCode).toBe(9);
    const summary = JSON.parse(ran.stdout);
    expect(summary).toMatchObject({ created: 2, unconfirmed: 1, pending: 5 });
    expect(summary.stopped).toContain('amount was sent as 102, but is 999999');
    expect(at.creates()).toBe(3);
    const resumed = await at.world.run(['imports', 'resume', summary.run, ...QUICK]);
    expect(JSON.parse(resumed.stdout)).toMatchObject({ created: 7, unconfirmed: 1, pending: 0 });
    expect([resumed.exitCode, at.creates()]).toEqual([9, 8]);
  });
});

describe('an id that cannot belong to a row', () => {
  it('of an earlier row: both rows are looked up, and each has its own id', async () => {
    await using at = await service((record, nth) =>
      nth === 4 || nth === 6 ? { ...record, id: 'x-2' } : record,
    );
    const ran = await importItems(at.world, 1, 8);
    const summary = JSON.parse(ran.stdout);
    expect(summary).toMatchObject({ created: 8, unconfirmed: 0, verified: true });
    const stored = new Map(at.items.map(({ code, id }) => [code, id]));
    for (const { row, id } of await rowsOf(at.world, summary.run)) {
      expect(id).toBe(stored.get(`P-${String(row).padStart(3, '0')}`));
    }
    expect([ran.exitCode, at.creates()]).toEqual([0, 8]);
  });

  it('of a record that was there before: the verification says so', async () => {
    await using at = await service((record, nth) =>
      nth === 5 ? { ...record, id: 'x-1' } : record,
    );
    expect((await importItems(at.world, 1, 3)).exitCode).toBe(0);
    const ran = await importItems(at.world, 4, 6);
    expect([ran.exitCode, JSON.parse(ran.stdout).verified]).toEqual([9, false]);
    expect(ran.stderr).toContain('x-1');
  });

  it('of another imputation stops the run', async () => {
    await using at = await service((record, nth) =>
      nth === 4 ? { ...record, id: 'x-1' } : record,
    );
    const ran = await importImputations(at.world, 8);
    const summary = JSON.parse(ran.stdout);
    expect(ran.exitCode).toBe(9);
    expect(summary.stopped).toContain('x-1');
    const unconfirmed = (await rowsOf(at.world, summary.run)).filter(
      ({ state }) => state === 'unconfirmed',
    );
    expect(unconfirmed.map(({ row }) => row)).toContain(4);
  });

  it('that no list shows is found by the verification', async () => {
    await using at = await service((record, nth) =>
      nth === 2 ? { ...record, id: 'elsewhere' } : record,
    );
    const ran = await importItems(at.world, 1, 4);
    expect(ran.exitCode).toBe(9);
    expect(JSON.parse(ran.stdout)).toMatchObject({ created: 4, verified: false });
  });
});
