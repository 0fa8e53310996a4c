import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadTree } from '../../src/cli/tree.ts';
import { binary } from '../support/built.ts';
import { runHere } from '../support/in-process.ts';
import { type Prepared, prepare, typed, withCopy } from '../support/prepared.ts';
import { errorOf } from '../support/run.ts';
import { isInstalled } from '../support/shell.ts';

const help = (...args: readonly string[]) => runHere(['help', ...args], {});

describe('proc help --skill', async () => {
  const { stdout: page } = await help('--skill');
  const lines = page
    .split('\n')
    .filter((line) => line.startsWith('proc ') && !line.includes(' is '));

  it('is one page of less than 1,500 tokens', () => {
    // Two estimates of the tokens: a quarter of the characters, and all words and marks.
    expect(page.length / 4).toBeLessThan(1500);
    expect(page.match(/\w+|[^\s\w]/g)!.length).toBeLessThan(1500);
  });

  it('names every command, and the rules', async () => {
    for (const { name, commands } of (await loadTree()).nouns) {
      const [line = ''] = page.split('\n').filter((one) => one.startsWith(`${name}: `));
      for (const { path } of commands) expect(line).toContain(path.slice(1).join(' '));
    }
    expect(page).toContain('--dry-run first');
    expect(page).toContain('Never add --yes unasked');
    for (let code = 0; code <= 11; code++) expect(page).toMatch(new RegExp(`^${code} \\w`, 'm'));
  });

  let prepared: Prepared;
  beforeAll(async () => {
    prepared = await prepare();
  });
  afterAll(() => prepared.world[Symbol.asyncDispose]());

  it.each(lines)('%s runs', async (line) => {
    await withCopy(prepared, {}, async (world) => {
      const { exitCode, stderr } = await world.shell(typed(line, prepared), { env: world.env });
      expect(exitCode, stderr).toBe(0);
    });
  });
});

/** Every page of help except the first, as words after `proc`. */
async function pages(): Promise<readonly (readonly string[])[]> {
  const { nouns } = await loadTree();
  return nouns.flatMap(({ name, groups, commands }) => [
    [name],
    ...Object.keys(groups).map((group) => [name, group]),
    ...commands.map(({ path }) => path),
  ]);
}

describe('a page that the build has computed', async () => {
  it.each(await pages())('is what the command itself prints: %s %s %s', async (...given) => {
    const words = given.filter((word) => word !== undefined);
    // With `--quiet`, proc computes the page. Without it, proc prints the page from the build.
    const { stdout, exitCode } = await runHere(['--quiet', ...words, '--help'], {});
    expect({ stdout, exitCode }).toMatchObject({
      stdout: expect.stringContaining('Usage: proc '),
      exitCode: 0,
    });
    for (const asked of [
      [...words, '--help'],
      [...words, '-h'],
    ]) {
      expect(await runHere(asked, {}), asked.join(' ')).toEqual({ stdout, exitCode, stderr: '' });
    }
  });

  it('is the one that `proc help` prints, under every name of a noun or verb', async () => {
    const { stdout } = await runHere(['--quiet', 'orders', 'list', '--help'], {});
    for (const words of [
      ['help', 'orders', 'list'],
      ['help', 'order', 'ls'],
      ['order', 'ls', '-h'],
    ]) {
      expect((await runHere(words, {})).stdout, words.join(' ')).toBe(stdout);
    }
  });
});

describe('proc help --man', () => {
  it.each([
    [['--man'], 'proc-cli.1'],
    [['--man', 'orders'], 'proc-orders.1'],
    [['order', '--man'], 'proc-orders.1'],
  ])('%j prints a page of the manual', async (args, file) => {
    const { stdout, exitCode } = await help(...args);
    expect(exitCode).toBe(0);
    expect(stdout).toBe(await readFile(join(binary(), '../../man', file), 'utf8'));
  });

  it.runIf(isInstalled('man'))('gives man something that it can show', async () => {
    const { stdout } = await help('--man', 'items');
    const shown = execFileSync('man', ['-l', '-'], {
      input: stdout,
      encoding: 'utf8',
      env: { ...process.env, LC_ALL: 'C.UTF-8' },
    });
    expect(shown).toContain('PROC ITEMS LIST');
  });

  it('refuses words without a page', async () => {
    expect(errorOf(await help('--man', 'itmes'))).toMatchObject({
      code: 'unknown_command',
      hint: 'Did you mean: proc help items',
    });
  });
});
