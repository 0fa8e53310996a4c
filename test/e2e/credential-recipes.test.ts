import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { freshWorld, ROOT } from '../support/run.ts';
import { startTestSandbox } from '../support/sandbox.ts';
import { wordsOf } from '../support/typed-line.ts';

const LINES = readFileSync(join(ROOT, 'docs/profiles.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('proc profile set ') && line.includes('credentialCommand='));

/** The arguments that each program must receive, by its own documentation. */
const ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  'secret-tool': ['lookup', 'service', 'proc', 'account', 'acme/staging'],
  pass: ['show', 'proc/acme/staging'],
  gpg: ['--quiet', '--batch', '--decrypt', 'key.gpg'],
};

it('docs/profiles.md has a recipe for each program', () => {
  const names = LINES.map((line) => /credentialCommand="?([\w-]+)/.exec(line)?.[1]);
  expect(names).toEqual(Object.keys(ARGUMENTS));
});

it.each(Object.keys(ARGUMENTS))('%s: the recipe of the page gives the key', async (program) => {
  const sandbox = await startTestSandbox();
  const world = await freshWorld();
  const bin = join(world.folder, 'bin');
  mkdirSync(bin);
  // A stand-in for the program: prints the key only for exactly these arguments. Brackets show where each
  // argument ends.
  const wanted = ARGUMENTS[program]!.map((word) => `[${word}]`).join('');
  const script = `#!/bin/sh\n[ "$(printf '[%s]' "$@")" = '${wanted}' ] || { echo "given: $*" >&2; exit 9; }\necho proc-sandbox-key\n`;
  writeFileSync(join(bin, program), script, { mode: 0o755 });
  const env = { PATH: `${bin}:${world.env.PATH}` };
  const target = ['-p', 'acme', '-e', 'staging'];
  await world.run(['profile', 'add', 'acme', '-e', 'staging', '--base-url', sandbox.baseUrl]);
  const line = LINES.find((one) => one.includes(`credentialCommand="${program} `))!;
  expect(await world.run(wordsOf(line, world), { env })).toMatchObject({ exitCode: 0 });
  const read = await world.run(['sectors', 'list', ...target], { env });
  expect(read, read.stderr).toMatchObject({ exitCode: 0 });
});
