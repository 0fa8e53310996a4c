import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { checkPlanFile, writePlan } from '../../../../src/import/plan/write-plan.ts';
import { ITEM_IMPORT } from '../../../../src/import/targets/item-import.ts';
import { freshWorld } from '../../../support/run.ts';
import { portsOf, runOf, shopOf } from '../run-of.ts';

it.each<[file: string | undefined, source: string, wrong?: string]>([
  [undefined, 'a.csv'],
  ['p.csv', 'a.csv'],
  ['P.XLSX', '-'],
  ['p.ndjson', 'no-such-file.csv'],
  ['a.csv', '-'],
  [
    'p.txt',
    'a.csv',
    '--plan p.txt: its extension selects the format, one of: .csv, .xlsx, .ndjson',
  ],
  ['p.csv.gz', 'a.csv', '--plan p.csv.gz: its extension'],
  ['./a.csv', 'a.csv', '--plan ./a.csv is the file to import'],
  ['no/such/folder/p.csv', 'a.csv', '--plan'],
])('--plan %s for %s', async (file, source, wrong) => {
  const world = await freshWorld();
  await writeFile(join(world.cwd, 'a.csv'), '');
  const checked = checkPlanFile(file, source, { self: { cwd: world.cwd } } as never);
  if (wrong === undefined) await expect(checked).resolves.toBeUndefined();
  else await expect(checked).rejects.toThrow(wrong);
});

async function written(ending: string, { interactive = false, abort = false } = {}) {
  const world = await freshWorld();
  const planFile = join(world.cwd, `p.${ending}`);
  const body = JSON.stringify({ code: 'A-1', name: 'Bolt', unitPrice: 1 }).replace(':1}', ':1.50}');
  const run = await runOf(
    [
      { line: 2, name: 'Bolt', body },
      { line: 3, state: 'rejected', code: null, reason: { code: 'quote_open', args: {} } },
    ],
    { planFile, mapping: { fields: {}, nulls: [] } },
  );
  const { ports, said } = portsOf(shopOf([]), { interactive });
  const given = ports as unknown as { self: { signal: AbortSignal } };
  if (abort) given.self.signal = AbortSignal.abort(new Error('ctrl-c'));
  const steps: string[] = [];
  const opened = {
    run,
    target: ITEM_IMPORT,
    progress: { step: (_: string, data: object) => steps.push(JSON.stringify(data)) },
  };
  const result = writePlan(opened as never, ports);
  return { result, planFile, run, said, steps };
}

it('a plan file has a line for each row, and the run knows its name', async () => {
  const { result, planFile, run, said, steps } = await written('ndjson', { interactive: true });
  await result;
  const lines = (await readFile(planFile, 'utf8')).trim().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { row: 1, line: 2, state: 'pending' },
    { row: 2, line: 3, state: 'rejected', reason: expect.stringMatching(/./) },
  ]);
  expect(run.get('planFile')).toBe(planFile);
  expect(said).toEqual([{ kind: 'notice', text: expect.stringContaining(planFile) }]);
  expect(steps).toEqual(['{"step":"write plan","rows":2}']);
  run.close();
});

it('a plan file is not written if the command is interrupted', async () => {
  const { result, planFile, run } = await written('csv', { abort: true });
  await expect(result).rejects.toThrow('ctrl-c');
  await expect(readFile(planFile)).rejects.toThrow('ENOENT');
  expect(run.get('planFile')).toBeUndefined();
  run.close();
});
