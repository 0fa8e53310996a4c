import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { errorOf, freshWorld, type World } from '../support/run.ts';
import { loggedSandbox } from '../support/service.ts';
import { startTerminal } from '../support/terminal.ts';

const read = ({ cwd }: World, name: string) => readFile(join(cwd, name), 'utf8');

/** A page that somebody mails must not load or run anything. */
function expectInert(page: string): void {
  expect(page).toMatch(/^<!doctype html>\n/);
  expect(page).toContain("default-src 'none'; style-src 'unsafe-inline'");
  expect(page).not.toMatch(/<script|<img|<link|https?:\/\/(?!127\.0\.0\.1)|\son\w+=/);
  expect(page).toMatch(/<\/html>\n$/);
}

it('imports report has the counts, the rejected rows with their reasons, and all that was created', async () => {
  await using sandbox = await loggedSandbox();
  const world = await freshWorld(sandbox.target);
  const rows = Array.from({ length: 300 }, (_, n) => `P-${n},Part ${n}`);
  await world.file('a<b>.csv', ['code,name', ...rows, 'BAD-1,', '"X<i>",</td>'].join('\n'));
  const ran = await world.run(['items', 'import', 'a<b>.csv', '--yes', '-o', 'json']);
  const { run, created, rejected } = JSON.parse(ran.stdout);
  expect([created, rejected]).toEqual([301, 1]);
  const report = await world.run(['imports', 'report', run, '--out', 'r.html']);
  expect(report, report.stderr).toMatchObject({ exitCode: 0, stdout: '' });
  const page = await read(world, 'r.html');
  expectInert(page);
  expect(page).toContain('<h1>Import of a&lt;b&gt;.csv</h1>');
  expect(page).toContain('301 of 302 rows created, 1 rejected');
  expect(page).toContain('<svg role="img"');
  expect(page).toContain('a&lt;b&gt;.rejected.csv');
  expect(page).toContain('<h2>Created rows (301)</h2>');
  for (const code of ['P-0', 'P-299', 'X&lt;i&gt;']) expect(page).toContain(`<td>${code}</td>`);
  expect(page).toContain('<pre>proc items import ');
  const piped = await world.run(['imports', 'report', run]);
  expect(piped.stdout).toMatch(/^<!doctype html>/);
});

it('imports report is refused where it cannot be a page', async () => {
  await using sandbox = await loggedSandbox();
  const world = await freshWorld(sandbox.target);
  await world.file('a.csv', 'code,name\nA-1,Bolt\n');
  expect(await world.run(['items', 'import', 'a.csv', '--yes'])).toMatchObject({ exitCode: 0 });
  const other = await world.run(['imports', 'report', 'last', '--out', 'r.md']);
  expect(errorOf(other)).toMatchObject({
    exitCode: 2,
    hint: 'Write it to a file: --out report.html',
  });
  const terminal = startTerminal(world, ['imports', 'report', 'last']);
  expect(await terminal.exited, terminal.text()).toBe(2);
});

it('orders summary has totals, amounts by month and the largest orders', async () => {
  await using sandbox = await loggedSandbox();
  const world = await freshWorld(sandbox.target);
  const args = ['orders', 'summary', '--status', 'complete', '--out'];
  const ran = await world.run([...args, 'orders.html']);
  expect(ran, ran.stderr).toMatchObject({ exitCode: 0, stdout: '' });
  const page = await read(world, 'orders.html');
  expectInert(page);
  expect(page).toContain('--status complete');
  expect(page).toContain('<h2>Amounts by month (USD)</h2>');
  expect(page).toContain('<h2>Largest orders (USD)</h2>');
  const [totals] = JSON.parse((await world.run(args.slice(0, -1))).stdout);
  expect(page).toContain(`<td class="right">${totals.orders}</td>`);
  const shaped = await world.run([...args, 'orders.html', '--fields', 'status']);
  expect(errorOf(shaped)).toMatchObject({
    exitCode: 2,
    message: '--fields does not apply to a page',
  });
});
