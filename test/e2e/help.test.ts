import { describe, expect, it } from 'vitest';
import type { CommandSpec } from '../../src/core/command-spec.ts';
import { GLOBAL_FLAGS, sharedFlags } from '../../src/core/global-flags.ts';
import { kebab } from '../../src/core/wording.ts';
import { loadTree, NOUNS } from '../../src/registry.ts';
import { runHere } from '../support/in-process.ts';

const { nouns } = await loadTree();
const specs: readonly CommandSpec[] = nouns.flatMap(({ commands }) => commands);
const help = async (...words: readonly string[]) =>
  (await runHere([...words, '--help'], {})).stdout;

describe('the help of a command', () => {
  it.each(specs.map((spec) => [spec.path.join(' '), spec] as const))(
    'has its flags and examples: %s',
    async (_, spec) => {
      const { stdout, stderr, exitCode } = await runHere([...spec.path, '--help'], {});
      expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
      const flags = Object.keys({ ...spec.flags, ...sharedFlags(spec) });
      for (const key of flags) expect(stdout).toMatch(new RegExp(`^ .*--${kebab(key)}\\b`, 'm'));
      expect(stdout).toContain(spec.examples[0]!.run);
      // The page that is read with commander is the same.
      expect((await runHere(['--quiet', ...spec.path, '-h'], {})).stdout).toBe(stdout);
    },
  );

  it('has at most 60 lines for the largest command', async () => {
    expect((await help('items', 'import')).split('\n').length).toBeLessThanOrEqual(60);
  });

  it('is the same under every name of a noun or verb', async () => {
    const page = await help('orders', 'list');
    for (const words of [
      ['help', 'orders', 'list'],
      ['help', 'order', 'ls'],
      ['order', 'ls', '-h'],
      ['orders', 'list', '--nonsense', '3', '--help'],
    ]) {
      expect((await runHere(words, {})).stdout, words.join(' ')).toBe(page);
    }
  });
});

it('a flag whose value may be missing has no text for that', async () => {
  expect(await help('imports', 'resolve')).not.toMatch(/preset|\\u0000/);
});

it('the help of a noun has its verbs, and says what the service cannot do', async () => {
  for (const { name, commands } of nouns) {
    const page = await help(name);
    expect(page, name).toContain(`Usage: proc ${name}`);
    for (const { path } of commands.filter(({ path }) => path.length === 2))
      expect(page, name).toMatch(new RegExp(`^ {2}${path[1]}\\b`, 'm'));
    const { notInApi } = NOUNS.find((one) => one.name === name)!;
    if (notInApi !== undefined) expect(page).toContain(`Not in the API: ${notInApi}.`);
  }
  expect(await help('requisition', 'group')).toMatch(/^ {2}remove\b/m);
  expect((await runHere(['orders'], {})).stdout).toBe(await help('orders'));
});

describe('the first page', () => {
  it('fits on a screen of 80 × 24 and names every noun and flag', async () => {
    const page = await help();
    const lines = page.trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(24);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
    for (const { name } of NOUNS) expect(page).toMatch(new RegExp(`\\b${name}\\b`));
    for (const key of Object.keys(GLOBAL_FLAGS)) expect(page).toContain(`--${kebab(key)}`);
    expect((await runHere([], {})).stdout).toBe(page);
  });

  it('leads to every command with its flags, in at most 8 kB', async () => {
    const { stdout } = await runHere(['--help', 'all'], {});
    expect(stdout.length).toBeLessThanOrEqual(8192);
    for (const { path } of specs)
      expect(stdout).toMatch(new RegExp(`^proc ${path.join(' ')}\\b`, 'm'));
  });
});

describe('headings', () => {
  const bold = (text: string) => `\u001b[1m${text}\u001b[22m`;

  it.each([
    [['orders', 'list', '--help', '--color=always'], {}, 'Usage:'],
    [['help', 'orders', '--color=always'], { NO_COLOR: '1' }, 'Commands:'],
    [['--help'], { FORCE_COLOR: '1' }, 'More:'],
  ])('%j with %j are bold', async (args, env, heading) => {
    expect((await runHere(args, env)).stdout).toContain(bold(heading));
  });

  it.each([
    [['orders', 'list', '--help'], {}],
    [['--color=never', 'orders', '--help'], { FORCE_COLOR: '1' }],
    [['orders', '--help'], { NO_COLOR: '1', FORCE_COLOR: '1' }],
  ])('%j with %j are plain', async (args, env) => {
    expect((await runHere(args, env)).stdout).not.toContain('\u001b');
  });
});
