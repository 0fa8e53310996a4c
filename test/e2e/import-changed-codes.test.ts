import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { errorOf, freshWorld, type World } from '../support/run.ts';
import { loggedSandbox } from '../support/service.ts';
import { itemService } from './import-service.ts';

const UNREAD = [
  'code,name,unitOfMeasure',
  '00171,Broken "1",EA,one too many',
  '00172,Bolt, M8,EA',
  'Nut, M8,00173,EA',
  '',
].join('\n');

async function rejectedText(here: World, args: readonly string[]): Promise<string> {
  const ran = await here.run([...args, '--yes']);
  expect(ran, ran.stderr).toMatchObject({ exitCode: 8 });
  return readFile(JSON.parse(ran.stdout).rejectedFile, 'utf8');
}

describe('codes of unreadable rows', () => {
  it('are compared with the cells that could be read', async () => {
    await using service = await itemService(() => undefined);
    const here = await freshWorld(service.target);
    await here.file('cat.csv', UNREAD);
    const text = await rejectedText(here, ['items', 'import', 'cat.csv']);
    const [header, ...lines] = text.trim().split('\n');
    const repaired = (codes: readonly string[]) =>
      [
        header,
        ...lines.map((line, at) => {
          const [run] = /\d{8}-\d{6}-[0-9a-f]{4},\d/.exec(line)!;
          return `${codes[at]},Part ${at},EA,${run},,,`;
        }),
      ].join('\n');
    const refused = async (codes: readonly string[]) => {
      await here.file('fixed.csv', repaired(codes));
      const ran = await here.run(['items', 'import', 'fixed.csv', '--yes']);
      expect(ran, ran.stderr).toMatchObject({ exitCode: 2 });
      expect(service.items).toHaveLength(0);
      return errorOf(ran).message;
    };
    expect(await refused(['171', '00172', '00173'])).toContain(
      'the code of 1 row changed since the rejection: row 1: 00171 → 171.',
    );
    expect(await refused(['00172', '00171', '00173'])).toContain(
      'the codes of 2 rows changed since the rejection: row 1: 00171 → 00172; row 2: 00172 → 00171.',
    );
    // The last code was in the wrong column. The original text of its record shows the right cell.
    await here.file('fixed.csv', repaired(['00171', '00172', '00173']));
    const ran = await here.run(['items', 'import', 'fixed.csv', '--yes']);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect(service.items.map(({ code }) => code)).toEqual(['00171', '00172', '00173']);
  });
});

describe('codes of flat rows', () => {
  const FLAT = [
    'title,group.name,group.deliveryMethod,item.code,item.name,quantity',
    'R-1,g,pickup,CH-77,,none',
    'R-1,g,pickup,,Loose part,2',
    'R-1,g,pickup,CH-78,,5',
    '',
  ].join('\n');

  it('are compared line by line; a line without a code may stay without one', async () => {
    await using sandbox = await loggedSandbox();
    const here = await freshWorld(sandbox.target);
    for (const code of ['CH-77', 'CH-78']) {
      await here.run(['items', 'create', '--name', code, '--code', code, '--yes']);
    }
    await here.file('rows.csv', FLAT);
    const text = await rejectedText(here, [
      ...['requisition', 'import', 'rows.csv', '--group-by', 'title'],
    ]);
    const fixed = text.replace(',none,', ',3,');
    const importing = async (content: string) => {
      await here.file('fixed.csv', content);
      return here.run(['requisition', 'import', 'fixed.csv', '--yes']);
    };
    const emptied = await importing(text.replace('CH-78,,5', ',,5'));
    expect(errorOf(emptied).message).toContain('row 3: CH-78 → nothing');
    const swapped = await importing(
      fixed.replace('CH-77', 'X').replace('CH-78', 'CH-77').replace('X', 'CH-78'),
    );
    expect(swapped.exitCode).toBe(2);
    expect(errorOf(swapped).message).toContain(
      'the codes of 2 rows changed since the rejection: row 1: CH-77 → CH-78; row 3: CH-78 → CH-77.',
    );
    const [header, first, ...others] = fixed.trim().split('\n');
    const sorted = await importing([header, ...others, first].join('\n'));
    expect(errorOf(sorted).message).toContain('row 1: CH-77 → nothing');
    const added = await importing(`${fixed.trim()}\n${first!.replace('CH-77', 'CH-78')}\n`);
    expect(added, added.stderr).toMatchObject({ exitCode: 0 });
  });
});
