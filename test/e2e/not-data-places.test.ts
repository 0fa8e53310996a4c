import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { workbookParts } from '../support/edit-workbook.ts';
import { errorOf, freshWorld, jsonLines } from '../support/run.ts';
import { type LoggedSandbox, loggedSandbox } from '../support/service.ts';
import { workbook, zip } from '../support/workbook.ts';
import { itemService, rowsOf } from './import-service.ts';

let sandbox: LoggedSandbox;
beforeAll(async () => {
  sandbox = await loggedSandbox({ empty: true });
});
afterAll(() => sandbox.close());

const HEAD = ['code', 'name'];
const sheets = (extra: Record<string, (string | number)[][]> = {}) => ({
  Old: [HEAD, ['X-1', 'Hidden']],
  Data: [HEAD, ['A-1', 'Bolt']],
  ...extra,
});

/** The workbook with one of its parts changed. */
async function edited(
  book: Buffer,
  part: string,
  change: (xml: string) => string,
): Promise<Buffer> {
  const { file } = await freshWorld(sandbox.target);
  const parts = await workbookParts(await file('book.xlsx', book));
  const xml = change(parts[part]!);
  expect(xml).not.toBe(parts[part]);
  return zip({ ...parts, [part]: xml });
}

const hide = (name: string, book: Buffer) =>
  edited(book, 'xl/workbook.xml', (xml) =>
    xml.replace(`<sheet name="${name}"`, `<sheet state="hidden" name="${name}"`),
  );

async function imported(book: Buffer, ...flags: string[]) {
  const world = await freshWorld(sandbox.target);
  await world.file('book.xlsx', book);
  return world.run(['items', 'import', 'book.xlsx', '--dry-run', ...flags]);
}
const notices = (stderr: string) => jsonLines(stderr).flatMap(({ notice }) => notice ?? []);
const codes = ({ stdout }: { readonly stdout: string }) =>
  (JSON.parse(stdout).samples.create as { code: string }[]).map(({ code }) => code);

describe('the sheets of a workbook', () => {
  it('are read from the first visible one, and the others are named', async () => {
    const other = { Notes: [['Author'], ['me']] };
    const ran = await imported(await hide('Old', workbook(sheets(other))));
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect(codes(ran)).toEqual(['A-1']);
    expect(notices(ran.stderr).join()).toContain(
      'Read the sheet Data of book.xlsx. Not read: Old (hidden), Notes (--sheet NAME)',
    );
  });

  it('with the same columns are refused, unless one or all are chosen', async () => {
    const book = workbook(sheets());
    const refused = await imported(book);
    expect(errorOf(refused)).toMatchObject({
      exitCode: 2,
      message: '2 sheets of book.xlsx have the same columns: Old, Data',
      hint: expect.stringContaining("--sheet '*'"),
    });
    expect(codes(await imported(book, '--sheet', 'Data'))).toEqual(['A-1']);
    const all = await imported(book, '--sheet', '*');
    expect(codes(all)).toEqual(['X-1', 'A-1']);
    expect(notices(all.stderr).join()).toContain('Old (lines 1 to 2), Data (lines 3 to 4)');
  });

  it('with the same columns in another order are read by their headers', async () => {
    const turned = {
      Turned: [
        ['name', 'code'],
        ['Nut', 'B-1'],
      ],
    };
    const ran = await imported(workbook({ Data: sheets().Data, ...turned }), '--sheet', '*');
    expect(codes(ran)).toEqual(['A-1', 'B-1']);
  });
});

describe('a formula without a saved result', () => {
  const book = (cell: string) =>
    edited(
      workbook({
        Data: [
          [...HEAD, 'price'],
          ['A-1', 'Bolt', 7],
        ],
      }),
      'xl/worksheets/sheet1.xml',
      (xml) =>
        xml.replace(new RegExp(`<c r="${cell}"[^>]*>.*?</c>`), `<c r="${cell}"><f>1+1</f></c>`),
    );

  it('refuses the workbook if its cell is mapped', async () => {
    const ran = await imported(await book('A2'));
    expect(errorOf(ran)).toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('its cell A2 contains a formula without a saved result'),
    });
  });

  it('does not matter in a column that is not sent', async () => {
    const ran = await imported(await book('C2'));
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect(codes(ran)).toEqual(['A-1']);
  });
});

describe('flags that other flags replace', () => {
  it.each([
    [['--unverified', 'create'], '--allow unverified'],
    [['--allow-nameless'], '--allow missing'],
    [['--settle', '5s'], '--tune settle=5s'],
    [['--fail-fast'], '--max-rejected 0'],
    [['--max-errors', '3'], '--max-rejected 3'],
    [['--no-code', 'send'], '--allow missing'],
    [['--allow', 'mising'], 'missing'],
    [['--tune', 'setle=5s'], 'settle'],
  ])('%j', async (flags, meant) => {
    const world = await freshWorld(sandbox.target);
    const ran = await world.run(['items', 'import', 'a.csv', ...flags]);
    expect(errorOf(ran)).toMatchObject({ exitCode: 2, hint: expect.stringContaining(meant) });
  });
});

it('--max-rejected stops an import once proc and the service together rejected more', async () => {
  await using service = await itemService((body) =>
    /"R-[1-6]"/.test(JSON.stringify(body)) ? { status: 400 } : undefined,
  );
  const world = await freshWorld({ PROC_BASE_URL: service.baseUrl, PROC_API_KEY: 'k' });
  const rows = Array.from({ length: 60 }, (_, n) => `R-${n}`);
  await world.file('a.csv', `${rowsOf(rows)}NULL,Bad\n`);
  const flags = ['--yes', '--max-rejected', '3', '--tune', 'concurrency=1'];
  const ran = await world.run(['items', 'import', 'a.csv', ...flags]);
  expect(ran, ran.stderr).toMatchObject({ exitCode: 10 });
  expect(JSON.parse(ran.stdout)).toMatchObject({ rejected: 4 });
});

describe('a single create', () => {
  it.each([
    [['items', 'create', '--name', 'N/A', '--code', '?'], 'seems to stand for a missing value'],
    [['imputations', 'create', '--reference', 'R-1', '--again'], 'the imputation has no amount'],
    [['imputations', 'create', '--amount', '0', '--again'], 'the amount is 0'],
    [['imputations', 'create', '--amount', '5', '--again'], 'neither order nor contract'],
    [['items', 'create', '--name', 'VÃ¡lvula', '--code', 'V-1'], 'garbled'],
  ])('%j warns and sends', async (args, says) => {
    const world = await freshWorld(sandbox.target);
    const ran = await world.run(args);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect(ran.stderr).toContain(says);
  });
});

describe('a proposed mapping', () => {
  const refused = async (noun: string, text: string) => {
    const world = await freshWorld(sandbox.target);
    await world.file('p.csv', text);
    return errorOf(await world.run([noun, 'import', 'p.csv', '--dry-run']));
  };

  it('uses German headers, and every column that a field knows', async () => {
    const { details } = await refused(
      'imputations',
      'Ref;Konto;Betrag;PO;Währung\nR;4010;1.5;P;EUR\n',
    );
    expect(details).toMatchObject({
      matched: {
        reference: 'Ref',
        account: 'Konto',
        amount: 'Betrag',
        order: 'PO',
        currency: 'Währung',
      },
    });
  });

  it('is none if it lacks what the noun needs: the column is asked for', async () => {
    const { message, hint } = await refused('imputations', 'Ref;Konto;PO\nR;4010;P\n');
    expect(message).toContain('matches the amount of an imputation');
    expect(hint).toContain('--map amount=COLUMN');
  });

  it('takes Material for the code beside its description', async () => {
    const text = 'Material;Material Description;Base Unit\nM-1;Bolt;EA\n';
    const { details } = await refused('items', text);
    expect(details).toMatchObject({
      matched: { code: 'Material', name: 'Material Description', unitOfMeasure: 'Base Unit' },
    });
  });

  it('groups by an identifier before a title', async () => {
    const text = 'PR No.,Title,Part,Qty\n17,Spare,Bolt,1\n18,Spare,Nut,2\n';
    const { hint } = await refused('requisition', text);
    expect(hint).toContain("--group-by 'PR No.'");
  });
});
