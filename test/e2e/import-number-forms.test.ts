import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { assumeFirstRuns, runHere } from '../support/in-process.ts';
import { errorOf, freshWorld } from '../support/run.ts';
import { loggedSandbox } from '../support/service.ts';

assumeFirstRuns();

/** The text of a payload, with the quantity in this JSON form. */
function payload(quantity: string): string {
  const name = quantity.replaceAll('"', '');
  return `{"title":"${name}","groups":[{"deliveryMethod":"pickup","items":[{"quantity":${quantity},"item":{"name":"Bolt","code":"B${name}"}}]}]}`;
}

it('quantities of payloads are numbers in any JSON form', async () => {
  await using sandbox = await loggedSandbox();
  const world = await freshWorld(sandbox.target);
  const quantities = ['3.0', '1e2', '"4"', '25e-1', '2.50', '"1,5"', '9007199254740993'];
  const file = await world.file('r.ndjson', quantities.map((one) => payload(one)).join('\n'));
  const ran = await runHere(['requisition', 'import', file, '--yes'], world.env);
  expect(ran.exitCode).toBe(8);
  const run = JSON.parse(ran.stdout);
  expect(run).toMatchObject({ created: 3, rejected: 4 });
  const rejected = (await readFile(run.rejectedFile, 'utf8')).trim().split('\n');
  expect(rejected.map((line) => JSON.parse(line)._reason)).toEqual([
    expect.stringContaining('must be a whole number, got 25e-1'),
    expect.stringContaining('must be a whole number, got 2.50'),
    expect.stringContaining('must be a number, got "1,5"'),
    expect.stringContaining('9007199254740993'),
  ]);
  const sent = sandbox.writes();
  expect(sent).toHaveLength(3);
  // `requisition create` recognises the same payload.
  for (const one of quantities.slice(0, 2)) {
    const single = await world.file('one.json', payload(one));
    const again = await runHere(['requisition', 'create', '--file', single], world.env);
    expect(errorOf(again).code).toBe('repeated_write');
  }
});
