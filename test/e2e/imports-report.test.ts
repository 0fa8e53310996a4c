import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import readXlsx from 'read-excel-file/node';
import { describe, expect, it } from 'vitest';
import { accountName } from '../support/account.ts';
import { http, startHostile } from '../support/hostile-service.ts';
import { tablesIn, textOf } from '../support/page.ts';
import { errorOf, freshWorld, type World } from '../support/run.ts';
import { sharedShop } from '../support/shop.ts';

const shop = sharedShop();

const HOSTILE_NAME = '<script>alert(1)</script> | `x` & "y" =1+1 \u202e';

let runs = 0;

async function itemsRun(world: World): Promise<string> {
  const nth = ++runs;
  await world.file(
    'items.csv',
    [
      'code,name',
      `N-1/${nth},Nut`,
      'FR-R92B-58,HL Road Frame',
      `N-1/${nth},Nut`,
      `N-2/${nth},`,
      `N-3/${nth},`,
      ',Nameless',
      `H-1/${nth},"${HOSTILE_NAME.replaceAll('"', '""')}"`,
      '',
    ].join('\n'),
  );
  const ran = await world.run(['items', 'import', 'items.csv', '--yes']);
  expect(ran.exitCode, ran.stderr).toBe(8);
  return JSON.parse(ran.stdout).run;
}

async function written(world: World, run: string, file: string, ...flags: readonly string[]) {
  const ran = await world.run(['imports', 'report', run, '--out', file, ...flags]);
  expect([ran.exitCode, ran.stdout], ran.stderr).toEqual([0, '']);
  return readFile(join(world.cwd, file));
}

async function figures(world: World, run: string) {
  const ran = await world.run(['imports', 'report', run, '-o', 'json']);
  expect(ran.exitCode, ran.stderr).toBe(0);
  return JSON.parse(ran.stdout);
}

describe('imports report', () => {
  it('has the figures of the JSON in its page, by state and by reason', async () => {
    const world = await shop.world();
    const run = await itemsRun(world);
    const json = await figures(world, run);
    expect(json).toMatchObject({ rows: 7, created: 2, existing: 1, duplicates: 1, rejected: 3 });
    const { stdout } = await world.run(['imports', 'show', run]);
    expect(json).toMatchObject(JSON.parse(stdout));
    const page = (await written(world, run, 'report.html')).toString();
    const tables = tablesIn(page);
    expect(tables.get('Rows by state')).toEqual([
      ['state', 'rows'],
      ['created', String(json.created)],
      ['existing', String(json.existing)],
      ['duplicates', String(json.duplicates)],
      ['rejected', String(json.rejected)],
      ['all rows', String(json.rows)],
    ]);
    expect(tables.get('Reasons')).toEqual([
      ['reason', 'rows'],
      ...json.reasons.map(({ reason, rows }: Record<string, unknown>) => [reason, String(rows)]),
    ]);
    expect(json.reasons.map(({ rows }: { rows: number }) => rows)).toEqual([2, 1]);
    const [nameless] = json.reasons;
    expect(tables.get(`${nameless.reason} (2 rows)`)).toEqual([
      ['row', 'line', 'code', 'cell'],
      ['4', '5', expect.stringContaining('N-2/'), 'name: (empty)'],
      ['5', '6', expect.stringContaining('N-3/'), 'name: (empty)'],
    ]);
    const sent = json.rate.reduce((sum: number, { rows }: { rows: number }) => sum + rows, 0);
    expect(sent).toBe(2);
    const text = textOf(page);
    expect(text).toContain('2 of 7 rows created, 1 existing, 1 duplicate, 3 rejected.');
    expect(text).toContain(json.hash);
    for (const { command } of json.steps) expect(text).toContain(command);
    expect(json.steps).toMatchObject([{ what: 'repair', rows: 3 }]);
    expect(text).toContain(`sent by ${accountName()} on ${hostname()} (script)`);
  });

  it('shows hostile text as text, in a page, Markdown and a workbook', async () => {
    const world = await shop.world();
    const run = await itemsRun(world);
    const page = (await written(world, run, 'report.html', '--created')).toString();
    expect(page).not.toContain('<script');
    expect(page).not.toContain('\u202e');
    expect(
      tablesIn(page)
        .get('2 created rows')!
        .map((cells) => cells.at(-1)),
    ).toEqual(['name', 'Nut', HOSTILE_NAME.replace('\u202e', '\\u202e')]);
    const markdown = (await written(world, run, 'report.md', '--created')).toString();
    expect(markdown).toContain('&lt;script&gt;alert(1)&lt;/script&gt; \\| \\`x\\` &amp; "y" =1+1');
    const path = join(world.cwd, 'report.xlsx');
    await written(world, run, 'report.xlsx', '--created');
    const sheets = await readXlsx(path);
    const created = sheets.find(({ sheet }) => sheet === 'Created rows')!.data;
    expect(created.map((cells) => cells.at(-1))).toEqual([
      'name',
      'Nut',
      HOSTILE_NAME.replace('\u202e', '\\u202e'),
    ]);
  });

  it('loads nothing and runs nothing', async () => {
    const world = await shop.world();
    const page = (await written(world, await itemsRun(world), 'report.html')).toString();
    expect(page).not.toMatch(
      /<(script|link|iframe|img|object|embed|form|base)\b|\son\w+=|url\(|@import/i,
    );
    expect(page).not.toMatch(/\sstyle=/);
    expect([...page.matchAll(/<style>/g)]).toHaveLength(1);
    expect([...page.matchAll(/(?:href|src|srcset|action)=/g)]).toEqual([]);
    const drawings = [...page.matchAll(/<svg [^>]*aria-labelledby="([^"]+)"[^>]*>(.*)/g)];
    expect(drawings.length).toBeGreaterThan(0);
    for (const [, id, rest] of drawings) expect(rest).toContain(`<title id="${id}">`);
  });

  it.each([{ flags: ['--yes'] }])(
    'warns of codes that differ only in spelling after $flags',
    async ({ flags }) => {
      const world = await shop.world();
      const nth = ++runs;
      await world.file('items.csv', `code,name\nTw-${nth},a\ntw-${nth},b\n`);
      const ran = await world.run(['items', 'import', 'items.csv', ...flags]);
      expect(ran.exitCode, ran.stderr).toBe(0);
      const { run } = JSON.parse(ran.stdout);
      const twins = (await figures(world, run)).warnings.filter(
        ({ kind }: { kind: string }) => kind === 'twins',
      );
      expect(twins).toEqual([
        {
          kind: 'twins',
          message: expect.stringContaining(
            `tw-${nth} (row 2, line 3) and Tw-${nth} (row 1, line 2)`,
          ),
        },
      ]);
      const page = (await written(world, run, 'report.html')).toString();
      expect(textOf(page)).toContain(twins[0].message);
    },
  );

  it('has a sheet for each table', async () => {
    const world = await shop.world();
    const run = await itemsRun(world);
    await written(world, run, 'report.xlsx');
    const sheets = await readXlsx(join(world.cwd, 'report.xlsx'));
    expect(sheets.map(({ sheet }) => sheet)).toEqual([
      'Summary',
      'Reasons',
      'Rejected rows',
      'Rows by state',
      'Rows sent over time',
      'Duplicates',
      'Created rows',
      'Mapping',
    ]);
    const rejected = sheets.find(({ sheet }) => sheet === 'Rejected rows')!.data;
    expect(rejected[0]).toEqual(['row', 'line', 'code', 'name', 'cell', 'reason']);
    expect(rejected.slice(1).map(([row]) => row)).toEqual([4, 5, 6]);
    expect(rejected[1]!.at(-1)).toContain('name');
  });

  it('puts unconfirmed rows first, with the command that records their outcome', async () => {
    await using service = await startHostile((socket, { body }) =>
      socket.write(body.includes('LOST') ? http(500, '{}') : http(201, '{"id":"im-1"}')),
    );
    const world = await freshWorld({ PROC_BASE_URL: service.baseUrl, PROC_API_KEY: 'k' });
    await world.file('a.csv', 'reference,amount\nA,1\nLOST,2\nBAD,x\n');
    const imported = await world.run([
      'imputations',
      'import',
      'a.csv',
      '--set',
      'contractId=k-1',
      '--yes',
    ]);
    const { run } = JSON.parse(imported.stdout);
    const page = (await written(world, run, 'report.html')).toString();
    const titles = [...page.matchAll(/<h2[^>]*>([^<]*)/g)].map(([, title]) => title);
    expect(titles.slice(0, 3)).toEqual([
      'What to do next',
      'Unconfirmed rows',
      'Rejected rows, by reason',
    ]);
    expect(textOf(page)).toContain(`proc imports resolve ${run}`);
    const unconfirmed = tablesIn(page).get('Unconfirmed rows')!;
    expect(unconfirmed[1]!.slice(0, 3)).toEqual(['2', '3', 'LOST']);
  });

  it('says that the import is still running, and that rows in flight are being sent', async () => {
    const arrived = Promise.withResolvers<void>();
    const held: (() => void)[] = [];
    await using service = await startHostile((socket, { body }) => {
      const { reference } = JSON.parse(body);
      const respond = () => socket.write(http(201, JSON.stringify({ id: `im-${reference}` })));
      held.push(respond);
      arrived.resolve();
    });
    const world = await freshWorld({ PROC_BASE_URL: service.baseUrl, PROC_API_KEY: 'k' });
    await world.file('a.csv', 'reference,amount\nA,1\nB,2\nBAD,x\n');
    const importing = [
      'imputations',
      'import',
      'a.csv',
      '--set',
      'contractId=k-1',
      '--yes',
      '--first-run',
      '--tune',
      'concurrency=1',
    ];
    const running = world.start(importing);
    await arrived.promise;
    const [{ run }] = JSON.parse((await world.run(['imports', 'list'])).stdout);
    const table = (await world.run(['imports', 'list', '-o', 'table'])).stdout;
    expect(table).toMatch(/PROCESS/);
    expect(table).toMatch(new RegExp(`unfinished.* ${running.pid} *\\n`));
    const show = await world.run(['imports', 'show', run]);
    const shown = JSON.parse(show.stdout);
    expect(shown).toMatchObject({
      ...{ state: 'unfinished', process: running.pid, runningSince: expect.any(String) },
      ...{ rows: 3, created: 0, rejected: 1, unconfirmed: 0, sending: 2, pending: 0 },
    });
    expect(shown).not.toHaveProperty('next');
    const json = await figures(world, run);
    expect(json).toMatchObject({ ...shown, parked: 0 });
    expect(json.steps).toEqual([{ what: 'wait', rows: 2, command: `proc imports report ${run}` }]);
    const page = (await written(world, run, 'report.html')).toString();
    const text = textOf(page);
    expect(text).toMatch(
      new RegExp(`The import is still running \\(process ${running.pid}, since \\d{4}-[^)]+\\)\\.`),
    );
    expect(text).toContain('0 of 3 rows created, 1 rejected, 2 being sent.');
    expect(text).not.toMatch(/unconfirmed|was lost|imports (resume|resolve)/i);
    expect(tablesIn(page).get('Rows being sent')).toEqual([
      ['row', 'line', 'code'],
      ['1', '2', 'A'],
      ['2', '3', 'B'],
    ]);
    running.kill('SIGKILL');
    await running;
    expect((await world.run(['imports', 'list', '-o', 'table'])).stdout).not.toMatch(/PROCESS/);
    const dead = JSON.parse((await world.run(['imports', 'show', run])).stdout);
    expect(dead).toMatchObject({ rows: 3, next: [{ command: expect.any(String) }] });
    expect(dead.unconfirmed + dead.pending).toBe(2);
    expect(dead).not.toHaveProperty('process');
    expect(dead).not.toHaveProperty('sending');
  });

  it('says what would be sent, if the import was killed before it sent anything', async () => {
    const reading = Promise.withResolvers<void>();
    // The service never answers the list request.
    await using service = await startHostile(() => reading.resolve());
    const world = await freshWorld({ PROC_BASE_URL: service.baseUrl, PROC_API_KEY: 'k' });
    await world.file('items.csv', 'code,name\nP-1,Planned\nP-2,\n');
    const running = world.start(['items', 'import', 'items.csv', '--yes']);
    await reading.promise;
    running.kill('SIGKILL');
    await running;
    const run = (await world.run(['imports', 'list', '-o', 'id'])).stdout.trim();
    const page = (await written(world, run, 'report.html')).toString();
    expect(textOf(page)).toContain(
      'Nothing was sent yet. 0 of 2 rows created, 1 rejected, 1 pending.',
    );
    expect(tablesIn(page).get('Rows to send')).toEqual([
      ['row', 'line', 'code', 'name'],
      ['1', '2', 'P-1', 'Planned'],
    ]);
    expect((await figures(world, run)).steps).toMatchObject([{ what: 'send', rows: 1 }]);
    expect(textOf(page)).toContain(`proc imports resume ${run}`);
  });

  it('lists some rows and names the command for all; with --created all of them', async () => {
    const world = await shop.world();
    const rows = Array.from({ length: 230 }, (_, at) => `M-${at},Many ${at}`);
    await world.file('many.csv', `code,name\n${rows.join('\n')}\n`);
    const { stdout } = await world.run(['items', 'import', 'many.csv', '--yes']);
    const { run } = JSON.parse(stdout);
    const page = (await written(world, run, 'report.html')).toString();
    expect(tablesIn(page).get('230 created rows')).toHaveLength(201);
    expect(textOf(page)).toContain(
      `The first 200 of 230 rows. To list all: proc imports rows ${run} --state created`,
    );
    const all = tablesIn((await written(world, run, 'all.html', '--created')).toString());
    const created = all.get('230 created rows')!;
    const listed = JSON.parse(
      (await world.run(['imports', 'rows', run, '--state', 'created'])).stdout,
    );
    expect(created.slice(1).map(([row, , id, code]) => [Number(row), id, code])).toEqual(
      listed.map(({ row, id, code }: Record<string, unknown>) => [row, id, code]),
    );
    expect(created[1]!.at(-1)).toBe('Many 0');
    const short = (await world.run(['imports', 'report', run])).stdout;
    expect(short).toContain('The first 20 of 230 rows');
  });

  it.each([
    { every: 3, spans: 1 },
    { every: 400, spans: 20 },
    { every: 3_600_000, spans: 17 },
  ])(
    'its table of rows sent over time has at most 20 lines, with a row every $every ms',
    async (shape) => {
      const { every, spans } = shape;
      const world = await shop.world();
      const rows = Array.from({ length: 100 }, (_, at) => `R-${every}-${at},Row ${at}`);
      await world.file('rated.csv', `code,name\n${rows.join('\n')}\n`);
      const { stdout } = await world.run(['items', 'import', 'rated.csv', '--yes']);
      const { run } = JSON.parse(stdout);
      {
        using file = new DatabaseSync(join(world.folder, 'state/imports', `${run}.db`));
        file.exec(`UPDATE rows SET sent_at = 1767225600000 + row * ${every}`);
      }
      const page = (await written(world, run, 'report.html')).toString();
      const [, ...shown] = tablesIn(page).get('Rows sent over time')!;
      expect(shown.length).toBeLessThanOrEqual(20);
      expect(shown.length).toBe(spans);
      expect(new Set(shown.map(([time]) => time)).size).toBe(shown.length);
      expect(shown.reduce((sum, [, sent]) => sum + Number(sent), 0)).toBe(100);
      const { stdout: markdown } = await world.run(['imports', 'report', run]);
      for (const [time] of shown) expect(markdown.split(`| ${time} |`)).toHaveLength(2);
    },
  );

  it('shows the wrong cells of rows that form one requisition', async () => {
    const world = await shop.world();
    await world.file('rows.csv', 'Request,Part,Qty\nSpring,Brakes,12\nSpring,Chain,four\n');
    const maps = ['title=Request', 'item.name=Part', 'quantity=Qty'].flatMap((one) => [
      '--map',
      one,
    ]);
    const imported = await world.run([
      ...['requisition', 'import', 'rows.csv', '--group-by', 'Request', ...maps],
      ...['--set', 'group.deliveryMethod=pickup', '--yes'],
    ]);
    const { run } = JSON.parse(imported.stdout);
    const [reason] = (await figures(world, run)).reasons;
    expect(reason).toMatchObject({
      rows: 1,
      examples: [{ row: 1, cells: [{ column: 'Qty', value: 'four' }] }],
    });
    expect(textOf((await written(world, run, 'report.html')).toString())).toContain('Qty: four');
  });

  it('refuses another extension, and flags that shape rows', async () => {
    const world = await shop.world();
    const run = await itemsRun(world);
    const wrong = await world.run(['imports', 'report', run, '--out', 'report.pdf']);
    expect(wrong.exitCode).toBe(2);
    expect(errorOf(wrong).hint).toBe(
      'Use .html, .md or .xlsx; for the figures .json, .ndjson, .yaml, .csv, .tsv or .txt',
    );
    expect(existsSync(join(world.cwd, 'report.pdf'))).toBe(false);
    const shaped = await world.run([
      'imports',
      'report',
      run,
      '--out',
      'a.html',
      '--fields',
      'run',
    ]);
    expect(shaped.exitCode).toBe(2);
    expect(errorOf(shaped).message).toContain('--fields has no effect on a report');
    for (const words of [['report', run], ['show', run], ['rows', run], ['list']]) {
      const stray = await world.run(['imports', ...words, '-p', 'nosuch']);
      expect([stray.exitCode, errorOf(stray).code], words[0]).toEqual([3, 'profile_not_found']);
    }
    const nowhere = await world.run(['imports', 'report', run, '-p', 'sandbox', '-e', 'nosuch']);
    expect([nowhere.exitCode, errorOf(nowhere).code]).toEqual([3, 'environment_not_found']);
    for (const ending of ['ndjson', 'yaml', 'csv', 'tsv', 'txt']) {
      const file = (await written(world, run, `figures.${ending}`)).toString();
      expect(file, ending).toContain(run);
      expect(file, ending).not.toContain('# Import of');
    }
    const figuresOnly = [
      ['-o', 'json'],
      ['--out', 'c.json'],
    ];
    for (const flags of figuresOnly) {
      const ran = await world.run(['imports', 'report', run, '--created', ...flags]);
      expect(ran.exitCode).toBe(2);
      expect(errorOf(ran).hint).toContain(`proc imports rows ${run} --state created`);
    }
    expect(existsSync(join(world.cwd, 'c.json'))).toBe(false);
    const picked = await world.run(['imports', 'report', run, '-o', 'json', '-q', 'created']);
    expect(picked.stdout).toBe('2\n');
  });
});
