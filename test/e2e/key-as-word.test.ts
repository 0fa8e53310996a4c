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
  ['auth', KEY],
  ['auth', 'onlyletters'],
  ['profile', 'add', 'acme', KEY],
  ['orders', 'list', `-k${KEY}`],
  ['orders', 'list', `--api-key=${KEY}`],
  [...ADD, `--api-key=${KEY}`],
  ['api', 'GET', '/orders/', '-H', `x-api-key:${KEY}`],
])('a key given as a word is refused and not repeated: proc %s %s %s', async (...args) => {
  const ran = await runHere(args, (await freshWorld()).env);
  expect(errorOf(ran).exitCode).toBe(2);
  expect(ran.stdout + ran.stderr).not.toContain(KEY);
  expect(ran.stdout + ran.stderr).not.toContain('onlyletters');
});
