import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../support/run.ts';
import { API_GAPS } from './api-gaps.ts';
import { API_TABLE } from './api-table.ts';

const page = await readFile(join(ROOT, 'docs/service-contract.md'), 'utf8');
const sections = new Map(
  page
    .split(/^## (?=§)/m)
    .slice(1)
    .map((text) => [text.slice(0, text.indexOf(' ')), text] as const),
);
const rows = [...page.matchAll(/^\| (\d+) \| (\w+) \| `([^`]+)` \|/gm)].map(
  ([, row, method, path]) => `${row} ${method} ${path}`,
);

describe('docs/service-contract.md', () => {
  it('has sections 1 to 9', () => {
    expect([...sections.keys()]).toEqual(
      ['1', '2', '3', '4', '5', '6', '7', '8', '9'].map((n) => `§${n}`),
    );
  });

  it('has the endpoints of the contract table, in its order', () => {
    expect(rows).toEqual(API_TABLE.map(({ row, method, path }) => `${row} ${method} ${path}`));
  });

  it.each(API_TABLE)('lists every body and response field of $id', ({ body = {}, fields }) => {
    for (const field of [...Object.keys(body), ...fields]) {
      expect(sections.get('§2')! + sections.get('§4')!).toContain(`\`${field}\``);
    }
  });

  it.each(API_GAPS)('%s states that this is not shown: %s', (section, words) => {
    const plain = sections.get(section)!.replaceAll('`', '');
    expect(plain.slice(plain.indexOf('Not shown'))).toContain(words);
  });
});

describe('a citation of the contract refers to an existing section', async () => {
  const files = await Promise.all(
    ['src', 'test', 'scripts', 'bench', 'docs'].map(async (folder) =>
      (await readdir(join(ROOT, folder), { recursive: true, withFileTypes: true }))
        .filter((entry) => entry.isFile() && /\.(ts|mjs|md)$/.test(entry.name))
        .map((entry) => join(entry.parentPath, entry.name)),
    ),
  );
  const cited = (
    await Promise.all(
      files.flat().map(async (file) => {
        const text = await readFile(file, 'utf8');
        return [
          ...text.matchAll(/service-contract\.md\)? (§\d+(?: row (\d+))?(?:,? (?:and )?§\d+)*)/g),
        ].map(([, section]) => [file.slice(ROOT.length + 1), section!] as const);
      }),
    )
  ).flat();

  it('in every file', () => {
    expect(cited.length).toBeGreaterThan(10);
    const astray = cited.filter(
      ([, citation]) =>
        [...citation.matchAll(/§\d+/g)].some(([section]) => !sections.has(section)) ||
        [...citation.matchAll(/row (\d+)/g)].some(([, row]) => Number(row) > API_TABLE.length),
    );
    expect(astray).toEqual([]);
  });
});
