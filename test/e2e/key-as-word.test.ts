import { expect, it } from 'vitest';
import { runHere } from '../support/in-process.ts';
import { errorOf, freshWorld } from '../support/run.ts';

const KEY = 'canary-key-5f3a';
const ADD = ['profile', 'add', 'acme', '-e', 'live', '--base-url', 'https://x.invalid/api/v1'];

it.each([
  ['auth', 'login', KEY],
  ['auth', 'login', '--api-key', KEY],
  ['auth', 'login', `--api-key=${KEY}`],
  ['auth', 'login', '--api-key-stdin', KEY],
  ['auth', 'login', `--api-key-stdin=${KEY}`],
  ['auth', 'login', `-k${KEY}`],
  ['auth', 'login', '-p', KEY],
  ['auth', 'login', `-p${KEY}`],
  ['auth', 'login', '-e', KEY],
  ['auth', KEY],
  ['auth', 'onlyletters'],
  [KEY],
  ['profile', 'add', 'acme', KEY],
  ['orders', 'list', `-k${KEY}`],
  ['auth', 'logout', KEY],
  ['setup', KEY],
  ['orders', 'list', `--api-key=${KEY}`],
  [...ADD, `--api-key=${KEY}`],
  ['api', 'GET', '/orders/', '-H', `x-api-key:${KEY}`],
])('a key given as a word is refused and not repeated: proc %s %s %s', async (...args) => {
  const ran = await runHere(args, (await freshWorld()).env);
  expect(errorOf(ran).exitCode).toBe(/^-[pe]/.test(args[2] ?? '') ? 3 : 2);
  expect(ran.stdout + ran.stderr).not.toContain(KEY);
  expect(ran.stdout + ran.stderr).not.toContain('onlyletters');
});

it.each([
  [['orders', 'lsit'], '"lsit"'],
  [['orders', 'list', '-json'], "'-json'"],
  [['orders', 'list', '-p', 'acme-staging'], '"acme-staging"'],
  [['auth', 'logn'], '"logn"'],
  [['auth', 'logn'], 'Did you mean: proc auth login'],
])('a typing mistake is repeated: proc %j', async (args, shown) => {
  const { message, hint } = errorOf(await runHere(args, (await freshWorld()).env));
  expect(`${message} ${hint}`).toContain(shown);
});
