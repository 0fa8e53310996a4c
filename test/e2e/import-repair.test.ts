import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HostileService, http, startHostile } from '../support/hostile-service.ts';
import { errorOf, freshWorld, type World } from '../support/run.ts';
import { workbook } from '../support/workbook.ts';

/** Rejects items whose name begins with BAD, and stores the others. */
let service: HostileService;
const items: { id: string; name: string; code: string; description?: string }[] = [];

beforeAll(async () => {
  service = await startHostile((socket, { method, line, body }) => {
    if (method === 'GET') {
      const query = new URL(line.split(' ')[1]!, 'http://x').searchParams;
      const from = Number(query.get('offset') ?? 0);
      const sorted = [...items].sort((a, b) => (a.code < b.code ? -1 : 1));
      const page = sorted.slice(from, from + Number(query.get('limit') ?? 100));
      socket.write(http(200, JSON.stringify(page)));
      return;
    }
    const item = JSON.parse(body);
    if (item.name.startsWith('BAD')) {
      socket.write(http(400, '{"message":"the name is bad"}'));
      return;
    }
    items.push({ id: `it-${items.length + 1}`, ...item });
    socket.write(http(201, JSON.stringify(items.at(-1))));
  });
});
afterAll(() => service.close());

async function world(): Promise<World> {
  items.length = 0;
  return freshWorld({ PROC_BASE_URL: service.baseUrl, PROC_API_KEY: 'k' });
}

const CSV = [
  'SKU;Nombre;Notas',
  '007;"BAD tornillo; grande";=1+1',
  "008;BAD;''=quoted",
  '009;Buena;x',
  '',
].join('\r\n');

const MAP = ['--map', 'code=SKU', '--map', 'name=Nombre', '--map', 'description=Notas'];

async function firstRun(here: World) {
  await here.file('cat.csv', CSV);
  const ran = await here.run(['items', 'import', 'cat.csv', ...MAP, '--yes']);
  expect(ran, ran.stderr).toMatchObject({ exitCode: 8 });
  const summary = JSON.parse(ran.stdout);
  return { run: summary.run as string, rejected: await readFile(summary.rejectedFile, 'utf8') };
}

describe('a file of rejected rows', () => {
  it('is written in the format of the source, without formulas, and can be repaired', async () => {
    const here = await world();
    const { run, rejected } = await firstRun(here);
    expect(rejected).toBe(
      [
        'SKU;Nombre;Notas;_run;_row;_reason;_status',
        `007;"BAD tornillo; grande";'=1+1;${run};1;the name is bad;400`,
        `008;BAD;''=quoted;${run};2;the name is bad;400`,
        '',
      ].join('\r\n'),
    );
    await here.file('fixed.csv', rejected.replaceAll('BAD', 'Good'));
    const ran = await here.run(['items', 'import', 'fixed.csv', '--yes']);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(ran.stdout)).toMatchObject({ rows: 2, created: 2, rejected: 0 });
    expect(items.slice(1)).toMatchObject([
      { code: '007', name: 'Good tornillo; grande', description: '=1+1' },
      { code: '008', name: 'Good', description: "'=quoted" },
    ]);
    const shown = JSON.parse((await here.run(['imports', 'show', run])).stdout);
    expect(shown).toMatchObject({ rows: 3, created: 3, rejected: 0, repaired: 2 });

    const again = await here.run(['items', 'import', 'fixed.csv', '--yes']);
    expect(JSON.parse(again.stdout)).toMatchObject({ created: 0, existing: 2 });
  });

  it('that fails again refers to the first run', async () => {
    const here = await world();
    const { run, rejected } = await firstRun(here);
    await here.file('fixed.csv', rejected.replace(';BAD;', ';Good;'));
    const second = await here.run(['items', 'import', 'fixed.csv', '--yes']);
    expect(second.exitCode).toBe(8);
    const { rejectedFile } = JSON.parse(second.stdout);
    const left = await readFile(rejectedFile, 'utf8');
    expect(left.split('\r\n')).toHaveLength(3);
    await writeFile(rejectedFile, left.replace('BAD', 'Good'));
    const third = await here.run(['items', 'import', rejectedFile, '--yes']);
    expect(third, third.stderr).toMatchObject({ exitCode: 0 });
    const shown = JSON.parse((await here.run(['imports', 'show', run])).stdout);
    expect(shown).toMatchObject({ created: 3, rejected: 0, repaired: 2 });
  });

  it.each([
    [';_row;', ';row;', 'has no column _row'],
    [';_row;', ';_row_;', 'has no column _row'],
    ['_run;', 'the run;', 'has no column _run'],
  ])('is refused if one of its columns is missing: %s %s', async (from, to, said) => {
    const here = await world();
    const { rejected } = await firstRun(here);
    await here.file('fixed.csv', rejected.replace(from, to).replaceAll('BAD', 'Good'));
    const ran = await here.run(['items', 'import', 'fixed.csv', ...MAP, '--yes']);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 2 });
    expect(errorOf(ran).message).toContain(`fixed.csv contains rejected rows but ${said}`);
    expect(items).toHaveLength(1);
  });

  it('accepts its columns in any case, and does not need the reasons', async () => {
    const here = await world();
    const { run, rejected } = await firstRun(here);
    const text = rejected
      .replace('_run;_row;_reason;_status', '_RUN;_Row')
      .replaceAll(';the name is bad;400', '')
      .replaceAll('BAD', 'Good');
    await here.file('changed.csv', text.replace('007', '7'));
    const changed = await here.run(['items', 'import', 'changed.csv', '--yes']);
    expect(errorOf(changed).message).toContain('row 1: 007 → 7');
    await here.file('fixed.csv', text);
    const ran = await here.run(['items', 'import', 'fixed.csv', '--yes']);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    const shown = JSON.parse((await here.run(['imports', 'show', run])).stdout);
    expect(shown).toMatchObject({ created: 3, rejected: 0, repaired: 2 });
  });

  it.each([
    ['rejected before they were sent', 'amount', 'none', '5'],
    ['refused by the service', 'account', 'BAD', 'ok'],
  ])('counts %s as existing without a list too', async (_, column, bad, good) => {
    const sent: unknown[] = [];
    await using books = await startHostile((socket, { body }) => {
      sent.push(body);
      const isBad = body.includes('BAD');
      socket.write(isBad ? http(400, '{"message":"no"}') : http(201, `{"id":"im-${sent.length}"}`));
    });
    const here = await freshWorld({ PROC_BASE_URL: books.baseUrl, PROC_API_KEY: 'k' });
    const other = column === 'amount' ? 'account' : 'amount';
    await here.file('a.csv', `reference,${other},${column}\nR-1,3,4\nR-2,7,${bad}\n`);
    const options = ['--set', 'contractId=k-1', '--yes'];
    const first = await here.run(['imputations', 'import', 'a.csv', ...options]);
    expect(first.exitCode, first.stderr).toBe(8);
    const rejected = await readFile(JSON.parse(first.stdout).rejectedFile, 'utf8');
    await here.file('fixed.csv', rejected.replace(bad, good));
    const fixed = await here.run(['imputations', 'import', 'fixed.csv', ...options]);
    expect(fixed, fixed.stderr).toMatchObject({ exitCode: 0 });
    const before = sent.length;
    const again = await here.run([
      'imputations',
      'import',
      'a.csv',
      ...options,
      '--on-sent',
      'skip',
    ]);
    expect(again, again.stderr).toMatchObject({ exitCode: 0 });
    const summary = JSON.parse(again.stdout);
    expect(summary).toMatchObject({ rows: 2, existing: 2, created: 0, rejected: 0 });
    expect(sent).toHaveLength(before);
    const rows = await here.run(['imports', 'rows', summary.run, '-o', 'json']);
    const { run } = JSON.parse(fixed.stdout);
    expect(JSON.parse(rows.stdout)[1]).toMatchObject({ reason: `already sent by run ${run}` });
  });

  it('takes back changed codes with --restore-codes', async () => {
    const here = await world();
    const { rejected } = await firstRun(here);
    await here.file('fixed.csv', rejected.replaceAll('BAD', 'Good').replace('007', '7'));
    const ran = await here.run(['items', 'import', 'fixed.csv', '--yes', '--restore-codes']);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect(items.map(({ code }) => code)).toEqual(['009', '007', '008']);
  });

  it('keeps the encoding of its source, which proc asks for only once', async () => {
    const here = await world();
    await here.file('my old.csv', Buffer.from('code,name\nA-1,BAD ca\xf1o \x80\n', 'latin1'));
    const asked = await here.run(['items', 'import', 'my old.csv', '--yes', '--rate', '50/s']);
    expect(asked.exitCode).toBe(2);
    const { message, hint } = errorOf(asked);
    expect(message).toContain('As Windows-1252, line 2 reads: A-1,BAD caño €');
    const [, line] = /: proc (items .*)$/.exec(hint!) ?? [];
    const ran = await here.shell(`"$NODE" "$PROC" ${line}`);
    expect(ran.exitCode, ran.stderr).toBe(8);
    const bytes = await readFile(join(here.cwd, 'my old.rejected.csv'));
    expect(bytes.toString('latin1')).toContain('A-1,BAD ca\xf1o \x80,');

    const fixed = bytes.toString('latin1').replace('BAD', 'Un');
    await here.file('fixed.csv', Buffer.from(fixed, 'latin1'));
    const repaired = await here.run(['items', 'import', 'fixed.csv', '--yes']);
    expect(repaired, repaired.stderr).toMatchObject({ exitCode: 0 });
    expect(items.at(-1)).toMatchObject({ code: 'A-1', name: 'Un caño €' });
    // A spreadsheet may save the file as UTF-8.
    items.length = 0;
    await here.file('fixed2.csv', fixed.replace('ca\xf1o \x80', 'caño €'));
    const goneThere = ['--allow', 'unverified'];
    const again = await here.run(['items', 'import', 'fixed2.csv', '--yes', ...goneThere]);
    expect(again, again.stderr).toMatchObject({ exitCode: 0 });
    expect(items.at(-1)).toMatchObject({ name: 'Un caño €' });
  });

  it('keeps the decimal separator of its source', async () => {
    const sent: { amount: number; reference: string }[] = [];
    await using books = await startHostile((socket, { body }) => {
      const row = JSON.parse(body);
      sent.push(row);
      const isBad = row.reference.startsWith('BAD');
      socket.write(isBad ? http(400, '{"message":"no"}') : http(201, `{"id":"im-${sent.length}"}`));
    });
    const here = await freshWorld({ PROC_BASE_URL: books.baseUrl, PROC_API_KEY: 'k' });
    await here.file('a.csv', 'reference;amount\nBAD-1;1.000\nBAD-2;1.234,50\n');
    const first = await here.run([
      'imputations',
      'import',
      'a.csv',
      '--set',
      'contractId=k-1',
      '--yes',
      '--decimal',
      ',',
    ]);
    expect(first.exitCode, first.stderr).toBe(8);
    const text = await readFile(join(here.cwd, 'a.rejected.csv'), 'utf8');
    expect(text).toContain('BAD-1;1.000;');
    await here.file('fixed.csv', text.replaceAll('BAD', 'R'));
    const changed = await here.run([
      'imputations',
      'import',
      'fixed.csv',
      '--set',
      'contractId=k-1',
      '--yes',
    ]);
    expect(changed.exitCode, 'a reference is a code: that it changed is asked').toBe(2);
    const fixed = await here.run([
      ...[
        'imputations',
        'import',
        'fixed.csv',
        '--set',
        'contractId=k-1',
        '--yes',
        '--allow',
        'changed-codes',
      ],
    ]);
    expect(fixed, fixed.stderr).toMatchObject({ exitCode: 0 });
    expect(sent.slice(2)).toMatchObject([
      { reference: 'R-1', amount: 1000 },
      { reference: 'R-2', amount: 1234.5 },
    ]);
  });

  it('may come back as a workbook', async () => {
    const here = await world();
    const { run, rejected } = await firstRun(here);
    const [header = '', ...lines] = rejected.trim().split('\r\n');
    const cells = lines.map((line) => line.replace(/"(.*);(.*)"/, '$1,$2').split(';'));
    const saved = (code: (text: string) => string | number) =>
      workbook({
        Sheet1: [
          header.split(';'),
          ...cells.map(([sku = '', name = '', notes = '', mark = '', row, ...rest]) => [
            ...[code(sku), name.replace('BAD', 'Good'), notes, mark, Number(row)],
            ...rest,
          ]),
        ],
      });
    await here.file('numbers.xlsx', saved(Number));
    const changed = await here.run(['items', 'import', 'numbers.xlsx', '--yes']);
    expect(changed.exitCode).toBe(2);
    expect(errorOf(changed).message).toContain('row 1: 007 → 7');
    await here.file('fixed.xlsx', saved(String));
    const ran = await here.run(['items', 'import', 'fixed.xlsx', '--yes']);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect(items.slice(1)).toMatchObject([
      { code: '007', name: 'Good tornillo, grande', description: '=1+1' },
      { code: '008', name: 'Good', description: "'=quoted" },
    ]);
    const shown = JSON.parse((await here.run(['imports', 'show', run])).stdout);
    expect(shown).toMatchObject({ created: 3, rejected: 0, repaired: 2 });
  });

  it('keeps the structure of JSON and the digits of its numbers', async () => {
    const here = await world();
    await here.file(
      'in.json',
      '{"data":{"products":[{"code":"A","name":"BAD","price":1.10},{"code":"B","name":"b","price":2}]}}',
    );
    const ran = await here.run(['items', 'import', 'in.json', '--path', 'data.products', '--yes']);
    expect(ran.exitCode, ran.stderr).toBe(8);
    const text = await readFile(join(here.cwd, 'in.rejected.json'), 'utf8');
    expect(text).toContain('"price":1.10');
    const fixed = text.replace('BAD', 'fine');
    expect(JSON.parse(fixed).data.products).toMatchObject([{ code: 'A', name: 'fine', _row: 1 }]);
    await here.file('fixed.json', fixed);
    const repaired = await here.run([
      'items',
      'import',
      'fixed.json',
      '--yes',
      '--path',
      'data.products',
    ]);
    expect(repaired, repaired.stderr).toMatchObject({ exitCode: 0 });
  });

  it('is not overwritten after the user changed it', async () => {
    const here = await world();
    const { run, rejected } = await firstRun(here);
    const file = join(here.cwd, 'cat.rejected.csv');
    await writeFile(file, rejected.replace('BAD', 'Good'));
    await here.run(['imports', 'resume', run]);
    expect(await readFile(file, 'utf8')).toContain('Good');
  });

  it('is not overwritten by another run, and neither is the source', async () => {
    const here = await world();
    const { rejected } = await firstRun(here);
    const file = join(here.cwd, 'cat.rejected.csv');
    const importing = (source: string, to: string) =>
      here.run(['items', 'import', source, ...MAP, '--yes', '--rejected', to]);
    const repaired = rejected.replace('BAD', 'Worked on');
    await writeFile(file, repaired);
    const second = await importing('cat.csv', 'cat.rejected.csv');
    expect(second, second.stderr).toMatchObject({ exitCode: 8 });
    const { run, rejectedFile } = JSON.parse(second.stdout);
    expect(await readFile(file, 'utf8')).toBe(repaired);
    expect(rejectedFile).toBe(join(here.cwd, `cat.rejected-${run}.csv`));
    expect(second.stderr).toContain(`the rejected rows are in ${rejectedFile}, because `);
    const shown = await here.run(['imports', 'show', run]);
    expect(JSON.parse(shown.stdout).rejectedFile).toBe(rejectedFile);
    // proc replaces a file that nobody changed: a nightly job may name the same file each time.
    const third = await importing('cat.csv', rejectedFile);
    expect(JSON.parse(third.stdout).rejectedFile).toBe(rejectedFile);
    expect(await readFile(rejectedFile, 'utf8')).toContain(JSON.parse(third.stdout).run);
    const itself = await importing('cat.csv', 'cat.csv');
    expect(JSON.parse(itself.stdout).rejectedFile).not.toBe(join(here.cwd, 'cat.csv'));
    expect(await readFile(join(here.cwd, 'cat.csv'), 'utf8')).toBe(CSV);
  });
});
