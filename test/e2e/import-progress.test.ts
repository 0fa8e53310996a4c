import { expect, it } from 'vitest';
import { freshWorld, jsonLines } from '../support/run.ts';
import { loggedSandbox } from '../support/service.ts';

it('the space of a large import is said before it starts', async () => {
  await using sandbox = await loggedSandbox();
  const world = await freshWorld(sandbox.target);
  const row = (at: number, bytes: number) => `c-${at},n,${'x'.repeat(bytes)}`;
  const text = (rows: number) =>
    ['code,name,description', ...Array.from({ length: rows }, (_, at) => row(at, 1e6))].join('\n');
  await world.file('big.csv', text(30));
  await world.file('small.csv', text(25).slice(0, 25e6));
  const planned = async (file: string) => {
    const ran = await world.run(['items', 'import', file, '--dry-run']);
    return jsonLines(ran.stderr).flatMap(({ notice }) => (notice === undefined ? [] : [notice]));
  };
  expect(await planned('big.csv')).toContainEqual(
    expect.stringContaining('importing big.csv takes about 121 MB in '),
  );
  expect(await planned('small.csv')).not.toContainEqual(expect.stringContaining(' MB '));
});
