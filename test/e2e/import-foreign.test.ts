import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ForeignHabits, foreignService } from '../support/foreign-service.ts';
import { runHere } from '../support/in-process.ts';
import { errorOf } from '../support/run.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'proc-foreign-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function fileOf(count: number, prefix = 'F'): Promise<string> {
  const path = join(folder, `${prefix}-${count}.csv`);
  const rows = Array.from({ length: count }, (_, n) => `${prefix}-${(n * 37) % 1_000},Row ${n}`);
  await writeFile(path, `code,name\n${rows.join('\n')}\n`);
  return path;
}

async function machine(target: Readonly<Record<string, string>>) {
  const home = await mkdtemp(join(folder, 'm-'));
  const env = { HOME: home, PROC_CONFIG_DIR: home, PROC_STATE_DIR: join(home, 'state'), ...target };
  return (file: string, ...flags: string[]) =>
    runHere(['items', 'import', file, '--yes', ...flags], env);
}

const ASKS = { limit: 'limit', offset: 'offset', sort: 'sort', dir: 'dir' };
const NAMES = { limit: 'pageSize', offset: 'skip', sort: 'orderBy', dir: 'direction' };
const NOBODY = { limit: 'l1', offset: 'o1', sort: 's1', dir: 'd1' };

/**
 * What a second import proves about the list of each service. `complete`: it read all items. `seen`: it saw its
 * own rows. `stops`: neither.
 */
const SERVICES: ReadonlyArray<
  readonly [string, ForeignHabits, number, 'complete' | 'seen' | 'stops']
> = [
  ['the names that proc assumes', ASKS, 230, 'complete'],
  ['other names', NAMES, 230, 'complete'],
  ['other names, 50 rows a page', { ...NAMES, size: 50 }, 130, 'complete'],
  ['pages from 1', { limit: 'per_page', page: 'page', sort: 'sort', dir: 'dir' }, 230, 'complete'],
  ['pages from 0', { limit: 'size', page: 'page', base: 0 }, 130, 'complete'],
  ['pages that are called offset', { limit: 'limit', page: 'offset', base: 0 }, 230, 'complete'],
  ['offset counts pages, limit unknown', { page: 'offset', base: 0, limit: 'l1' }, 130, 'stops'],
  ['50 rows a page whatever is asked', { ...ASKS, cap: 50 }, 230, 'complete'],
  ['50 rows a page, other names', { ...NAMES, cap: 50 }, 230, 'complete'],
  ['400 for unknown parameters', { ...NAMES, refuses: true }, 130, 'complete'],
  [
    '400, and sort names nobody knows',
    { ...NOBODY, limit: 'max', offset: 'start', refuses: true },
    130,
    'complete',
  ],
  ['400 for all that anybody knows', { ...NOBODY, refuses: true }, 130, 'stops'],
  ['the first page for ever', { limit: 'limit', size: 20 }, 130, 'stops'],
  ['the first page for ever, a short list', { limit: 'limit' }, 60, 'seen'],
  ['the first 20 rows for ever', {}, 130, 'stops'],
  ['everything, more than a page may hold', { isWhole: true }, 230, 'complete'],
  ['everything, a round number', { isWhole: true }, 200, 'seen'],
  ['everything, no more than a page', { isWhole: true }, 60, 'seen'],
  ['everything, and 400 for any parameter', { isWhole: true, refuses: true }, 230, 'complete'],
  ['no order of its own', { ...NAMES, isUnstable: true }, 130, 'complete'],
  ['another order each time', { limit: 'limit', offset: 'offset', isUnstable: true }, 230, 'stops'],
  ['sort names nobody knows', { ...NOBODY, limit: 'limit', offset: 'offset' }, 230, 'complete'],
  ['the last page again past the end', { limit: 'size', page: 'page', clamps: true }, 130, 'seen'],
  ['404 past the end', { limit: 'size', page: 'page', past: 404 }, 230, 'complete'],
];

describe('a file imported twice never creates rows twice', () => {
  it.each(SERVICES)('%s', async (_, habits, count, outcome) => {
    await using service = await foreignService(habits);
    const file = await fileOf(count);
    const first = await (await machine(service.target))(file);
    expect(first, first.stderr).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(first.stdout)).toMatchObject({ created: count, catalogue: 'complete' });
    const other = await machine(service.target);
    const again = await other(file);
    expect(service.creates()).toBe(count);
    if (outcome !== 'stops') {
      const catalogue = outcome === 'complete' ? 'complete' : 'unverified';
      expect(again, again.stderr).toMatchObject({ exitCode: 0 });
      expect(JSON.parse(again.stdout)).toMatchObject({ existing: count, catalogue });
      return;
    }
    const error = errorOf(again);
    expect(error).toMatchObject({ code: 'catalogue_unverified', exitCode: 2 });
    expect(error.hint).toContain('proc doctor');
  });
});

describe('a catalogue that cannot be verified', () => {
  it('rows that this machine created count as existing; other rows stop the import', async () => {
    await using service = await foreignService(NOBODY);
    const proc = await machine(service.target);
    expect((await proc(await fileOf(60))).exitCode).toBe(0);
    const same = await proc(await fileOf(60));
    expect(JSON.parse(same.stdout)).toMatchObject({ existing: 60, catalogue: 'unverified' });
    const more = await fileOf(61);
    for (const flags of [[], ['--on-existing', 'fail'], ['--dry-run']]) {
      expect(errorOf(await proc(more, ...flags))).toMatchObject({ exitCode: 2 });
    }
    expect(service.creates()).toBe(60);
  });

  it('a detected dialect is stored, and the next import does not detect it again', async () => {
    await using service = await foreignService(NAMES);
    const home = await mkdtemp(join(folder, 'm-'));
    const env = {
      HOME: home,
      PROC_CONFIG_DIR: home,
      PROC_STATE_DIR: join(home, 'state'),
      PROC_API_KEY: 'k-1',
      PROC_PROFILE: 'acme',
    };
    const url = service.target.PROC_BASE_URL;
    await runHere(['profile', 'add', 'acme', '-e', 'local', '--base-url', url], env);
    const proc = (...flags: string[]) => runHere(['items', 'import', '--yes', ...flags], env);
    const file = await fileOf(60);
    expect((await proc(file)).exitCode).toBe(0);
    const learned = await proc(file);
    expect(learned.stderr).toContain('limit=pageSize, offset=skip');
    expect(learned.stderr).toContain('stored for acme · local: items.limit=pageSize');
    const before = service.requests.length;
    expect(await proc(file)).toMatchObject({ exitCode: 0, stderr: '' });
    expect(service.requests.length - before).toBeLessThan(12);
  });
});

describe('reading the list once more after the run', () => {
  it('reports codes that something else created meanwhile: exit 8', async () => {
    await using service = await foreignService({
      ...ASKS,
      onCreate(items, { code, name }) {
        if (items.length < 6) items.push({ id: `other-${code}`, code, name });
      },
    });
    const ran = await (await machine(service.target))(await fileOf(130));
    expect(ran.exitCode).toBe(8);
    const summary = JSON.parse(ran.stdout);
    expect(summary).toMatchObject({ created: 130, verified: true, createdTwice: 3 });
    expect(summary.twice[0]).toEqual({ code: 'F-0', ids: [expect.any(String), 'other-F-0'] });
    expect(ran.stderr).toContain('3 codes now exist more than once');
  });

  it('takes a few requests if nothing else was created', async () => {
    await using service = await foreignService(ASKS);
    const ran = await (await machine(service.target))(await fileOf(230));
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0, stderr: '' });
    expect(JSON.parse(ran.stdout).verified).toBe(true);
    const last = service.requests.findLastIndex((line) => line.startsWith('POST'));
    expect(service.requests.length - 1 - last).toBeLessThanOrEqual(15);
  });
});

describe('an empty list, which does not show its parameter names', () => {
  const PAGES = { limit: 'pageSize', page: 'page', sort: 'orderBy', dir: 'order' };

  it('the run detects them before it parks unconfirmed rows', async () => {
    const lost = new Set(['F-37', 'F-74', 'F-999']);
    await using service = await foreignService({ ...PAGES, loses: (code) => lost.delete(code) });
    const proc = await machine(service.target);
    const ran = await proc(await fileOf(130), 'PROC_SETTLE=200ms', '--timeout', '5s');
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(ran.stdout)).toMatchObject({ created: 130, unconfirmed: 0 });
    expect(service.creates()).toBe(130);
  });
});
