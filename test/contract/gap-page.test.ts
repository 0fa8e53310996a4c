import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../support/run.ts';
import { API_GAPS } from './api-gaps.ts';

const FOLDER = join(ROOT, 'test/contract');
const page = await readFile(join(FOLDER, 'gaps.md'), 'utf8');
const rows = page
  .split('\n')
  .filter((line) => /^\| \d+ \|/.test(line))
  .map((line) =>
    line
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim())
      .slice(1, -1),
  );

/** All `[file](path) “title”, “another”` in the page. */
const NAMED = [...page.matchAll(/\[[\w.-]+\]\((\.{1,2}\/[^)]+\.ts)\)((?:,? “[^”]+”)+)/g)].flatMap(
  ([, path, titles]) =>
    [...titles!.matchAll(/“([^”]+)”/g)].map(([, title]) => [path!, title!] as const),
);

describe('test/contract/gaps.md', () => {
  it('lists the 20 gaps of the contract in order, each with section, decision, setting and test', () => {
    expect(API_GAPS).toHaveLength(20);
    expect(rows.map(([number, gap]) => `${number} ${gap}`)).toEqual(
      API_GAPS.map(([section, words], at) => `${at + 1} ${section} ${words}`),
    );
    for (const cells of rows) {
      expect(cells, cells[1]).toHaveLength(5);
      for (const cell of cells) expect(cell, cells[1]).not.toBe('');
      expect(cells[4], cells[1]).toMatch(/^\[.+\]\(\.{1,2}\/.+\) “.+”$/);
    }
  });

  it.each(NAMED)('names an existing test: %s “%s”', async (path, title) => {
    const source = await readFile(resolve(FOLDER, path), 'utf8');
    const titles = [...source.matchAll(/\(\s*'([^'\n]+)',\s*(?:async )?\(/g)].map(
      (match) => match[1],
    );
    expect(titles).toContain(title);
  });

  it('names a test in every row', () => {
    expect(NAMED.length).toBeGreaterThanOrEqual(rows.length + 3);
  });
});
