import { copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { errorOf, freshWorld, type Ran, type World } from '../support/run.ts';
import { type LoggedSandbox, loggedSandbox } from '../support/service.ts';

const CASES = join(import.meta.dirname, '../fixtures/cases');

/** A world with files of the cases. */
async function worldOf(sandbox: LoggedSandbox): Promise<World> {
  const world = await freshWorld(sandbox.target);
  for (const name of ['codes-twice.json', 'imputations-equal.csv', 'imputations-corrected.csv'])
    await copyFile(join(CASES, name), join(world.cwd, name));
  return world;
}

const summaryOf = (ran: Ran) => JSON.parse(ran.stdout) as Record<string, unknown>;
const REFERENCES =
  'SELECT reference, account, amount FROM imputations ORDER BY reference, account, amount';

describe('one code in several rows', () => {
  it('rows that would be sent alike count once; rows that differ are all rejected, each naming the others', async () => {
    await using sandbox = await loggedSandbox();
    const world = await worldOf(sandbox);
    const ran = await world.run(['items', 'import', 'codes-twice.json', '--yes']);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 8 });
    expect(summaryOf(ran)).toMatchObject({ rows: 5, created: 2, rejected: 2, repeated: 1 });
    const codes = sandbox.sql("SELECT code FROM items WHERE code LIKE 'ST-%' ORDER BY code");
    expect(codes).toEqual([{ code: 'ST-1' }, { code: 'ST-4' }]);
    const rejected = JSON.parse(
      await readFile(join(world.cwd, 'codes-twice.rejected.json'), 'utf8'),
    );
    expect(rejected).toMatchObject([
      { code: 'ST-2', _row: 2, _reason: expect.stringContaining('row 3') },
      { code: 'ST-2', _row: 3, _reason: expect.stringContaining('row 2') },
    ]);
  });

  it('codes that differ only in case or dashes are one code; --exact-codes compares exactly', async () => {
    await using sandbox = await loggedSandbox();
    const world = await worldOf(sandbox);
    // Not by this ledger: then a row like it exists under any name.
    await world.run(['items', 'create', '--code', 'Ab-1', '--name', 'Bolt', '--yes'], {
      env: { PROC_STATE_DIR: join(world.cwd, 'other') },
    });
    await world.file('a.csv', 'code,name\nAB\u20131,Bolt\nab-1,Nut\nAb-2,Bolt\n');
    const ran = await world.run(['items', 'import', 'a.csv', '--dry-run', '--results', 'plan.csv']);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 8 });
    await world.file('b.csv', 'code,name\nAB-1,Bolt\nab-2,Other\n');
    const again = await world.run(['items', 'import', 'b.csv', '--yes']);
    expect(summaryOf(again), again.stderr).toMatchObject({ existing: 1, created: 1 });
    await world.file('c.csv', 'code,name\nAB-1,Nut\n');
    const other = await world.run(['items', 'import', 'c.csv', '--yes']);
    expect(other, other.stderr).toMatchObject({ exitCode: 8 });
    expect(await readFile(join(world.cwd, 'c.rejected.csv'), 'utf8')).toMatch(/AB-1.*Ab-1/s);
    const exact = await world.run(['items', 'import', 'c.csv', '--exact-codes', '--yes']);
    expect(summaryOf(exact), exact.stderr).toMatchObject({ created: 1 });
    // A run knows its rows by the folded code, so the second spelling needs a file of its own.
    await world.file('d.csv', 'code,name\nD-1,Bolt\nd-1,Bolt\n');
    const both = await world.run(['items', 'import', 'd.csv', '--exact-codes', '--yes']);
    expect(summaryOf(both), both.stderr).toMatchObject({ created: 0, rejected: 2 });
  });

  it('an existing code with another name is existing, and the plan and the summary list it as renamed', async () => {
    await using sandbox = await loggedSandbox();
    const world = await worldOf(sandbox);
    await world.file('a.csv', 'code,name\nR-1,Bolt\nR-2,Nut\n');
    await world.run(['items', 'import', 'a.csv', '--yes']);
    await world.file('b.csv', 'code,name\nR-1,Bolt M8\nR-2,Nut\n');
    const ran = await world.run(['items', 'import', 'b.csv', '--yes']);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect(summaryOf(ran)).toMatchObject({ created: 0, existing: 2 });
    expect(ran.stdout).toContain('Bolt M8');
  });
});

describe('imputations', () => {
  it('the second equal row is rejected, unless --send-equal; a corrected row is rejected with both values, unless --again', async () => {
    await using sandbox = await loggedSandbox();
    const world = await worldOf(sandbox);
    const importing = (file: string, ...flags: string[]) =>
      world.run(['imputations', 'import', file, '--yes', ...flags]);
    const first = await importing('imputations-equal.csv', '--first-run');
    expect(first, first.stderr).toMatchObject({ exitCode: 8 });
    expect(summaryOf(first)).toMatchObject({ rows: 5, created: 4, rejected: 1 });
    const rejected = await readFile(join(world.cwd, 'imputations-equal.rejected.csv'), 'utf8');
    expect(rejected).toMatch(/^F-2,.*,3,.*row 2.*--again/m);

    const equal = await importing('imputations-equal.csv', '--send-equal');
    expect(equal, equal.stderr).toMatchObject({ exitCode: 0 });
    expect(summaryOf(equal)).toMatchObject({ rows: 5, created: 1, sentBefore: 4 });
    expect(sandbox.sql(REFERENCES)).toHaveLength(5);

    const corrected = await importing('imputations-corrected.csv');
    expect(corrected, corrected.stderr).toMatchObject({ exitCode: 8 });
    expect(summaryOf(corrected)).toMatchObject({ created: 1, sentBefore: 1, rejected: 1 });
    const reasons = await readFile(join(world.cwd, 'imputations-corrected.rejected.csv'), 'utf8');
    expect(reasons).toContain('5.25 → 5.2 (run ');
    const again = await importing('imputations-corrected.csv', '--again');
    expect(summaryOf(again), again.stderr).toMatchObject({ created: 3 });
    const references = sandbox
      .sql(REFERENCES)
      .filter((one) => (one as { reference: string }).reference === 'F-2');
    expect(references).toMatchObject([{ amount: 5.2 }, { amount: 5.25 }, { amount: 5.25 }]);
  });

  it('a file whose rows were all sent before ends with exit 0 and names --again', async () => {
    await using sandbox = await loggedSandbox();
    const world = await worldOf(sandbox);
    await world.file('rent.csv', 'reference,account,amount,contractId\nRENT,6000,900,c-1\n');
    const importing = (...flags: string[]) =>
      world.run(['imputations', 'import', 'rent.csv', '--yes', ...flags]);
    const first = await importing('--first-run');
    const again = await importing();
    expect(again, again.stderr).toMatchObject({ exitCode: 0 });
    expect(summaryOf(again)).toMatchObject({ created: 0, sentBefore: 1 });
    expect(again.stderr).toContain('--again');
    expect(again.stderr).toContain(String(summaryOf(first).run));
    expect(summaryOf(await importing('--again'))).toMatchObject({ created: 1 });
    expect(sandbox.sql(REFERENCES)).toHaveLength(2);
  });

  it('single creates count as sent, and rows without a reference only by their values', async () => {
    await using sandbox = await loggedSandbox();
    const world = await worldOf(sandbox);
    await world.run([
      ...['imputations', 'create', '--reference', 'X', '--account', '1', '--amount', '3'],
      ...['--contract', 'k-1', '--yes'],
    ]);
    await world.file(
      'a.csv',
      'reference,account,amount,contractId\nX,1,3,k-1\n,1,3,k-1\n,1,4,k-1\nY,1,1,k-1\nY,1,2,k-1\n',
    );
    const ran = await world.run(['imputations', 'import', 'a.csv', '--yes', '--first-run']);
    // Within one file, rows of one key with other values are all sent.
    expect(summaryOf(ran), ran.stderr).toMatchObject({ created: 4, sentBefore: 1 });
    await world.file('b.csv', 'reference,account,amount,contractId\nY,1,5,k-1\n');
    const other = await world.run(['imputations', 'import', 'b.csv', '--yes']);
    expect(summaryOf(other), other.stderr).toMatchObject({ rejected: 1, created: 0 });
    const none = await world.run(['imputations', 'import', 'b.csv', '--yes', '--key', 'none']);
    expect(summaryOf(none), none.stderr).toMatchObject({ created: 1 });
  });
});

it('--digest refuses any other plan than the reviewed one', async () => {
  await using sandbox = await loggedSandbox();
  const world = await worldOf(sandbox);
  await world.file('a.csv', 'code,name\nD-1,Bolt\n');
  const plan = await world.run(['items', 'import', 'a.csv', '--dry-run']);
  const { digest } = JSON.parse(plan.stdout) as { digest: string };
  await world.file('a.csv', 'code,name\nD-1,Nut\n');
  const refused = await world.run(['items', 'import', 'a.csv', '--yes', '--digest', digest]);
  expect(errorOf(refused)).toMatchObject({ exitCode: 2 });
  expect(sandbox.writes()).toEqual([]);
  await world.file('a.csv', 'code,name\nD-1,Bolt\n');
  const sent = await world.run(['items', 'import', 'a.csv', '--yes', '--digest', digest]);
  expect(summaryOf(sent), sent.stderr).toMatchObject({ created: 1 });
});

it('items that a reset service has lost were sent before; --again creates them', async () => {
  await using service = await loggedSandbox({ empty: true });
  const world = await freshWorld(service.target);
  await world.file('a.csv', 'code,name\nL-1,Bolt\nL-2,Nut\n');
  await world.run(['items', 'import', 'a.csv', '--yes']);
  service.sql('DELETE FROM items');
  const ran = await world.run(['items', 'import', 'a.csv', '--yes']);
  expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
  expect(summaryOf(ran)).toMatchObject({ created: 0, existing: 0, sentBefore: 2 });
  expect(ran.stderr).toContain('To send them again, add --again');
  const again = await world.run(['items', 'import', 'a.csv', '--yes', '--again']);
  expect(summaryOf(again), again.stderr).toMatchObject({ created: 2, sentBefore: 0 });
  expect(service.sql('SELECT code FROM items ORDER BY code')).toHaveLength(2);
  const known = await world.run(['items', 'import', 'a.csv', '--yes', '--again']);
  expect(summaryOf(known), known.stderr).toMatchObject({ created: 0, existing: 2 });
});
