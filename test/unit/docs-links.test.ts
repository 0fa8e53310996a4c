import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../support/run.ts';

const DOCS = join(ROOT, 'docs');

async function pagesIn(folder: string): Promise<readonly string[]> {
  return (await readdir(folder)).filter((name) => name.endsWith('.md')).sort();
}

const PAGES = [
  join(ROOT, 'README.md'),
  join(ROOT, 'CONTRIBUTING.md'),
  ...(await pagesIn(DOCS)).map((name) => join(DOCS, name)),
  ...(await pagesIn(join(DOCS, 'internals'))).map((name) => join(DOCS, 'internals', name)),
  join(ROOT, 'bench/README.md'),
  join(ROOT, 'test/contract/gaps.md'),
];

function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{Letter}\p{Number}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
}

async function anchorsIn(page: string): Promise<readonly string[]> {
  const text = (await readFile(page, 'utf8')).replace(/^(`{3,})[\s\S]*?^\1/gm, '');
  return [...text.matchAll(/^#+ (.+)$/gm)].map((match) => anchorOf(match[1]!));
}

describe('the documentation', () => {
  it.each(PAGES.map((page) => [page.slice(ROOT.length + 1), page]))(
    '%s: every link has a target',
    async (_, page) => {
      const text = (await readFile(page!, 'utf8')).replace(/^(`{3,})[\s\S]*?^\1/gm, '');
      const missing: string[] = [];
      for (const [, link = ''] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
        if (/^https?:/.test(link)) continue;
        const [path = '', anchor] = link.split('#');
        const target = path === '' ? page! : resolve(dirname(page!), path);
        if (!existsSync(target)) missing.push(link);
        else if (anchor !== undefined && !(await anchorsIn(target)).includes(anchor))
          missing.push(link);
      }
      expect(missing).toEqual([]);
    },
  );

  it('has one table of the variables that proc reads or sets', async () => {
    const page = await readFile(join(DOCS, 'scripting.md'), 'utf8');
    const table = /^## Variables$([\s\S]*?)^## /m.exec(page)![1]!;
    const namesIn = (text: string) => new Set(text.match(/\bPROC_[A-Z_]+\b/g));
    const files = await readdir(join(ROOT, 'src'), { recursive: true });
    const texts = await Promise.all(
      files
        .filter((name) => name.endsWith('.ts'))
        .map((name) => readFile(join(ROOT, 'src', name), 'utf8')),
    );
    expect(namesIn(table)).toEqual(namesIn(texts.join('\n')));
  });

  it('names scripts and programs of the checkout that exist', async () => {
    const { scripts } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
    const texts = await Promise.all(PAGES.map((page) => readFile(page, 'utf8')));
    const named = [
      ...texts.join('\n').matchAll(/\bnpm run ([\w:]+)|\b(?:node|tsx) ([a-z]+\/[\w/.-]+)/g),
    ];
    expect(named.length).toBeGreaterThan(30);
    const missing = named.filter(([, script, file]) =>
      script === undefined ? !existsSync(join(ROOT, file!)) : scripts[script] === undefined,
    );
    expect(missing.map(([text]) => text)).toEqual([]);
  });

  it('has every page in the README', async () => {
    const contents = await readFile(join(ROOT, 'README.md'), 'utf8');
    for (const name of await pagesIn(DOCS)) expect(contents).toContain(`](docs/${name}`);
  });
});
