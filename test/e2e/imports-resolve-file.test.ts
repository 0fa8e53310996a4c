import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { http, startHostile } from '../support/hostile-service.ts';
import { errorOf, freshWorld, jsonLines, type World } from '../support/run.ts';
import { startTerminal } from '../support/terminal.ts';
import { workbook } from '../support/workbook.ts';
import { itemService, rowsOf } from './import-service.ts';

const SETTLE = ['--tune', 'settle=1ms', '--timeout', '5s'];

/** A service without lists. It stores all imputations except those whose reference begins with LOST. */
async function unlisted() {
  const stored: string[] = [];
  let isBroken = true;
  const service = await startHostile((socket, { body }) => {
    const { reference } = JSON.parse(body) as { reference: string };
    if (isBroken && reference.startsWith('LOST')) return void socket.write(http(500, '{}'));
    stored.push(reference);
    socket.write(http(201, JSON.stringify({ id: `im-${reference}` })));
  });
  return {
    ...service,
    stored,
    target: { PROC_BASE_URL: service.baseUrl, PROC_API_KEY: 'k' },
    repair: () => {
      isBroken = false;
    },
  };
}

async function imported(world: World, noun: string, text: string, ...flags: string[]) {
  await world.file('a.csv', text);
  const ran = await world.run([
    noun,
    'import',
    'a.csv',
    '--set',
    'contractId=k-1',
    '--yes',
    ...flags,
  ]);
  expect(ran, ran.stderr).toMatchObject({ exitCode: 9 });
  return JSON.parse(ran.stdout).run as string;
}

const IMPUTATIONS = 'reference,amount\nA,1\nLOST-2,2\nLOST-3,3\nLOST-4,4\nLOST-5,5\n';

async function filledIn(
  world: World,
  run: string,
  file: string,
  outcomes: Readonly<Record<number, readonly [outcome: string, id?: string]>>,
) {
  const listed = await world.run(['imports', 'rows', run, '--state', 'unconfirmed', '-o', 'json']);
  const rows = JSON.parse(listed.stdout).map((row: { row: number }) => {
    const [outcome = null, id = null] = outcomes[row.row] ?? [];
    return { ...row, outcome, id };
  });
  await world.file(file, rows.map((row: unknown) => `${JSON.stringify(row)}\n`).join(''));
}

describe('imports resolve --from', () => {
  it('takes the list of unconfirmed rows back with two columns filled in, and once only', async () => {
    await using service = await unlisted();
    const world = await freshWorld(service.target);
    const run = await imported(world, 'imputations', IMPUTATIONS);
    const list = ['imports', 'rows', run, '--state', 'unconfirmed', '--out', 'rows.csv'];
    expect(await world.run(list)).toMatchObject({ exitCode: 0 });
    const [header, ...lines] = (await readFile(join(world.cwd, 'rows.csv'), 'utf8'))
      .trimEnd()
      .split('\r\n');
    const columns = header!.split(',');
    expect(columns).toEqual(expect.arrayContaining(['row', 'id', 'sentAt', 'outcome']));
    const outcomes = ['adopt', 'resend', 'Drop', ''];
    const filled = lines.map((line, at) => {
      const cells = line.split(',');
      expect(cells).toHaveLength(columns.length);
      cells[columns.indexOf('outcome')] = outcomes[at]!;
      if (at === 0) cells[columns.indexOf('id')] = 'im-77';
      return cells.join(',');
    });
    await world.file('rows.csv', `${[header, ...filled].join('\r\n')}\r\n`);

    const resolve = ['imports', 'resolve', run, '--from', 'rows.csv'];
    const before = await world.run(['imports', 'rows', run]);
    const preview = await world.run([...resolve, '--dry-run']);
    expect(preview, preview.stderr).toMatchObject({ exitCode: 9 });
    const decisions = [
      { row: 2, code: 'LOST-2', outcome: 'adopt', id: 'im-77' },
      { row: 3, code: 'LOST-3', outcome: 'resend', id: null },
      { row: 4, code: 'LOST-4', outcome: 'drop', id: null },
    ];
    const counts = { file: 'rows.csv', adopt: 1, resend: 1, drop: 1, unchanged: 0 };
    expect(JSON.parse(preview.stdout)).toEqual({
      dryRun: true,
      next: expect.any(Array),
      run,
      ...counts,
      unconfirmed: 1,
      decisions: decisions.map((one) => ({ ...one, result: 'planned' })),
    });
    const unasked = await world.run(resolve);
    expect(unasked, unasked.stderr).toMatchObject({ exitCode: 2, stdout: '' });
    expect(errorOf(unasked)).toMatchObject({
      code: 'confirmation_required',
      message: expect.stringContaining('1 row to adopt, 1 to resend, 1 to drop'),
      hint: `Add --yes: proc ${resolve.join(' ')} --yes`,
    });
    expect((await world.run(['imports', 'rows', run])).stdout).toBe(before.stdout);

    const resolved = await world.run([...resolve, '--yes']);
    expect(resolved, resolved.stderr).toMatchObject({ exitCode: 9 });
    expect(JSON.parse(resolved.stdout)).toMatchObject({
      ...counts,
      ...{ created: 2, pending: 1, dropped: 1, unconfirmed: 1 },
      decisions: decisions.map((one) => ({ ...one, result: 'recorded' })),
    });
    expect(jsonLines(resolved.stderr)).toContainEqual({
      notice: `to send these rows again, run: proc imports resume ${run}`,
    });
    service.repair();
    const sent = await world.run(['imports', 'resume', run]);
    expect(JSON.parse(sent.stdout)).toMatchObject({ created: 3, pending: 0, unconfirmed: 1 });

    // The row was resent and is now created. The file asks for it again, which changes nothing.
    const again = await world.run([...resolve, '--yes', '--query', 'decisions', '-o', 'ndjson']);
    expect(again, again.stderr).toMatchObject({ exitCode: 9 });
    expect(jsonLines(again.stdout)).toEqual(
      decisions.map((one) => ({ ...one, result: 'unchanged' })),
    );
    expect(jsonLines(again.stderr)).toContainEqual({
      notice: 'nothing was changed: the outcomes in rows.csv were recorded before',
    });
    const shown = await world.run(['imports', 'show', run]);
    expect(JSON.parse(shown.stdout)).toMatchObject({ created: 3, dropped: 1, unconfirmed: 1 });
    expect(service.stored).toEqual(['A', 'LOST-3']);
  });

  it('refuses a whole file for any mistake, and names line and field of each', async () => {
    await using service = await unlisted();
    const world = await freshWorld(service.target);
    const run = await imported(world, 'imputations', IMPUTATIONS);
    const before = await world.run(['imports', 'rows', run]);
    const refused = async (text: string, name = 'o.csv', ...flags: string[]) => {
      await world.file(name, text);
      const ran = await world.run(['imports', 'resolve', run, '--from', name, '--yes', ...flags]);
      expect(ran, ran.stderr).toMatchObject({ exitCode: 2, stdout: '' });
      return errorOf(ran);
    };
    const head = 'row,outcome,id\n';
    const cases: readonly (readonly [text: string, message: string])[] = [
      [`${head}2,adopt,\n`, 'line 2: "id" is missing: adopt needs the id of the created record'],
      [`${head}2,adopt,x\n3,adopt,x\n`, 'line 3: "id" is x, which is also on line 2'],
      [`${head}2,drop,\n2,resend,\n`, 'line 3: "row" is 2, which is also on line 2'],
      [`${head}2,create,\n`, 'line 2: "outcome" must be one of adopt, resend, drop, got "create"'],
      [`${head}2,drop,x\n`, 'line 2: "id" is x, but only adopt takes an id'],
      [`${head}two,drop,\n`, 'line 2: "row" must be the number of a row, got "two"'],
      [`${head}9,drop,\n`, `line 2: "row" is 9, which ${run} does not have`],
      [`${head}1,drop,\n`, 'line 2: "row" is 1, which is created, not unconfirmed'],
      [`${head}2,drop,\n9,,\n1,resend,\n`, 'line 4: "row" is 1, which is created'],
    ];
    for (const [text, message] of cases) {
      const error = await refused(text);
      expect(error.code).toBe('invalid_input');
      expect(error.message).toContain(message);
      expect(error.message).toMatch(/^o\.csv, line .*; nothing was changed$/);
    }
    const both = await refused(`${head}9,drop,\n1,resend,\n`);
    expect(both.details).toMatchObject({
      mistakes: 2,
      issues: [
        { place: 'line 2', field: 'row' },
        { place: 'line 3', field: 'row' },
      ],
    });
    const lines = await refused(
      '{"row":2,"outcome":"drop"}\n{"row":3,"outcome":"no"}\n',
      'o.ndjson',
    );
    expect(lines.message).toContain('o.ndjson, line 2: "outcome" must be one of');
    expect((await refused('row,id\n2,x\n')).message).toBe(
      'o.csv has no column outcome; its columns: row, id',
    );
    expect((await refused(`${head}2,,\n3,,\n`)).message).toBe('o.csv has no row with an outcome');
    const old = await refused('row,outcome,sentAt\n2,drop,2026-01-01T00:00:00.000Z\n');
    expect(old.message).toContain('the file is older, or belongs to another run');
    expect((await refused(`${head}2,drop,\n`, 'o.csv', '--drop')).message).toContain('--drop');
    expect((await world.run(['imports', 'rows', run])).stdout).toBe(before.stdout);
  });

  it('takes a workbook, and asks once at a terminal', async () => {
    await using service = await unlisted();
    const world = await freshWorld(service.target);
    const run = await imported(world, 'imputations', IMPUTATIONS);
    const book = workbook({
      Outcomes: [
        ['Row', 'Note', 'Outcome', 'Id'],
        [2, 'no', 'drop'],
        [3, '', 'resend'],
      ],
    });
    await world.file('o.xlsx', book);
    const question = `Record the outcomes from o.xlsx for ${run}? 0 to adopt, 1 to send again when it is resumed, 1 to drop. 2 rows stay unconfirmed.`;
    for (const [keys, exitCode] of [
      ['n\r', 2],
      ['y\r', 9],
    ] as const) {
      const terminal = startTerminal(world, ['imports', 'resolve', run, '--from', 'o.xlsx'], {
        cols: 240,
      });
      await terminal.waitFor(question);
      terminal.type(keys);
      expect(await terminal.exited).toBe(exitCode);
    }
  });
});

describe('imports resolve --from, with a list', () => {
  /** The service answers neither LOST nor GONE codes. It stores LOST codes twice, and GONE codes not at all. */
  async function twins() {
    return itemService((code) => {
      if (code.startsWith('GONE')) return { reset: true, stored: false };
      if (!code.startsWith('LOST')) return undefined;
      service.items.push({ id: `other-${code}`, code, name: 'Meanwhile' });
      return { reset: true, stored: true };
    });
  }
  let service: Awaited<ReturnType<typeof itemService>>;

  it('reads the list once to verify all ids and all rows to resend', async () => {
    service = await twins();
    await using _ = service;
    const world = await freshWorld(service.target);
    const codes = ['A-1', 'LOST-1', 'LOST-2', 'LOST-3', 'LOST-4'];
    const run = await imported(world, 'items', rowsOf(codes), ...SETTLE);
    const ids = (code: string) =>
      service.items.filter((one) => one.code === code).map((one) => one.id);
    const resolve = ['imports', 'resolve', run, '--from', 'o.ndjson', '--yes', ...SETTLE];

    await filledIn(world, run, 'o.ndjson', {
      2: ['adopt', 'i-404'],
      3: ['adopt', ids('LOST-3')[0]],
      4: ['adopt', ids('A-1')[0]],
    });
    const wrong = await world.run(resolve);
    expect(wrong, wrong.stderr).toMatchObject({ exitCode: 2, stdout: '' });
    const fitting = ids('LOST-1').join(', ');
    expect(errorOf(wrong).message).toContain(
      `o.ndjson, line 1: i-404 is not in the list (new in the list: ${fitting})`,
    );
    expect(errorOf(wrong).message).toContain('line 3: i-1 was created by row 1 of this run');
    expect(errorOf(wrong).details).toMatchObject({ wrong: 3 });

    await filledIn(world, run, 'o.ndjson', { 2: ['adopt', ids('LOST-1')[0]], 3: ['resend'] });
    const present = await world.run(resolve);
    expect(present, present.stderr).toMatchObject({ exitCode: 2, stdout: '' });
    expect(errorOf(present)).toMatchObject({
      message: expect.stringContaining(
        `line 2: row 3 (LOST-2) is in the list as ${ids('LOST-2').join(', ')}, so sending it again would create`,
      ),
      details: { wrong: 1, rows: [{ row: 3, candidates: ids('LOST-2') }] },
    });

    service.items.splice(
      0,
      service.items.length,
      ...service.items.filter(({ code }) => code !== 'LOST-4'),
    );
    await filledIn(world, run, 'o.ndjson', {
      2: ['adopt', ids('LOST-1')[0]],
      3: ['adopt', ids('LOST-2')[1]],
      4: ['drop'],
      5: ['resend'],
    });
    const reads = service.requests.filter(({ method }) => method === 'GET').length;
    const done = await world.run(resolve);
    expect(done, done.stderr).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(done.stdout)).toMatchObject({
      ...{ adopt: 2, resend: 1, drop: 1, created: 3, dropped: 1, pending: 1, unconfirmed: 0 },
    });
    // The list is short: one request for its page, and a few that verify its end.
    const after = service.requests.filter(({ method }) => method === 'GET').length;
    expect(after - reads).toBeLessThan(5);
  });
});
