import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { workbookParts } from '../support/edit-workbook.ts';
import { errorOf, freshWorld } from '../support/run.ts';
import { type LoggedSandbox, loggedSandbox } from '../support/service.ts';
import { workbook, zip } from '../support/workbook.ts';
import { itemService, rowsOf } from './import-service.ts';

let sandbox: LoggedSandbox;
beforeAll(async () => {
  sandbox = await loggedSandbox({ empty: true });
});
afterAll(() => sandbox.close());

const HEAD = ['code', 'name'];

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

async function imported(book: Buffer, ...flags: string[]) {
  const world = await freshWorld(sandbox.target);
  await world.file('book.xlsx', book);
  return world.run(['items', 'import', 'book.xlsx', '--dry-run', ...flags]);
}
const codes = ({ stdout }: { readonly stdout: string }) =>
  (JSON.parse(stdout).samples.rows as { values: { code: string } }[]).map(
    ({ values }) => values.code,
  );

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
      message: expect.stringContaining(
        'its cell A2 contains a formula whose result is empty or not saved',
      ),
    });
  });

  it('does not matter in a column that is not sent', async () => {
    const ran = await imported(await book('C2'));
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect(codes(ran)).toEqual(['A-1']);
  });
});

it('--max-rejected stops an import once proc and the service together rejected more', async () => {
  await using service = await itemService((body) =>
    /"R-[1-6]"/.test(JSON.stringify(body)) ? { status: 400 } : undefined,
  );
  const world = await freshWorld({ PROC_BASE_URL: service.baseUrl, PROC_API_KEY: 'k' });
  const rows = Array.from({ length: 60 }, (_, n) => `R-${n}`);
  await world.file('a.csv', `${rowsOf(rows)},Bad\n`);
  const flags = ['--yes', '--max-rejected', '3', 'PROC_CONCURRENCY=1'];
  const ran = await world.run(['items', 'import', 'a.csv', ...flags]);
  expect(ran, ran.stderr).toMatchObject({ exitCode: 10 });
  expect(JSON.parse(ran.stdout)).toMatchObject({ rejected: 4 });
});
