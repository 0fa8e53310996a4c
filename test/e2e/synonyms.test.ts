import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadTree } from '../../src/registry.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts';
import { errorOf, openWorld, type World } from '../support/run.ts';

let sandbox: Sandbox;
let world: World & AsyncDisposable;
beforeAll(async () => {
  sandbox = await startSandbox();
  world = await openWorld({
    PROC_BASE_URL: sandbox.baseUrl,
    PROC_API_KEY: sandbox.keys[0]!.apiKey,
  });
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await sandbox.close();
});

const output = async (line: string) => {
  const { exitCode, stdout, stderr } = await world.run(line.split(' '));
  return { exitCode, stdout, stderr };
};

it.each([
  ['orders ls --limit 2', 'orders list --limit 2'],
  ['order view po-1', 'orders get po-1'],
  ['orders show po-1', 'orders get po-1'],
  ['sectors rm sec-3 --dry-run', 'sectors delete sec-3 --dry-run'],
  ['addresses remove adr-3 --dry-run', 'addresses delete adr-3 --dry-run'],
  ['sectors edit sec-1 --name A --dry-run', 'sectors patch sec-1 --name A --dry-run'],
  ['addresses update adr-1 --city A --dry-run', 'addresses patch adr-1 --city A --dry-run'],
  ['items new --name A --dry-run', 'items create --name A --dry-run'],
  ['items add --name A --dry-run', 'items create --name A --dry-run'],
  ['items search bolt', 'items list bolt'],
  ['requisition group rm req-1 grp-1 --dry-run', 'requisition group remove req-1 grp-1 --dry-run'],
  ['profile rm none', 'profile remove none'],
  ['-h orders', 'orders --help'],
  ['orders -h list', 'orders list --help'],
  ['help orders ls', 'help orders list'],
])('proc %s does the same as proc %s', async (typed, meant) => {
  // The next command repeats the words that were typed.
  const words = (line: string) => `proc ${line.replace(' --dry-run', '')}`;
  const shown = await output(typed);
  const stdout = shown.stdout.replace(words(typed), words(meant));
  expect({ ...shown, stdout }).toEqual(await output(meant));
});

it('a word that could mean two commands runs none of them', async () => {
  for (const line of ['requisition add', 'requisition rm req-1']) {
    expect(errorOf(await output(line))).toMatchObject({ code: 'invalid_usage', exitCode: 2 });
  }
});

it('no verb of proc is a synonym of another one', async () => {
  const { nouns } = await loadTree();
  for (const { path } of nouns.flatMap(({ commands }) => commands)) {
    const { stdout } = await output(`${path.join(' ')} --help`);
    expect(stdout).toContain(`Usage: proc ${path.join(' ')} `);
  }
});
