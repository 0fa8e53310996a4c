import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ProcError } from '../../../src/core/errors.ts';
import { lockImport } from '../../../src/import/import-lock.ts';
import { isRunFailure, runFailure } from '../../../src/import/store/ledger-failure.ts';
import { Run } from '../../../src/import/store/run-file.ts';
import { counted, type RunState, summary } from '../../../src/import/store/run-summary.ts';
import {
  eachRun,
  findKnownRun,
  findRun,
  headerOfRun,
  importsFolder,
  removableRuns,
  runNames,
  runPath,
} from '../../../src/import/store/runs.ts';
import { noCounts, type RowState } from '../../../src/import/store/transitions.ts';
import { openWorkplace, removeLeftovers } from '../../../src/import/workplace.ts';
import { ledgerPath, openLedger } from '../../../src/ledger/open-ledger.ts';
import { Ledger } from '../../../src/ledger/sql-ledger.ts';
import { tryLock } from '../../../src/store/lock.ts';
import { freshFolder } from '../../support/sandbox.ts';
import { begun, type GivenRow, HERE, runOf, statesIn } from './run-of.ts';

function sql(path: string, text: string): Record<string, unknown>[] {
  const database = new DatabaseSync(path);
  const isQuery = text.startsWith('SELECT');
  const rows = isQuery ? database.prepare(text).all() : [];
  if (!isQuery) database.exec(text);
  database.close();
  return rows.map((row) => ({ ...row }));
}

const clock = { now: () => 0, monotonic: () => 0, sleep: async () => undefined };
const SELF = { clock, pid: 4_711, signal: new AbortController().signal } as never;

const named = async (state: string, run: string, rows: readonly GivenRow[] = [{}], more = {}) => {
  const made = await begun(state, rows, { run, ...more });
  await made.finish();
  made.close();
};

describe('after a kill', () => {
  const states = ['pending', 'sending', 'created', 'rejected', 'unconfirmed', 'dropped'] as const;
  const row = fc.record({
    state: fc.constantFrom(...states),
    sentAt: fc.constantFrom(1, 1, null),
    seen: fc.constantFrom(null, null, 3),
    entry: fc.constantFrom('maybe', 'maybe', 'created', 'dropped', undefined),
  });

  it('the ledger gets what the file of the run knows', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 10 }), async (given) => {
        const state = await freshFolder();
        const run = await begun(
          state,
          given.map(({ state: is, sentAt }, at) => ({
            ...{ state: is, sentAt, id: is === 'created' ? `i-${at + 1}` : null },
          })),
        );
        run.close();
        for (const [at, { seen, entry }] of given.entries()) {
          sql(run.path, `UPDATE rows SET seen = ${seen} WHERE row = ${at + 1}`);
          if (entry !== undefined) {
            const values = `1, ${at + 1}, 'code A-${at + 1}', '${entry}', 1, 1`;
            sql(
              ledgerPath(state),
              `INSERT INTO sent (run, row, key, state, at, intent) VALUES (${values})`,
            );
          }
        }
        const isOwn = (one: (typeof given)[number]) => one.state === 'created';
        const isOpen = ({ state: is }: (typeof given)[number]) =>
          is === 'sending' || is === 'unconfirmed';
        const first = given.map((one) => {
          if (one.entry !== 'maybe' || isOpen(one)) return one.entry;
          return isOwn(one) ? 'created' : one.state === 'dropped' ? 'dropped' : undefined;
        });
        const isBehind =
          first.filter((entry) => entry === 'created').length < given.filter(isOwn).length;
        const expected = given.flatMap((one, at) => {
          const { sentAt, seen } = one;
          let entry: string | undefined = first[at];
          if (isOpen(one) && sentAt !== null && seen === null) entry = 'maybe';
          if (one.state === 'dropped') entry = 'dropped';
          if (isOwn(one) && isBehind) entry = 'created';
          return entry === undefined
            ? []
            : [{ row: at + 1, key: `code A-${at + 1}`, state: entry }];
        });
        (await Run.open(run.path)).close();
        expect(sql(ledgerPath(state), 'SELECT row, key, state FROM sent ORDER BY row')).toEqual(
          expected,
        );
        rmSync(state, { recursive: true });
      }),
      { numRuns: 60 },
    );
  });

  it.each([
    ['a row whose request left is unconfirmed', true, false, '2 pending'],
    ['after a reboot any may have left', false, false, '2 unconfirmed stopped_while_sent'],
    ['without its marks any may have left', true, true, '2 unconfirmed stopped_while_sent'],
  ])('%s', async (_, isSameBoot, isLost, second) => {
    const run = await begun(await freshFolder(), [{}, {}, {}]);
    const queue = run.sendQueue(false);
    const [first] = await queue.commit([], 2, 1_900_000_000_000).onDisk;
    queue.handOver(first!);
    run.close();
    const mark = run.path.replace(/db$/, 'mark');
    if (isLost) rmSync(mark);
    const again = await Run.open(run.path);
    again.interrupt(isSameBoot);
    const states = ['1 unconfirmed stopped_while_sent', second, '3 pending'];
    expect(statesIn(again)).toEqual(states);
    // From now on marks count again.
    const next = again.sendQueue(false);
    await next.commit([], 3, 1_900_000_000_001).onDisk;
    again.close();
    const last = await Run.open(run.path);
    last.interrupt(true);
    expect(statesIn(last)).toEqual(states);
    last.close();
  });

  it('marks that were lost prove nothing until the run was interrupted', async () => {
    const run = await begun(await freshFolder(), [{}, {}]);
    const [first] = await run.sendQueue(false).commit([], 2, 7).onDisk;
    run.close();
    rmSync(run.path.replace(/db$/, 'mark'));
    const second = await Run.open(run.path);
    second.sendQueue(false).handOver(first!);
    second.note({ seen: 1 });
    second.close();
    const third = await Run.open(run.path);
    third.interrupt(true);
    expect(statesIn(third)).toEqual([1, 2].map((row) => `${row} unconfirmed stopped_while_sent`));
    third.close();
  });

  it('the facts with which the run began are there', async () => {
    const state = await freshFolder();
    const run = await begun(state, [{}]);
    run.forget('staged');
    run.close();
    sql(ledgerPath(state), "UPDATE runs SET entry = 'h-1'");
    const again = await Run.open(run.path);
    expect([again.get('staged'), again.get('historyId')]).toEqual([1, 'h-1']);
    again.close();
  });
});

describe('a file that has lost what was written', () => {
  const damage: readonly (readonly [string, (path: string) => unknown])[] = [
    ['is an older copy, as its marks show', (path) => writeFileSync(markOf(path), marked(99))],
    [
      'is an older copy, as the ledger shows',
      (path) => sql(ledgerOf(path), 'UPDATE runs SET commits = 99'),
    ],
    ['is empty', (path) => writeFileSync(path, '')],
    ['is no database', (path) => writeFileSync(path, 'These are my notes. '.repeat(100))],
    ['is another database', (path) => sql(path, 'PRAGMA application_id = 1')],
    [
      'has a state that this version does not know',
      (path) => sql(path, "UPDATE rows SET state = 'x'"),
    ],
  ];
  const markOf = (path: string) => path.replace(/db$/, 'mark');
  const ledgerOf = (path: string) => ledgerPath(dirname(dirname(path)));
  const marked = (count: number) => {
    const bytes = Buffer.alloc(16);
    bytes.writeDoubleLE(count);
    bytes.writeDoubleLE(count, 8);
    return bytes;
  };

  it.each(damage)('%s, is refused', async (what, act) => {
    const state = await freshFolder();
    await named(state, 'r');
    const path = runPath(join(state, 'imports'), 'r');
    act(path);
    const refused = {
      code: 'config_unreadable',
      message: `the journal ${path} is damaged`,
      hint: 'Restore the state folder. Or remove this file, then record the outcome of its rows: proc imports resolve r. Check the service before you import the file again: with --on-sent skip, proc leaves out rows that its ledger knows, and items by their codes',
    };
    await expect(
      Run.open(path).then((run) => run.counts()),
      what,
    ).rejects.toMatchObject(refused);
    if (what.includes('marks')) return;
    await expect(Run.read(path).then((run) => run.counts())).rejects.toMatchObject(refused);
  });

  it.each([
    [6, 'an older'],
    [8, 'a newer'],
  ])('or is from another version (%d)', async (version, age) => {
    const state = await freshFolder();
    await named(state, 'r');
    const path = runPath(join(state, 'imports'), 'r');
    sql(path, `PRAGMA user_version = ${version}`);
    for (const open of [Run.open, Run.read]) {
      await expect(open(path)).rejects.toMatchObject({
        code: 'config_unreadable',
        message: `${path} is from ${age} version of proc`,
        hint: 'Resume it with the version of proc that started it',
      });
    }
  });
});

describe('a transaction of a run', () => {
  const gone = expect.objectContaining({
    code: 'state_unwritable',
    message: expect.stringMatching(/^the journal .*\/r\.db was removed during the run$/),
    hint: 'proc no longer knows which rows were sent. Check the service before you import the file again',
  });

  it.each(['file', 'ledger', 'replaced'])('is refused once its %s is gone', async (what) => {
    const state = await freshFolder();
    const run = await begun(state, [{}]);
    expect(run.isRemoved).toBe(false);
    if (what === 'replaced') {
      copyFileSync(run.path, `${run.path}.copy`);
      renameSync(`${run.path}.copy`, run.path);
    } else rmSync(what === 'file' ? run.path : ledgerPath(state));
    expect(run.isRemoved).toBe(true);
    expect(() => run.note({ seen: 1 })).toThrow(gone);
    expect(() => run.sendQueue(true).commit([], 1, 1)).toThrow(gone);
    await run.finish();
    run.close();
  });

  it('that fails changes nothing, and the next one may begin', async () => {
    const run = await begun(await freshFolder(), [{}, {}]);
    const { writer } = run.rows;
    const change = () => writer.apply(1, 'refuse', 'rejected');
    const failing = () => {
      change();
      throw new RangeError('stop');
    };
    expect(() => run.commit(failing)).toThrow(RangeError);
    expect(() => run.step(failing)).toThrow(RangeError);
    expect(statesIn(run)).toEqual(['1 pending', '2 pending']);
    // Steps are one transaction, which the next commit ends.
    run.step(() => void change());
    expect(statesIn(run)).toEqual(['1 pending', '2 pending']);
    run.step(() => void writer.apply(2, 'refuse', 'rejected'));
    expect(run.counts()).toMatchObject({ pending: 0, rejected: 2 });
    run.endSteps();
    expect(statesIn(run)).toEqual(['1 rejected', '2 rejected']);
    run.endSteps();
    run.step(() => void writer.apply(2, 'compare', 'existing'));
    run.commit(() => undefined);
    expect(statesIn(run)).toEqual(['1 rejected', '2 existing']);
    run.close();
    run.close();
  });

  it('that finds no room names the file, and may be repeated', async () => {
    const run = await begun(await freshFolder(), [{}]);
    const pages = run.rows.sql.get<{ page_count: number }>('PRAGMA page_count')!.page_count;
    run.rows.sql.exec(`PRAGMA max_page_count = ${pages}`);
    const full = expect.objectContaining({
      code: 'state_unwritable',
      message: `cannot write the journal ${run.path}: the disk is full`,
    });
    const large = { rejectedFile: 'x'.repeat(99_999) };
    expect(() => run.note(large)).toThrow(full);
    expect(() => run.step(() => run.set('keyMark', 'x'.repeat(99_999)))).toThrow(full);
    run.rows.sql.exec('PRAGMA max_page_count = 100000');
    run.note(large);
    expect(await run.isOurs()).toBe(true);
    run.close();
  });

  it('that cannot be committed is undone', async () => {
    const run = await begun(await freshFolder(), [{}]);
    // Checked by COMMIT, as the space on a disk may be.
    run.rows.sql.exec(`PRAGMA foreign_keys = ON; CREATE TABLE a (id INTEGER PRIMARY KEY);
      CREATE TABLE b (id REFERENCES a DEFERRABLE INITIALLY DEFERRED)`);
    const change = () => {
      run.rows.writer.apply(1, 'refuse', 'rejected');
      run.rows.sql.run('INSERT INTO b VALUES (1)');
    };
    const refused = expect.objectContaining({ code: 'state_unwritable' });
    expect(() => run.commit(change)).toThrow(refused);
    run.step(change);
    expect(() => run.endSteps()).toThrow(refused);
    expect(statesIn(run)).toEqual(['1 pending']);
    run.note({ seen: 1 });
    run.close();
  });

  it('whose log is gone sends nothing', async () => {
    const state = await freshFolder();
    const run = await begun(state, [{}]);
    rmSync(`${run.path}-wal`);
    await expect(run.sendQueue(true).commit([], 1, 1).onDisk).rejects.toMatchObject({
      code: 'state_unwritable',
      message: expect.stringContaining(`cannot write the journal ${run.path}: ENOENT`),
    });
    expect(sql(ledgerPath(state), 'SELECT row FROM sent')).toEqual([]);
    run.close();
  });

  it('of the ledger that fails at the end is left to the next command', async () => {
    const state = await freshFolder();
    const run = await begun(state, [{ state: 'created', id: 'i' }]);
    sql(ledgerPath(state), 'ALTER TABLE sent RENAME TO gone');
    await run.finish();
    run.close();
    sql(ledgerPath(state), 'ALTER TABLE gone RENAME TO sent');
    expect(await findKnownRun(dirname(run.path), 'r')).toMatchObject({ counts: undefined });
    const next = await Run.open(run.path);
    await next.finish();
    next.close();
    expect(await findKnownRun(dirname(run.path), 'r')).toMatchObject({
      counts: { states: { created: 1 } },
    });
    expect(sql(ledgerPath(state), 'SELECT row, state, id FROM sent')).toEqual([
      { row: 1, state: 'created', id: 'i' },
    ]);
  });

  it('is on the disk, unless somebody said that it need not be', async () => {
    const run = await begun(await freshFolder(), [{}, {}]);
    const how = () => {
      const [{ synchronous } = {}] = run.rows.sql.all<{ synchronous: number }>(
        'PRAGMA synchronous',
      );
      const [{ value } = {}] = sql(run.path, "SELECT value FROM run WHERE key = 'commits'");
      const mark = readFileSync(run.path.replace(/db$/, 'mark')).readDoubleLE();
      return `${synchronous === 2 ? 'full' : 'later'} ${mark === Number(value)}`;
    };
    run.note({ seen: 1 });
    expect(how()).toBe('full true');
    run.relax(true);
    run.note({ seen: 2 });
    expect(how()).toBe('later false');
    run.relax(false);
    run.note({ seen: 3 });
    expect(how()).toBe('full true');
    await run.sendQueue(true).commit([], 1, 1).onDisk;
    expect(how()).toBe('full true');
    run.sendQueue(true).record([]);
    expect(how()).toBe('full false');
    run.close();
  });

  it('counts rows once, until one changes', async () => {
    const state = await freshFolder();
    const run = await begun(state, [{}, {}]);
    expect(run.counts()).toMatchObject({ pending: 2 });
    run.note({ seen: 1 });
    expect(run.counts()).toMatchObject({ pending: 2 });
    run.commit(() => void run.rows.writer.apply(1, 'refuse', 'rejected'));
    run.note({ seen: 2 });
    expect(run.counts()).toMatchObject({ pending: 1, rejected: 1 });
    run.step(() => void run.rows.writer.apply(2, 'refuse', 'rejected'));
    expect(run.counts()).toMatchObject({ pending: 0, rejected: 2 });
    run.endSteps();
    const reading = await Run.read(run.path);
    reading.freeze();
    expect(reading.counts()).toMatchObject({ rejected: 2 });
    run.commit(() => void run.rows.writer.apply(1, 'compare', 'existing'));
    expect(reading.counts()).toMatchObject({ rejected: 2, existing: 0 });
    reading.endSteps();
    expect(reading.counts()).toMatchObject({ rejected: 1, existing: 1 });
    reading.close();
    run.close();
  });
});

it('a run that begins has all records in its file, not only in the log', async () => {
  const state = await freshFolder();
  const run = await runOf([], HERE, state);
  run.commit(() => run.rows.sql.run("INSERT INTO records (row, body) VALUES (1, '{}'), (2, '{}')"));
  const copied = () => {
    copyFileSync(run.path, `${run.path}.copy`);
    return sql(`${run.path}.copy`, 'SELECT row FROM records').length;
  };
  expect(copied()).toBe(0);
  await run.advance('read');
  await run.begin('begin', { facts: {} });
  expect(copied()).toBe(2);
  expect(run.get('staged')).toBe(2);
  run.close();
});

it('the marks of a run are beside it, whatever the folder is called', async () => {
  const state = join(await freshFolder(), 'my.db');
  const run = await begun(state, [{}]);
  expect(readdirSync(dirname(run.path))).toContain('r.mark');
  run.close();
  await Run.remove(run.path);
  expect(readdirSync(dirname(run.path))).toEqual([]);
});

it('a query that fails names the file of the run', async () => {
  const run = await runOf([]);
  const { sql: queries } = run.rows;
  const wrong = 'SELECT row FROM nowhere WHERE row > ?';
  for (const query of [
    () => queries.all(wrong, 1),
    () => queries.get(wrong, 1),
    () => [...queries.each(wrong, 1)],
  ]) {
    const message = `cannot write the journal ${run.path}: no such table: nowhere`;
    expect(query).toThrow(expect.objectContaining({ code: 'state_unwritable', message }));
  }
  run.close();
});

it('a row that is being sent is parked if nobody waits for it', async () => {
  const given = ['sending', 'unconfirmed'] as const;
  const run = await runOf(given.map((state) => ({ state, fingerprint: 'f' })));
  expect([run.countParked(), run.countParked(false), run.countParked(true)]).toEqual([2, 2, 1]);
  run.close();
});

it.each([
  [{ errcode: 11 }, 'config_unreadable', 'the journal /s/imports/r.db is damaged'],
  [{ errcode: 5 }, 'state_unwritable', 'cannot write the journal /s/imports/r.db: why'],
  [{ errcode: 261 }, 'state_unwritable', 'cannot write the journal /s/imports/r.db: why'],
  [
    { code: 'EACCES' },
    'state_unwritable',
    'cannot write the journal /s/imports/r.db: permission denied',
  ],
  [{ code: 'ERR_FS_EISDIR' }, 'state_unwritable', 'cannot write the journal /s/imports/r.db: why'],
])('an error of the machine names the file of the run: %j', (thrown, code, text) => {
  const failure = runFailure('/s/imports/r.db', Object.assign(new Error('why'), thrown));
  expect(failure).toBeInstanceOf(ProcError);
  const { message, hint } = failure as ProcError;
  expect([(failure as ProcError).code, message]).toEqual([code, text]);
  if ('code' in thrown && thrown.code === 'ERR_FS_EISDIR') {
    expect(hint).toEqual('Remove this folder by hand');
  } else if (code === 'state_unwritable') expect(hint!).toMatch(/^Check the free disk/);
  expect(isRunFailure(failure)).toBe(code === 'state_unwritable');
});

it('an error of another kind is no failure of the run', () => {
  for (const thrown of [new Error('x'), Object.assign(new Error('x'), { errcode: 0 }), null, 'x'])
    expect(runFailure('/s/imports/r.db', thrown)).toBe(thrown);
  const own = new ProcError('import_busy', 'x');
  expect(runFailure('/s/imports/r.db', own)).toBe(own);
  expect([own, new Error('x')].map(isRunFailure)).toEqual([false, false]);
});

it('facts of a run say how codes changed, and where its files are', async () => {
  const run = await runOf([], { rejectedFile: 'a.csv' });
  expect(run.files).toEqual({ rejectedFile: 'a.csv', resultsFile: undefined });
  expect(run.codeChange).toBeUndefined();
  run.note({ rejectedFile: 'b.csv', resultsFile: 'c' });
  expect(run.files).toEqual({ rejectedFile: 'b.csv', resultsFile: 'c' });
  const seen = { name: 'upper case', sent: 'a', stored: 'A' };
  run.note({ codesChanged: seen });
  expect(run.codeChange).toEqual(seen);
  run.forget('codesChanged');
  expect(run.codeChange).toBeUndefined();
  expect([run.isShared, run.isRemoved, await run.isOurs()]).toEqual([false, false, true]);
  await run.noteSeen();
  expect(run.get('seen')).toBeUndefined();
  await run.finish();
  await run.discard();
  expect(existsSync(run.path)).toBe(false);
  expect(readdirSync(dirname(run.path)).filter((name) => name.startsWith('r.'))).toEqual([]);
});

it('a run that was removed leaves nothing open, and is named', async () => {
  const state = await freshFolder();
  const run = await runOf([], HERE, state);
  await run.discard();
  const all = readdirSync(state, { recursive: true });
  expect(all.map(String).sort()).toEqual(['imports', 'ledger.db']);
  await expect(Run.open(run.path)).rejects.toMatchObject({
    code: 'reference_not_found',
    message: 'there is no import run "r" any more',
    hint: 'List all runs: proc imports list',
  });
});

it.runIf(process.platform === 'linux')('no file stays open, whatever happens', async () => {
  const state = await freshFolder();
  const folder = join(state, 'imports');
  const path = runPath(folder, 'r');
  const open = () =>
    readdirSync('/proc/self/fd').flatMap((fd) => {
      try {
        const file = readlinkSync(`/proc/self/fd/${fd}`);
        return file.startsWith(state) ? [file] : [];
      } catch {
        return [];
      }
    });
  const failing = async (act: () => Promise<unknown>) => {
    await expect(act()).rejects.toBeInstanceOf(ProcError);
    expect(open()).toEqual([]);
  };
  await named(state, 'r', [{ state: 'created', id: 'i' }]);
  expect(open()).toEqual([]);
  await failing(() => runOf([], HERE, state));
  (await Run.read(path)).close();
  const run = await Run.open(path);
  run.interrupt(true);
  await run.finish();
  run.close();
  await runNames(folder);
  await eachRun(folder, () => 1);
  await findKnownRun(folder, 'r');
  expect(open()).toEqual([]);
  sql(ledgerPath(state), 'UPDATE runs SET counts = NULL');
  await eachRun(folder, () => 1);
  (await openWorkplace(folder, false, SELF))[Symbol.dispose]();
  expect(open()).toEqual([]);
  const unknown = runPath(folder, 'none');
  await failing(() => Run.open(unknown));
  await failing(() => Run.read(unknown));
  sql(ledgerPath(state), 'UPDATE runs SET commits = 99');
  await failing(() => Run.open(path));
  await failing(() => Run.read(path));
  writeFileSync(path, 'These are my notes. '.repeat(100));
  await failing(() => Run.open(path));
  await failing(() => Run.read(path));
  await Run.remove(path);
  expect(open()).toEqual([]);
});

it('a run that continues others takes what they have left, when it begins', async () => {
  const state = await freshFolder();
  await named(state, 'r0');
  const run = await begun(state, [{}], { run: 'r1', continues: ['r0', 'none'] });
  run.close();
  expect(sql(ledgerPath(state), 'SELECT name, is_discarded FROM runs')).toEqual([
    { name: 'r0', is_discarded: 1 },
    { name: 'r1', is_discarded: 0 },
  ]);
});

describe('the list of runs', () => {
  const [A, B, C] = ['20260101-000000-bbbb', '20260101-000000-aaaa', '20260102-000000-cccc'];

  it('has those of the ledger and those that have only a file, in order', async () => {
    const state = await freshFolder();
    const folder = join(state, 'imports');
    expect(
      importsFolder({
        flags: {},
        cwd: state,
        env: { PROC_STATE_DIR: state, PROC_CONFIG_DIR: state, HOME: state },
      } as never),
    ).toBe(folder);
    mkdirSync(folder);
    for (const name of ['notes.db', `${C}.mark`, `x${C}.db`, `${C}.dbx`, '20251231-000000-eeee.db'])
      writeFileSync(join(folder, name), '');
    expect(await runNames(folder)).toEqual(['20251231-000000-eeee']);
    await named(state, C);
    await named(state, A);
    await named(state, B);
    const all = ['20251231-000000-eeee', A, B, C];
    expect(await runNames(folder)).toEqual(all);
    // One that has sent nothing and has no file is over; one that has sent stays, and so does its file.
    const unsent = await runOf([], { ...HERE, run: '20260103-000000-dddd' }, state);
    unsent.close();
    expect(await runNames(folder)).toEqual([...all, '20260103-000000-dddd']);
    rmSync(unsent.path);
    rmSync(runPath(folder, C));
    expect(await runNames(folder)).toEqual(all);
    sql(ledgerPath(state), `UPDATE runs SET is_discarded = 1 WHERE name = '${A}'`);
    expect(await runNames(folder)).toEqual(all.filter((name) => name !== A));
    const removable = async () => (await removableRuns(folder)).map(({ header }) => header.run);
    expect(await removable()).toEqual([A, '20260103-000000-dddd']);
    sql(ledgerPath(state), `UPDATE runs SET header = NULL WHERE name = '${A}'`);
    expect(await removable()).toEqual(['20260103-000000-dddd']);
    expect(await headerOfRun(folder, A)).toBeUndefined();
    expect(await headerOfRun(folder, B)).toMatchObject({ run: B });
    expect(await headerOfRun(folder, 'none')).toBeUndefined();
    expect(await findKnownRun(folder, B)).toMatchObject({ name: B, phase: 'begun' });
  });

  it('finds a run by a part of its name', async () => {
    const state = await freshFolder();
    const folder = join(state, 'imports');
    const refused = (code: string, more: object) => expect.objectContaining({ code, ...more });
    const none = refused('reference_not_found', { message: 'there are no import runs' });
    await expect(findRun(folder, 'last')).rejects.toEqual(none);
    for (const name of [A, B, C]) await named(state, name);
    for (const [typed, found] of [
      [A, A],
      ['last', C],
      ['20260102', C],
      ['bbbb', A],
      ['aa', B],
    ] as const)
      expect(await findRun(folder, typed)).toBe(found);
    await expect(findRun(folder, '20260101')).rejects.toEqual(
      refused('ambiguous_reference', {
        message: '"20260101" matches 2 runs',
        hint: 'Give more of the name. To list all runs: proc imports list',
        details: { candidates: [A, B] },
      }),
    );
    await expect(findRun(folder, '20260102-000000-cccd')).rejects.toEqual(
      refused('reference_not_found', {
        message: 'there is no import run "20260102-000000-cccd"',
        hint: `Did you mean ${C}?`,
      }),
    );
    await expect(findRun(folder, 'x')).rejects.toEqual(
      refused('reference_not_found', { hint: 'List all runs: proc imports list' }),
    );
  });

  it('reads each run from the ledger if it can, and goes on after a damaged one', async () => {
    const state = await freshFolder();
    const folder = join(state, 'imports');
    expect(await eachRun(folder, () => 1)).toEqual([]);
    expect(existsSync(ledgerPath(state))).toBe(false);
    await named(state, A, [{ state: 'created', id: 'i' }, {}]);
    const open = await begun(state, [{}, {}], { run: B });
    open.note({ seen: 7 });
    await named(state, C);
    const counts = { states: { ...noCounts(), created: 5 }, parked: 2 };
    sql(
      ledgerPath(state),
      `UPDATE runs SET counts = '${JSON.stringify(counts)}' WHERE name = '${A}'`,
    );
    writeFileSync(runPath(folder, C), 'notes');
    sql(ledgerPath(state), `UPDATE runs SET counts = NULL WHERE name = '${C}'`);
    const look = (run: RunState) => [
      ...[run.header.run, run.phase, run.counts().created, run.counts().pending],
      ...[run.countParked(), run.get('seen'), run.isRemoved],
    ];
    const failed: string[] = [];
    const seen = await eachRun(folder, look, (name, { code }) => {
      failed.push(`${name} ${code}`);
      return undefined;
    });
    expect(seen).toEqual([
      [A, 'begun', 5, 0, 2, undefined, false],
      [B, 'begun', 0, 2, 0, 7, false],
    ]);
    expect(failed).toEqual([`${C} config_unreadable`]);
    // A run that is only looked at stays with the process that writes it.
    expect(await open.isOurs()).toBe(true);
    open.close();
    expect(await eachRun(folder, () => undefined)).toEqual([]);
    expect(
      await eachRun(
        folder,
        () => 1,
        () => 2,
      ),
    ).toEqual([1, 1, 2]);
    rmSync(runPath(folder, A));
    expect(
      await eachRun(
        folder,
        (run) => run.header.run,
        (name) => `${name}?`,
      ),
    ).toEqual([...[`${A}?`, B, `${C}?`]]);
    const bug = () => {
      throw new RangeError('stop');
    };
    await expect(eachRun(folder, bug)).rejects.toThrow(RangeError);
  });
});

describe('the summary of a run', () => {
  const state = (counts: Partial<Record<RowState, number>>, more: Partial<RunState> = {}) =>
    ({
      ...{ header: { run: 'r' }, phase: 'begun', isRemoved: false },
      counts: () => ({ ...noCounts(), ...counts }),
      countParked: (isRunning?: boolean) => (isRunning === true ? 1 : 2),
      get: () => undefined,
      ...more,
    }) as RunState;
  const holder = { pid: 1, run: 'r', since: '' };

  it('counts a row that is being sent as unconfirmed, unless somebody waits for it', () => {
    const all = Object.fromEntries(Object.keys(noCounts()).map((name, at) => [name, at + 1]));
    const counts = { ...noCounts(), ...all };
    const same = {
      ...{ rows: 36, created: 3, existing: 4, duplicates: 5, dropped: 6, rejected: 7 },
      pending: 1,
    };
    expect(counted(counts)).toEqual({ ...same, unconfirmed: 10 });
    expect(counted(counts, true)).toEqual({ ...same, unconfirmed: 8, sending: 2 });
    expect(counted(noCounts(), true)).toEqual({
      ...{ rows: 0, created: 0, existing: 0, duplicates: 0, dropped: 0, rejected: 0 },
      ...{ unconfirmed: 0, pending: 0 },
    });
    expect(summary(state({ sending: 3 })).counts).toMatchObject({ unconfirmed: 3 });
    expect(summary(state({ sending: 3 }), holder).counts).toMatchObject({ sending: 3 });
  });

  it.each<[counts: object, more: Partial<RunState>, left: string, open: number, parked: number]>([
    [{}, {}, 'resume', 0, 0],
    [{}, { phase: 'ended' }, 'nothing', 0, 0],
    [{ pending: 1 }, { phase: 'ended' }, 'resume', 0, 0],
    [{ unconfirmed: 2 }, { phase: 'ended' }, 'resolve', 0, 2],
    [{ unconfirmed: 3 }, { phase: 'ended' }, 'resume', 1, 2],
    [{ unconfirmed: 3 }, { phase: 'ended', isRemoved: true }, 'resolve', 0, 3],
    [{ created: 1 }, { phase: 'reading' }, 'resume', 0, 0],
  ])('says what is left of %j %j', (counts, more, left, open, parked) => {
    const seen = summary(state(counts, more));
    expect([seen.left, seen.open, seen.parked]).toEqual([left, open, parked]);
    expect([seen.phase, seen.isLost, seen.isElsewhere]).toEqual([
      ...[more.phase ?? 'begun', more.isRemoved ?? false, false],
    ]);
  });

  it('does not look up rows while a process works on the run', () => {
    expect(summary(state({ unconfirmed: 3 }), holder).parked).toBe(1);
    expect(summary(state({}, { isElsewhere: true })).isElsewhere).toBe(true);
    const fact = summary(state({}, { get: ((key: string) => key) as never })).fact('seen');
    expect(fact).toBe('seen');
  });
});

describe('the workplace of an import', () => {
  it('of a dry run is temporary', async () => {
    const state = await freshFolder();
    const folder = join(state, 'imports');
    const place = await openWorkplace(folder, true, SELF);
    expect([existsSync(place.folder), existsSync(folder)]).toEqual([true, false]);
    writeFileSync(join(place.folder, 'x'), '');
    place[Symbol.dispose]();
    expect(existsSync(place.folder)).toBe(false);
    place[Symbol.dispose]();
  });

  it('is cleaned of what killed imports left, unless another import works there', async () => {
    const state = await freshFolder();
    const folder = join(state, 'imports');
    const first = await openWorkplace(folder, false, SELF);
    expect(first.folder).toBe(folder);
    const temporary = ['input-1', 'r.db.new', 'r.db.new-wal', 'r.db.new-shm', 'r.db.new-journal'];
    const others = ['my-input-1', 'r.db.new.bak', 'x.db.newer'];
    const write = () => {
      for (const name of [...temporary, ...others]) writeFileSync(join(folder, name), '');
    };
    const left = () =>
      readdirSync(folder).filter((name) => [...temporary, ...others].includes(name));
    write();
    const second = await openWorkplace(folder, false, SELF);
    expect(left().sort()).toEqual([...temporary, ...others].sort());
    first[Symbol.dispose]();
    await removeLeftovers(folder, SELF);
    expect(left()).toHaveLength(8);
    second[Symbol.dispose]();
    (await openWorkplace(folder, false, SELF))[Symbol.dispose]();
    expect(left().sort()).toEqual([...others].sort());
    // A run that has sent nothing is over.
    const run = await runOf([], { ...HERE, run: '20260101-000000-aaaa' }, state);
    run.close();
    await removeLeftovers(folder, SELF);
    expect(await runNames(folder)).toEqual([]);
    // Nobody keeps the lock.
    const lock = tryLock(join(folder, 'inputs.lock'));
    expect(lock).toBeDefined();
    lock!.release();
  });

  it('completes removals that were interrupted, except of runs that somebody works on', async () => {
    const state = await freshFolder();
    const folder = join(state, 'imports');
    const [own, held] = ['20260101-000000-aaaa', '20260102-000000-aaaa'];
    await named(state, own, [{ state: 'created', id: 'i' }]);
    await named(state, held, [{}], { noun: 'imputations' });
    const database = openLedger(state);
    const ledger = new Ledger(database);
    for (const name of [own, held]) await ledger.beginDiscard(name);
    const lock = await lockImport({ folder, noun: 'imputations', ...HERE }, SELF);
    await removeLeftovers(folder, SELF);
    const files = () => [own, held].map((name) => existsSync(runPath(folder, name)));
    expect(files()).toEqual([false, true]);
    expect(await ledger.run(own)).toMatchObject({ isDiscarded: true, header: undefined });
    expect(sql(ledgerPath(state), 'SELECT row, state, id FROM sent')).toEqual([
      { row: 1, state: 'created', id: 'i' },
    ]);
    await lock.release();
    await removeLeftovers(folder, SELF);
    expect(files()).toEqual([false, false]);
    expect(await ledger.run(held)).toBeUndefined();
    database.close();
  });

  it('says so if it cannot be used', async () => {
    const folder = join(await freshFolder(), 'imports');
    mkdirSync(join(folder, 'inputs.lock'), { recursive: true });
    await expect(openWorkplace(folder, false, SELF)).rejects.toMatchObject({
      code: expect.any(String),
    });
  });
});
