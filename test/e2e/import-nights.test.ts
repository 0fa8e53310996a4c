import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { programWords } from '../support/built.ts';
import { freshWorld, ROOT, type World } from '../support/run.ts';
import { type LoggedSandbox, loggedSandbox } from '../support/service.ts';
import { until } from '../support/until.ts';
import { codes, itemService, rowsOf } from './import-service.ts';

/** As many requests may leave at once. */
const AT_ONCE = 8;
const ROWS = 240;

/** The job of docs/scripting.md, with another noun and file. */
async function jobOf(world: World, noun: string): Promise<string> {
  const page = await readFile(join(ROOT, 'docs/scripting.md'), 'utf8');
  const [, script] = /### Import a file every night\n[\s\S]*?```sh\n([\s\S]*?)```/.exec(page) ?? [];
  const name = `${noun}.sh`;
  await world.file(name, script!.replace('proc items import', `proc ${noun} import`));
  const bin = join(world.folder, 'bin');
  await mkdir(bin, { recursive: true });
  // So that a kill of the job reaches proc.
  await writeFile(join(bin, 'proc'), `#!/bin/sh\necho $$ > pid\nexec ${programWords()} "$@"\n`);
  await chmod(join(bin, 'proc'), 0o755);
  return name;
}

/** Three nights with three files: the first two are killed once so many rows have arrived. */
const NIGHTS = [
  { from: 0, killAt: 60 },
  { from: 20, killAt: 50 },
  { from: 40, killAt: undefined },
];

/** The file of a night lacks rows of the night before, has new ones, and comes in another order. */
function fileOf(noun: string, from: number): string {
  const codes = Array.from({ length: ROWS }, (_, at) => `N-${String(from + at).padStart(4, '0')}`);
  if (from === 20) codes.reverse();
  return noun === 'items'
    ? `code,name\n${codes.map((code) => `${code},Row ${code}\n`).join('')}`
    : `reference,account,amount,contractId\n${codes.map((code) => `${code},6100,5,c-1\n`).join('')}`;
}

interface Night {
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

async function nights(
  sandbox: LoggedSandbox,
  noun: string,
  keepsState: boolean,
): Promise<{ readonly world: World; readonly all: readonly Night[] }> {
  const world = await freshWorld(sandbox.target);
  const job = await jobOf(world, noun);
  if (noun !== 'items') {
    await world.file('first.csv', 'reference,account,amount,contractId\nFIRST,6100,5,c-1\n');
    await world.run([noun, 'import', 'first.csv', '--yes', '--first-run']);
  }
  const all: Night[] = [];
  for (const { from, killAt } of NIGHTS) {
    if (!keepsState) await rm(world.stateDir, { recursive: true, force: true });
    await world.file('catalog.csv', fileOf(noun, from));
    const before = sandbox.writes().length;
    const env = { PATH: `${join(world.folder, 'bin')}:${world.env.PATH}`, PROC_SETTLE: '100ms' };
    const running = world.shell(`exec sh ${job}`, {
      env: { ...env, PROC_CONCURRENCY: String(AT_ONCE) },
    });
    let isOver = false;
    void running.finally(() => {
      isOver = true;
    });
    if (killAt !== undefined) {
      await until(() => isOver || sandbox.writes().length - before >= killAt);
      if (!isOver) process.kill(Number(await readFile(join(world.cwd, 'pid'), 'utf8')), 'SIGKILL');
    }
    const { exitCode, stdout, stderr } = await running;
    all.push({ exitCode, stdout, stderr });
  }
  return { world, all };
}

function countsIn(sandbox: LoggedSandbox, table: string, column: string): Map<string, number> {
  const rows = sandbox.sql(
    `SELECT ${column} AS code, count(*) AS n FROM ${table} WHERE ${column} LIKE 'N-%' GROUP BY 1`,
  );
  return new Map(rows.map(({ code, n }) => [String(code), Number(n)]));
}

describe('the documented job over three nights with three files, two of them killed', () => {
  it.each([
    ['kept', true],
    ['empty', false],
  ])(
    'items, on a %s state folder: all rows of the last file are there, none twice',
    async (_, keepsState) => {
      await using sandbox = await loggedSandbox({ faults: 'latency=10ms' });
      const { world, all } = await nights(sandbox, 'items', keepsState);
      expect(all[2], all[2]!.stderr).toMatchObject({ exitCode: 0 });
      const counts = countsIn(sandbox, 'items', 'code');
      expect([...counts.values()].filter((n) => n !== 1)).toEqual([]);
      for (const code of fileOf('items', 40).match(/^N-\d+/gm)!) expect(counts.get(code)).toBe(1);
      const summary = JSON.parse(await readFile(join(world.cwd, 'summary.json'), 'utf8'));
      expect(summary).toMatchObject({ rows: ROWS, unconfirmed: 0, pending: 0, rejected: 0 });
      expect(summary.created + summary.existing).toBe(ROWS);
      if (!keepsState) return;
      // Rows of the first nights that the last file does not have stay pending, and are said.
      const open = JSON.parse((await world.run(['imports', 'list', '--open'])).stdout);
      for (const run of open) expect(run.unconfirmed).toBe(0);
    },
  );

  it('imputations, on a kept state folder: none twice, and few rows for a person', async () => {
    await using sandbox = await loggedSandbox({ faults: 'latency=10ms' });
    const { world, all } = await nights(sandbox, 'imputations', true);
    const summary = JSON.parse(await readFile(join(world.cwd, 'summary.json'), 'utf8'));
    expect(summary).toMatchObject({ rows: ROWS, pending: 0, rejected: 0 });
    expect(summary.unconfirmed).toBeLessThanOrEqual(2 * AT_ONCE);
    expect(all[2]!.exitCode).toBe(summary.unconfirmed > 0 ? 9 : 0);
    const counts = countsIn(sandbox, 'imputations', 'reference');
    expect([...counts.values()].filter((n) => n !== 1)).toEqual([]);
    const known = fileOf('imputations', 40)
      .match(/^N-\d+/gm)!
      .filter((code) => counts.has(code));
    expect(known.length).toBeGreaterThanOrEqual(ROWS - summary.unconfirmed);
    // One command for each run that has unconfirmed rows.
    const open = JSON.parse((await world.run(['imports', 'list', '--open'])).stdout);
    for (const { run, unconfirmed } of open) {
      if (unconfirmed === 0) continue;
      const resolved = await world.run(['imports', 'resolve', run, '--adopt', '--all', '--yes']);
      expect(resolved, resolved.stderr).toMatchObject({ exitCode: 0 });
    }
    const again = await world.run(['imputations', 'import', 'catalog.csv', '--yes']);
    expect(JSON.parse(again.stdout), again.stderr).toMatchObject({ created: 0, unconfirmed: 0 });
  });

  it('imputations, on an empty state folder: nothing is sent without a ledger', async () => {
    await using sandbox = await loggedSandbox({ faults: 'latency=10ms' });
    const { all } = await nights(sandbox, 'imputations', false);
    for (const night of all) expect(night.exitCode).toBe(all[0]!.exitCode);
    expect(all[0]!.stderr + all[0]!.stdout).toContain('nothing was sent');
    expect(countsIn(sandbox, 'imputations', 'reference').size).toBe(0);
  });
});

describe('the documented job ends with the code of its case, and greps nothing', () => {
  type Case = readonly [
    name: string,
    exitCode: number,
    told: string | undefined,
    fate: Parameters<typeof itemService>,
    file: string,
  ];
  const FILE = rowsOf(codes(40));
  const lost: Case[3] = [
    (code) => (code === 'X-0002' ? { reset: true, stored: true } : undefined),
    () => undefined,
  ];
  const CASES: readonly Case[] = [
    ['done', 0, undefined, [() => undefined], FILE],
    ['rows that the plan rejects', 8, 'rejected.csv', [() => undefined], `${FILE},Nameless\n`],
    [
      'rows that the service refuses',
      8,
      'rejected.csv',
      [(code) => (code === 'X-0003' ? { status: 422 } : undefined)],
      FILE,
    ],
    [
      'not verified',
      9,
      'could not be verified',
      [() => undefined, (item) => (item.code === 'X-0002' ? undefined : item)],
      FILE,
    ],
    ['unknown', 9, 'unconfirmed', lost, FILE],
    [
      'stopped',
      10,
      'the next one continues it',
      [(code) => (code === 'X-0002' ? { status: 401 } : undefined)],
      FILE,
    ],
    ['a file that cannot be read', 2, 'did not run', [() => undefined], 'code;name;;\n"'],
  ];

  it.each(CASES)('%s', async (_, exitCode, told, fate, file) => {
    await using service = await itemService(...fate);
    const world = await freshWorld(service.target);
    const job = await jobOf(world, 'items');
    await world.file('catalog.csv', file);
    const env = { PATH: `${join(world.folder, 'bin')}:${world.env.PATH}`, PROC_SETTLE: '1ms' };
    const ran = await world.shell(`exec sh ${job}`, { env });
    expect(ran, ran.stderr).toMatchObject({ exitCode });
    const said = (ran.stdout + ran.stderr)
      .split('\n')
      .filter((line) => /^(?:PAGE|WARNING): /.test(line));
    expect(said).toEqual(told === undefined ? [] : [expect.stringContaining(told)]);
    if (exitCode === 2) return;
    const summary = JSON.parse(await readFile(join(world.cwd, 'summary.json'), 'utf8'));
    expect(summary.rows).toBe(file.trimEnd().split('\n').length - 1);
  });
});
