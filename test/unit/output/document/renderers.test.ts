import { join } from 'node:path';
import readXlsx from 'read-excel-file/node';
import { describe, expect, it } from 'vitest';
import type { Block, ReportDocument } from '../../../../src/core/document/document.ts';
import { tablesIn, textOf } from '../../../support/page.ts';
import { freshFolder } from '../../../support/sandbox.ts';
import { rendered } from '../rendering.ts';

function reportWith(...blocks: readonly Block[]): ReportDocument {
  return {
    title: 'A report',
    place: 'here',
    lead: 'All is well.',
    tone: 'good',
    sections: [{ title: 'Section', blocks }],
    footer: 'Made by a test.',
  };
}

async function written(format: 'html' | 'markdown', ...blocks: readonly Block[]): Promise<string> {
  const record = {
    kind: 'record',
    value: {},
    document: async () => reportWith(...blocks),
  } as const;
  const { stdout } = await rendered(record, {}, { document: format });
  return stdout;
}

const text = (said: string): Block => ({ kind: 'text', text: said });

describe('Markdown of a report', () => {
  it.each([
    ['<img src=x>', '&lt;img src=x&gt;'],
    ['a | b', 'a \\| b'],
    ['*bold* _it_ `code`', '\\*bold\\* \\_it\\_ \\`code\\`'],
    ['[a](https://b.c)', '\\[a\\](https:\\//b.c)'],
    ['www.example.com', 'www\\.example.com'],
    ['# no heading', '\\# no heading'],
    ['- no list', '\\- no list'],
    ['1. no list', '1\\. no list'],
    ['0.5 s', '0.5 s'],
    ['&lt;', '&amp;lt;'],
    ['Bolt :smile: M8', 'Bolt `:smile:` M8'],
    ['for @user and @org/team', 'for `@user` and `@org`/team'],
    ['jane.roe@example.com', '`jane.roe@example.com`'],
    ['see #12, C# and # 3', 'see `#12`, C\\# and \\# 3'],
    ['at 10:30:45, 1:100:2 :+1:', 'at 10:30:45, 1`:100:`2 `:+1:`'],
    ['a : b : c, 5 @ 3', 'a : b : c, 5 \\@ 3'],
    ['two\nlines\u001b[1m', 'two\\\\nlines\\\\u001b\\[1m'],
  ])('says %j as it is', async (said, expected) => {
    expect(await written('markdown', text(said))).toContain(`\n\n${expected}\n`);
  });

  it('has code in a fence that the code does not have', async () => {
    const said = await written('markdown', { kind: 'command', text: 'echo ```' });
    expect(said).toContain('````sh\necho ```\n````');
    const table = await written('markdown', {
      kind: 'table',
      title: 'T',
      columns: [{ key: 'code', header: 'code', kind: 'code' }],
      rows: [{ code: 'a`|b' }, { code: '`' }],
      count: 2,
      most: undefined,
    });
    expect(table).toContain('| ``a`\\|b`` |\n| `` ` `` |');
  });

  it('is wrapped at words on a terminal: rows of a table that is too wide become a list', async () => {
    const code = { key: 'code', header: 'code', kind: 'code' } as const;
    const why = { key: 'why', header: 'reason' };
    const block = (reason: string, most?: number): Block => ({
      kind: 'table',
      title: 'T',
      columns: [code, why],
      rows: [{ code: 'A 1', why: reason }, { code: 'B' }],
      count: 2,
      most,
    });
    const document = async () =>
      reportWith(
        text('a sentence that is wider than the terminal'),
        block('short', 5),
        block('a reason that is too wide', 5),
        block('x'),
        { kind: 'facts', facts: [{ label: 'run', value: 'of a file with a long name' }] },
        { kind: 'command', text: 'proc imports resume 20260301-093000-1a2b' },
      );
    const record = { kind: 'record', value: {}, document } as const;
    const { stdout } = await rendered(
      record,
      {},
      { document: 'markdown', terminal: true, columns: 24 },
    );
    expect(stdout).toContain('\na sentence that is wider\nthan the terminal\n');
    expect(stdout).toContain('\n| code | reason |\n|---|---|\n| `A 1` | short |\n| `B` |  |\n');
    expect(stdout).toContain(
      '\n- code: `A 1`; reason: a\n  reason that is too\n  wide\n- code: `B`\n',
    );
    expect(stdout).toContain('\n- code: `A 1`; reason: x\n- code: `B`\n');
    expect(stdout).toContain('\n- run: of a file with a\n  long name\n');
    expect(stdout).toContain('\nproc imports resume 20260301-093000-1a2b\n');
    expect((await rendered(record, {}, { document: 'markdown' })).stdout).not.toContain('\n- ');
  });
});

describe('the page of a report', () => {
  it('reads no more rows than it shows', async () => {
    let read = 0;
    const rows = function* () {
      for (;;) yield { n: ++read };
    };
    const page = await written('html', {
      kind: 'table',
      title: 'Numbers',
      columns: [{ key: 'n', header: 'n', kind: 'number' }],
      rows: rows(),
      count: 1_000_000,
      most: 3,
      all: 'proc numbers',
    });
    expect(read).toBe(3);
    expect(tablesIn(page).get('Numbers')).toEqual([['n'], ['1'], ['2'], ['3']]);
    expect(textOf(page)).toContain('The first 3 of 1,000,000 rows. To list all: proc numbers');
  });

  it('draws charts of any values', async () => {
    const page = await written(
      'html',
      {
        kind: 'bars',
        title: '<Bars>',
        bars: [{ label: 'none', value: 0, text: '0', colour: 'red' }],
      },
      {
        kind: 'stacks',
        title: 'Stacks',
        parts: [{ name: 'one & only', colour: 'blue' }],
        stacks: [{ label: 'x'.repeat(40), values: [-5], text: '-5' }],
      },
      { kind: 'line', title: 'Line', points: [{ label: 'a', value: 0 }], unit: 'per s' },
    );
    // A mail program may drop drawings, but keeps their words.
    expect(page.replace(/<[^>]*>/g, '')).toMatch(/&lt;Bars&gt;\s+none\s+0\s/);
    expect(page).toContain('<title id="chart-1">&lt;Bars&gt;</title>');
    expect(page).toContain('one &amp; only');
    expect(page).not.toMatch(/NaN|Infinity|undefined/);
  });
});

describe('the workbook of a report', () => {
  it('gives each table a sheet with a name that Excel accepts', async () => {
    const table = (title: string): Block => ({
      kind: 'table',
      title,
      columns: [
        { key: 'code', header: 'the code', kind: 'code' },
        { key: 'name', header: 'name' },
      ],
      rows: [{ code: '007', name: '=1+1' }],
      count: 1,
      most: undefined,
    });
    const file = join(await freshFolder(), 'report.xlsx');
    const blocks = [table('A/B: [c]?'), table('a b  c'), table('x'.repeat(60)), table("it's")];
    const record = {
      kind: 'record',
      value: {},
      document: async () => reportWith(...blocks),
    } as const;
    await rendered(record, { out: file }, { document: 'xlsx' });
    const sheets = await readXlsx(file);
    expect(sheets.map(({ sheet }) => sheet)).toEqual([
      'Summary',
      'A B c',
      'a b c (2)',
      'x'.repeat(31),
      'it s',
    ]);
    expect(sheets[1]!.data).toEqual([
      ['the code', 'name'],
      ['007', '=1+1'],
    ]);
  });
});
