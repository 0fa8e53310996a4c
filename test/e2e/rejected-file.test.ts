import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { typeInto } from '../support/edit-workbook.ts';
import { http, startHostile } from '../support/hostile-service.ts';
import { assumeFirstRuns } from '../support/in-process.ts';
import { errorOf, freshWorld, type Ran } from '../support/run.ts';
import { loggedSandbox } from '../support/service.ts';
import { until } from '../support/until.ts';
import { workbook } from '../support/workbook.ts';
import { itemService } from './import-service.ts';

assumeFirstRuns();

const sandbox = await loggedSandbox();

const { sql } = sandbox;

const summaryOf = (ran: Ran) => JSON.parse(ran.stdout) as Record<string, number & string>;

async function replaceIn(file: string, from: string, to: string): Promise<void> {
  const text = await readFile(file, 'utf8');
  expect(text).toContain(from);
  await writeFile(file, text.replace(from, to));
}

/** Invoices of which the second is wrong, and what it takes to read and to correct them. */
const FILES = [
  {
    name: 'comma.csv',
    content: (n: string) =>
      Buffer.from(`Invoice;Ledger;Sum;Text\n${n}1;6100;1,25;ñ\n${n}2;6100;n/a;"ñ;c"\n`, 'latin1'),
    flags: ['--decimal', ',', '--map', 'notes=Text', '--encoding', 'windows-1252'],
    correct: (file: string) => replaceIn(file, 'n/a', '2.5'),
  },
  {
    name: 'headed.csv',
    content: (n: string) =>
      `Invoices of March\n\nInvoice~Ledger~Sum~Text\n${n}1~6100~1.25~a\n${n}2~6100~n/a~=b, c\n`,
    flags: ['--delimiter', '~', '--header-row', '3', '--map', 'notes={Text} ({Invoice})'],
    correct: (file: string) => replaceIn(file, 'n/a', '2.5'),
  },
  {
    name: 'inside.json',
    content: (n: string) =>
      JSON.stringify({
        data: {
          rows: [
            { Invoice: `${n}1`, Ledger: '6100', Sum: 1.25, Text: 'a' },
            { Invoice: `${n}2`, Ledger: '6100', Sum: 'n/a', Text: { de: 'b' } },
          ],
        },
      }),
    flags: ['--path', 'data.rows', '--map', 'notes=Text.de'],
    correct: (file: string) => replaceIn(file, '"n/a"', '2.5'),
  },
  {
    name: 'lines.ndjson',
    content: (n: string) =>
      `{"Invoice":"${n}1","Ledger":"6100","Sum":1.25}\n{"Invoice":"${n}2","Ledger":"6100","Sum":"n/a"}\n`,
    flags: ['--set', 'notes=rent'],
    correct: (file: string) => replaceIn(file, '"n/a"', '2.5'),
  },
  {
    name: 'book.xlsx',
    content: (n: string) =>
      workbook({
        Notes: [['x']],
        Sheet1: [
          ['Invoices of March'],
          ['Invoice', 'Ledger', 'Sum', 'Text'],
          [`${n}1`, 6100, 1.25, 'a'],
          [`${n}2`, 6100, 'n/a', '=b'],
        ],
      }),
    flags: ['--sheet', 'Sheet1', '--header-row', '2', '--map', 'notes=Text'],
    correct: (file: string) => typeInto(file, { C2: 2.5 }),
  },
];

describe('the file of rejected rows', () => {
  it.each(FILES)('of $name imports as it is, once it is corrected', async (source) => {
    const world = await freshWorld(sandbox.target);
    const n = source.name.slice(0, 2);
    await world.file(source.name, source.content(n));
    const maps = ['reference=Invoice', 'account=Ledger', 'amount=Sum'];
    // A saved map has all that it takes to read and to map the file.
    const saved = await world.run([
      ...['imputations', 'import', source.name, '--dry-run', '--set', 'contractId=k-1'],
      ...[...maps.flatMap((map) => ['--map', map]), ...source.flags, '--save-map', 'm.json'],
    ]);
    expect(saved, saved.stderr).toMatchObject({ exitCode: 8 });
    const ran = await world.run([
      'imputations',
      'import',
      source.name,
      '--map-file',
      'm.json',
      '--yes',
    ]);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 8 });
    const { rejectedFile, next } = JSON.parse(ran.stdout);
    expect(basename(rejectedFile)).toBe(source.name.replace('.', '.rejected.'));
    expect(next).toMatchObject([{ command: `proc imputations import ${rejectedFile}` }]);

    const again = ['imputations', 'import', rejectedFile, '--yes'];
    const wrong = await world.run([...again, '--dry-run']);
    expect(wrong, wrong.stderr).toMatchObject({ exitCode: 8 });
    await source.correct(rejectedFile);
    const right = await world.run(again);
    expect(right, right.stderr).toMatchObject({ exitCode: 0 });
    expect(summaryOf(right)).toMatchObject({ rows: 1, created: 1 });
    const known = await world.run(again);
    expect(known, known.stderr).toMatchObject({ exitCode: 0 });
    expect(summaryOf(known)).toMatchObject({ rows: 1, created: 0, sentBefore: 1 });
    const stored = sql(
      `SELECT reference, account, amount, contractId FROM imputations WHERE reference LIKE '${n}%' ORDER BY reference`,
    );
    expect(stored).toEqual([
      { reference: `${n}1`, account: '6100', amount: 1.25, contractId: 'k-1' },
      { reference: `${n}2`, account: '6100', amount: 2.5, contractId: 'k-1' },
    ]);
  });

  it('of grouped rows has all rows of a rejected requisition, and the printed command imports them', async () => {
    const world = await freshWorld(sandbox.target);
    await world.file('l.csv', 'Req No,Part,Qty\nR-1,Bolt,2\nR-1,Nut,many\nR-2,Washer,3\n');
    const ran = await world.run([
      ...['requisition', 'import', 'l.csv', '--group-by', 'Req No', '--map', 'title=Req No'],
      ...['--map', 'item.name=Part', '--map', 'quantity=Qty'],
      ...['--set', 'group.deliveryMethod=pickup', '--yes'],
    ]);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 8 });
    const { rejectedFile, next } = JSON.parse(ran.stdout);
    // The reason is on the row that is wrong.
    expect((await readFile(rejectedFile, 'utf8')).split('\n')).toEqual([
      '_group,title,item.name,quantity,group.deliveryMethod,_row,_reason',
      'R-1,R-1,Bolt,2,pickup,1,',
      expect.stringMatching(/^R-1,R-1,Nut,many,pickup,2,"row 2, line 3, column ""Qty""/),
      '',
    ]);
    await replaceIn(rejectedFile, 'many', '4');
    const again = await world.shell(`"$NODE" "$PROC" ${next[0].command.slice(5)} --yes`);
    expect(again, again.stderr).toMatchObject({ exitCode: 0 });
    expect(summaryOf(again)).toMatchObject({ rows: 1, created: 1 });
  });
});

it('a number that only --decimal rejects is not in the file, which is imported without this flag', async () => {
  const world = await freshWorld(sandbox.target);
  await world.file(
    'marks.csv',
    'reference;account;amount;contractId\nP-1;1;12.34;k-1\nP-2;1;EUR 0.125;k-1\nP-3;1;(12.34);k-1\nP-4;1;n/a;k-1\n',
  );
  const ran = await world.run(['imputations', 'import', 'marks.csv', '--decimal', ',', '--yes']);
  expect(ran, ran.stderr).toMatchObject({ exitCode: 8 });
  const { rejectedFile } = summaryOf(ran);
  const text = await readFile(rejectedFile!, 'utf8');
  expect(text).toMatch(/^P-1;1;;.*12\.34/m);
  expect(text).toMatch(/^P-4;1;n\/a;/m);
  const again = await world.run(['imputations', 'import', rejectedFile!, '--yes', '--first-run']);
  expect(again, again.stderr).toMatchObject({ exitCode: 8 });
  expect(summaryOf(again)).toMatchObject({ created: 0, rejected: 4 });
});

const CSV = 'reference,account,amount,contractId\n';

describe('where it is', () => {
  it('beside the source, or here for standard input; none after a dry run', async () => {
    const world = await freshWorld(sandbox.target);
    const input = `${CSV}S-1,6100,x,k-1\n`;
    const dry = await world.run(['imputations', 'import', '-', '--dry-run'], { input });
    expect(dry, dry.stderr).toMatchObject({ exitCode: 8 });
    expect(await readdir(world.cwd)).toEqual([]);
    const ran = await world.run(['imputations', 'import', '-', '--yes'], { input });
    expect(ran, ran.stderr).toMatchObject({ exitCode: 8 });
    expect(await readdir(world.cwd)).toEqual(['import.rejected.csv']);
    // Nobody knows that the next input has the same rows.
    const first = await readFile(join(world.cwd, 'import.rejected.csv'), 'utf8');
    const other = { input: input.replace('S-1', 'S-2') };
    const next = await world.run(['imputations', 'import', '-', '--yes', '--first-run'], other);
    expect(next, next.stderr).toMatchObject({ exitCode: 8 });
    expect(summaryOf(next).rejectedFile).toMatch(/import\.rejected-\d{8}-\d{6}-\w{6}\.csv$/);
    expect(await readFile(join(world.cwd, 'import.rejected.csv'), 'utf8')).toBe(first);
  });

  it('never where another file is, and not where a person has changed it; else it is written anew', async () => {
    const world = await freshWorld(sandbox.target);
    const rejectedOf = async (file: string, ...flags: string[]) => {
      const ran = await world.run(['imputations', 'import', file, '--yes', '--again', ...flags]);
      expect(ran, ran.stderr).toMatchObject({ exitCode: 8 });
      return basename(summaryOf(ran).rejectedFile!);
    };
    const own = 'a.rejected.csv';
    // Nothing is sent, so no run is kept.
    await world.file('a.csv', `${CSV}A-2,6100,x,k-1\n`);
    expect(await rejectedOf('a.csv')).toBe(own);
    await world.file('a.csv', `${CSV}A-1,6100,1,k-1\nA-2,6100,x,k-1\n`);
    expect(await rejectedOf('a.csv', '--first-run')).toBe(own);
    expect(await rejectedOf('a.csv')).toBe(own);
    await replaceIn(join(world.cwd, own), 'x', 'y');
    expect(await rejectedOf('a.csv')).toMatch(/^a\.rejected-\d{8}-\d{6}-\w{6}\.csv$/);
    // The second round: what is still wrong stays in the file that was imported.
    await replaceIn(join(world.cwd, own), '\n', '\nA-3,6100,3,k-1,,\n');
    expect(await rejectedOf(own)).toBe(own);
    expect(await readFile(join(world.cwd, own), 'utf8')).not.toContain('A-3');
    // A person's own file may have such a name.
    await world.file('b.rejected.csv', `${CSV}B-1,6100,1,k-1\nB-2,6100,x,k-1\n`);
    expect(await rejectedOf('b.rejected.csv')).toMatch(/^b\.rejected-\d{8}-/);

    await world.file('mine.csv', 'mine');
    expect(await rejectedOf('a.csv', '--rejected', 'mine.csv')).toMatch(/^mine-\d{8}-/);
    expect(await readFile(join(world.cwd, 'mine.csv'), 'utf8')).toBe('mine');
  });

  it('a cell cannot hold what JSON can: refused before anything is sent', async () => {
    const world = await freshWorld(sandbox.target);
    await world.file(
      'g.ndjson',
      '{"reference":"G-1","account":"1","amount":"x","contractId":"k"}\n',
    );
    const ran = await world.run([
      ...['imputations', 'import', 'g.ndjson', '--rejected', 'g.xlsx', '--yes'],
    ]);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(errorOf(ran)).toMatchObject({ hint: 'Use e.g. --rejected rejected.json' });
    expect(await readdir(world.cwd)).toEqual(['g.ndjson']);
  });
});

describe('a file that a command is to write', () => {
  const ROWS = `${CSV}W-1,6100,1,k-1\nW-2,6100,x,k-1\n`;

  it.each([
    ['--results as the source', '--results ./w.csv --yes'],
    ['--results as the source, in a dry run', '--results w.csv --dry-run'],
    ['--save-map as the source', '--save-map w.csv --yes'],
    ['--results as --rejected', '--results x.csv --rejected ./x.csv --yes'],
    ['--results as the map', '--map-file m.json --results m.json --yes'],
    ['--results in no folder', '--results no/x.csv --yes', 'unwritable_output'],
    ['--rejected in no folder', '--rejected no/x.csv --yes', 'unwritable_output'],
    ['--save-map in no folder', '--save-map no/x.json --yes', 'unwritable_output'],
  ])('%s is refused before anything is read or sent', async (_, flags, code = 'invalid_usage') => {
    const world = await freshWorld(sandbox.target);
    const file = await world.file('w.csv', ROWS);
    await world.file('m.json', '{}');
    const sent = sandbox.requests.length;
    const ran = await world.run(['imputations', 'import', 'w.csv', ...flags.split(' ')]);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(errorOf(ran)).toMatchObject({ code });
    expect(ran.stderr).not.toContain('.tmp');
    expect(sandbox.requests).toHaveLength(sent);
    expect(await readFile(file, 'utf8')).toBe(ROWS);
    expect((await readdir(world.cwd)).sort()).toEqual(['m.json', 'w.csv']);
    expect(await readFile(join(world.cwd, 'm.json'), 'utf8')).toBe('{}');
  });
});

describe('rows that the service refuses', () => {
  it('are in the file of their import, and those of the import before are not', async () => {
    let refused = 'G-1';
    await using service = await itemService((code) =>
      code === refused ? { status: 422 } : undefined,
    );
    const world = await freshWorld(service.target);
    const imported = async (text: string) => {
      await world.file('g.csv', `code,name\n${text}`);
      const ran = await world.run(['items', 'import', 'g.csv', '--yes']);
      expect(ran, ran.stderr).toMatchObject({ exitCode: 8 });
      return (await readFile(summaryOf(ran).rejectedFile!, 'utf8')).split('\n').slice(1, -1);
    };
    expect(await imported('G-1,one\nG-2,two\n')).toEqual([expect.stringMatching(/^G-1,one,1,/)]);
    refused = 'G-3';
    expect(await imported('G-3,three\nG-4,four\n')).toEqual([
      expect.stringMatching(/^G-3,three,1,/),
    ]);
    // A person corrects it: it is theirs, and stays.
    await replaceIn(join(world.cwd, 'g.rejected.csv'), 'three', 'corrected');
    refused = 'G-5';
    expect(await imported('G-5,five\n')).toEqual([expect.stringMatching(/^G-5,five,1,/)]);
    expect(await readFile(join(world.cwd, 'g.rejected.csv'), 'utf8')).toContain('corrected');
  });

  it('are in a file of their own after a resume, and what a person has corrected stays', async () => {
    let isSlow = true;
    const sent: string[] = [];
    const items: object[] = [];
    await using service = await startHostile((socket, { method, line, body }) => {
      if (method === 'GET') {
        const offset = Number(/offset=(\d+)/.exec(line)?.[1] ?? 0);
        socket.write(http(200, JSON.stringify(items.slice(offset))));
        return;
      }
      const item = JSON.parse(body) as { code: string };
      sent.push(item.code);
      if (isSlow && item.code === 'C-3') return;
      if (item.code === 'C-2' || item.code === 'C-4') socket.write(http(422, '{"message":"no"}'));
      else {
        items.push({ id: `i-${item.code}`, ...item });
        socket.write(http(201, JSON.stringify(items.at(-1))));
      }
    });
    const world = await freshWorld({ PROC_BASE_URL: service.baseUrl, PROC_API_KEY: 'k' });
    const codes = ['C-1', 'C-2', 'C-3', 'C-4'];
    await world.file('c.csv', `code,name\n,Nameless\n${codes.map((one) => `${one},x\n`).join('')}`);
    const args = ['items', 'import', 'c.csv', '--yes', 'PROC_CONCURRENCY=1'];
    const running = world.start(args);
    await until(() => sent.includes('C-3'));
    const file = join(world.cwd, 'c.rejected.csv');
    await replaceIn(file, 'Nameless', 'Corrected');
    running.kill('SIGKILL');
    await running;
    isSlow = false;
    const resumed = await world.run(['imports', 'resume', '--yes', 'PROC_SETTLE=1ms']);
    expect(resumed, resumed.stderr).toMatchObject({ exitCode: 8 });
    const { rejected, rejectedFile, next } = JSON.parse(resumed.stdout);
    expect(rejected).toBe(3);
    const codesIn = async (path: string) =>
      (await readFile(path, 'utf8')).split('\n').map((line) => line.split(',')[0]);
    expect(await codesIn(rejectedFile)).toEqual(['code', 'C-2', 'C-4', '']);
    expect(await readFile(file, 'utf8')).toContain('Corrected');
    expect(next.map(({ command }: { command: string }) => command)).toEqual(
      [file, rejectedFile].map((path) => `proc items import ${path}`),
    );
    const shown = await world.run(['imports', 'show']);
    expect(JSON.parse(shown.stdout)).toMatchObject({ rejectedFile, next });
    // E.g. on another machine, which does not have the file of the plan.
    await rename(file, join(world.cwd, 'elsewhere.csv'));
    const left = await world.run(['imports', 'resume', 'last']);
    expect(JSON.parse(left.stdout).next, left.stderr).toMatchObject([{ command: next[1].command }]);
    await rename(join(world.cwd, 'elsewhere.csv'), file);
    const again = await world.run(args);
    expect(again, again.stderr).toMatchObject({ exitCode: 8 });
    expect(summaryOf(again).rejectedFile).toMatch(/c\.rejected-[^/]*$/);
    expect(await readFile(file, 'utf8')).toContain('Corrected');
  });
});

it('a run whose file of rejected rows another one has replaced names neither that file nor a list without rows', async () => {
  const world = await freshWorld(sandbox.target);
  const row = (reference: string, amount: string) => `${reference},6100,${amount},k-1\n`;
  const head = 'reference,account,amount,contractId\n';
  await world.file('a.csv', head + row('gone-1', '1') + row('gone-2', 'x'));
  const first = summaryOf(await world.run(['imputations', 'import', 'a.csv', '--yes']));
  const page = async () => (await world.run(['imports', 'report', first.run!])).stdout;
  expect(await page()).toContain('a.rejected.csv');
  await world.file('a.csv', head + row('gone-3', '3') + row('gone-4', 'y'));
  expect(await world.run(['imputations', 'import', 'a.csv', '--yes'])).toMatchObject({
    exitCode: 8,
  });
  const shown = summaryOf(await world.run(['imports', 'show', first.run!]));
  expect(shown).toMatchObject({ rejected: 1, next: [] });
  expect(await page()).not.toContain('a.rejected.csv');
  const resumed = errorOf(await world.run(['imports', 'resume', first.run!, '--yes']));
  expect(resumed).toMatchObject({ code: 'rows_rejected', exitCode: 8 });
  expect(resumed.hint).not.toContain('imports rows');
});
