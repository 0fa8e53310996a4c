import { describe, expect, it } from 'vitest';
import { loadTree } from '../../src/cli/tree.ts';
import { runHere } from '../support/in-process.ts';

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
