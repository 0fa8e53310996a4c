import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { http, startHostile } from '../support/hostile-service.ts';
import { errorOf, freshWorld, jsonLines, type Ran } from '../support/run.ts';

/** A state folder of the version before the ledger, with runs of the organizations `acme` and `beta`. */
const BEFORE = resolve(import.meta.dirname, '../fixtures/state-before-ledger.tar.gz');
const WRITTEN_AT = 'http://127.0.0.1:41291/api/v1';

const RUNS = {
  /** Created OLD-1 and OLD-2. */
  finished: '20261122-065019-50ab',
  /** Created PARK-1; LOST-2 and LOST-3 are parked. */
  parked: '20261122-065020-fa10',
  /** Created MORE-1, and inherited LOST-2 and LOST-3. LOST-2 was resolved here, by adopting im-77. */
  inherited: '20261122-065020-2ce7',
  /** Sent GONE-1 and LOST-4. LOST-4 is unconfirmed, and the run was discarded. */
  discarded: '20261122-065021-c96e',
  repaired: '20261122-065022-218f',
  repairing: '20261122-065023-6372',
  /** beta: created 3 of 8 rows. */
  stopped: '20261122-065023-22c3',
  /** beta: killed while it read the catalogue. */
  planned: '20261122-065024-bf9e',
  looked: '20261122-065024-1763',
} as const;

/** The runs as the version before the ledger listed them. */
const LISTED = [
  { run: RUNS.looked, state: 'finished', organization: 'acme', created: 1, rejected: 1 },
  { run: RUNS.planned, state: 'unfinished', organization: 'beta', pending: 2, duplicates: 1 },
  { run: RUNS.stopped, state: 'unfinished', organization: 'beta', created: 3, pending: 5 },
  { run: RUNS.repairing, state: 'finished', organization: 'acme', created: 1, rejected: 1 },
  { run: RUNS.repaired, state: 'finished', created: 2, rejected: 1, repaired: 1 },
  { run: RUNS.inherited, state: 'unconfirmed', organization: 'acme', created: 2, unknown: 1 },
  { run: RUNS.parked, state: 'unconfirmed', organization: 'acme', created: 1, unknown: 2 },
  { run: RUNS.finished, state: 'finished', organization: 'acme', created: 2, unknown: 0 },
];

async function earlier() {
  const sent: string[] = [];
  const items: { id: string; code: string; name: string }[] = [];
  const service = await startHostile((socket, { method, line, body }) => {
    if (method === 'GET') {
      const query = new URL(line.split(' ')[1]!, 'http://x').searchParams;
      const from = Number(query.get('offset') ?? 0);
      const rows = items.slice(from, from + Number(query.get('limit') ?? 20));
      socket.write(http(200, JSON.stringify(rows)));
      return;
    }
    const { reference, code, name } = JSON.parse(body) as Record<string, string>;
    sent.push(reference ?? code!);
    if (reference === undefined) items.push({ id: `i-${code}`, code: code!, name: name! });
    socket.write(http(201, JSON.stringify({ id: `i-${reference ?? code}`, code, name })));
  });
  const world = await freshWorld({ PROC_BASE_URL: service.baseUrl });
  const state = world.stateDir;
  await mkdir(state, { mode: 0o700 });
  execFileSync('tar', ['xzf', BEFORE, '-C', state]);
  const change = (file: string, sql: string) => {
    const database = new DatabaseSync(join(state, file));
    database.exec(sql.replaceAll('OLD', WRITTEN_AT).replaceAll('NEW', service.baseUrl));
    database.close();
  };
  change(
    'history.db',
    "UPDATE entries SET service = 'NEW', baseUrl = 'NEW'; UPDATE sent_rows SET service = 'NEW'; UPDATE organizations SET service = 'NEW'",
  );
  for (const run of Object.values(RUNS)) {
    if (!existsSync(join(state, `imports/${run}.db`))) continue;
    change(`imports/${run}.db`, "UPDATE run SET value = replace(value, 'OLD', 'NEW')");
  }
  const env = (organization: string) => ({
    PROC_API_KEY: `key-of-${organization}`,
    PROC_ORGANIZATION: organization,
  });
  return {
    world,
    state,
    items,
    sent,
    proc: (organization: string, ...args: string[]): Promise<Ran> =>
      world.run(args, { env: env(organization) }),
    start: (organization: string, ...args: string[]) =>
      world.start(args, { env: env(organization) }),
    rows: (...rows: readonly string[]) =>
      world.file('rows.csv', `reference,amount\n${rows.join('\n')}\n`),
    [Symbol.asyncDispose]: () => service.close(),
  };
}

const told = ({ stdout }: Ran) => JSON.parse(stdout);

function versionIn(state: string, file: string): number {
  const database = new DatabaseSync(join(state, file), { readOnly: true });
  try {
    return Number(database.prepare('PRAGMA user_version').get()!.user_version);
  } finally {
    database.close();
  }
}

describe('state of the previous version', () => {
  it('is listed and shown as before', async () => {
    await using old = await earlier();
    expect(told(await old.proc('acme', 'imports', 'list'))).toMatchObject(LISTED);
    const entries = told(await old.proc('acme', 'history', 'list'));
    expect(entries).toHaveLength(11);
    expect(entries.at(-2)).toMatchObject({ state: 'unknown', what: 'create item "Lost"' });
    expect(entries.at(-3)).toMatchObject({ state: 'done', organization: 'beta' });
    expect(told(await old.proc('acme', 'imports', 'show', RUNS.repairing))).toMatchObject({
      run: RUNS.repairing,
      source: 'rej.csv',
      created: 1,
    });
  });

  it('shows what was sent before, by which run, and for which organization', async () => {
    await using old = await earlier();
    const file = await old.rows(
      'OLD-1,1',
      'GONE-1,1',
      'LOST-4,2',
      'LOST-2,2',
      'LOST-3,3',
      'NEW-9,9',
    );
    const line = ['imputations', 'import', file, '--yes'];
    const refused = errorOf(await old.proc('acme', ...line));
    expect(refused.message).toContain('5 of 6 rows were already sent by run');
    expect(refused.message).toContain('3 created, 2 unconfirmed');
    expect(refused.details).toMatchObject({
      sentBefore: {
        [`run ${RUNS.finished}`]: 1,
        [`run ${RUNS.discarded}`]: 2,
        [`run ${RUNS.parked}`]: 1,
        [`run ${RUNS.inherited}`]: 1,
      },
    });
    const other = await old.proc('beta', ...line, '--dry-run');
    expect(told(other)).toMatchObject({ create: 6 });
    const again = await old.proc('acme', 'items', 'create', '--name', 'Lost', '--code', 'LOST-1');
    expect(errorOf(again)).toMatchObject({ code: 'repeated_write', exitCode: 2 });
    expect(old.sent).toEqual([]);
  });

  it('is resumed where it stopped, and resolved with outcomes from a later run', async () => {
    await using old = await earlier();
    for (const n of [0, 1, 2]) old.items.push({ id: `i-S-${n}`, code: `S-${n}`, name: 'n' });
    const stopped = await old.proc('beta', 'imports', 'resume', RUNS.stopped);
    expect(stopped, stopped.stderr).toMatchObject({ exitCode: 0 });
    expect(told(stopped)).toMatchObject({ rows: 8, created: 8, pending: 0 });
    expect(old.sent).toEqual(['S-3', 'S-4', 'S-5', 'S-6', 'S-7']);
    const planned = await old.proc('beta', 'imports', 'resume', RUNS.planned, '--yes');
    expect(planned, planned.stderr).toMatchObject({ exitCode: 0 });
    expect(told(planned)).toMatchObject({ rows: 3, created: 2, duplicates: 1 });
    const parked = await old.proc('acme', 'imports', 'resume', RUNS.parked);
    expect(parked.stderr).toContain(`resolved in run ${RUNS.inherited}`);
    expect(told(parked)).toMatchObject({ created: 2, unknown: 1 });
    expect(old.sent).toHaveLength(7);
  });

  it('is refused by the previous version from then on', async () => {
    await using old = await earlier();
    await old.proc('acme', 'imports', 'list');
    expect(versionIn(old.state, 'history.db')).toBe(6);
    for (const file of readdirSync(join(old.state, 'imports'))) {
      if (file.endsWith('.db')) expect(versionIn(old.state, `imports/${file}`)).toBe(4);
    }
  });

  it('is taken over completely, however often the copy is interrupted', async () => {
    await using old = await earlier();
    for (let ms = 40; ms < 400; ms += 20) {
      const running = old.start('acme', 'imports', 'list');
      await sleep(ms);
      running.kill('SIGKILL');
      await running.catch(() => undefined);
    }
    expect(told(await old.proc('acme', 'imports', 'list'))).toMatchObject(LISTED);
    expect(told(await old.proc('acme', 'history', 'list'))).toHaveLength(11);
  });

  it('is marked by the next command if the process was killed before', async () => {
    await using old = await earlier();
    await old.proc('acme', 'imports', 'list');
    // Makes the folder look as before the earlier files were marked as copied.
    for (const [file, version] of [
      ['ledger.db', 1],
      ['history.db', 5],
    ] as const) {
      const database = new DatabaseSync(join(old.state, file));
      database.exec(`PRAGMA user_version = ${version}`);
      database.close();
    }
    expect(told(await old.proc('acme', 'imports', 'list'))).toMatchObject(LISTED);
    expect(versionIn(old.state, 'history.db')).toBe(6);
    expect(told(await old.proc('acme', 'history', 'list'))).toHaveLength(11);
  });

  it('is not taken over while the previous version runs an import', async () => {
    await using old = await earlier();
    const lock = new DatabaseSync(join(old.state, 'imports/inputs.lock'));
    lock.exec('BEGIN');
    lock.prepare('SELECT count(*) FROM sqlite_schema').get();
    const refused = await old.proc('acme', 'imports', 'list');
    expect(errorOf(refused)).toMatchObject({ code: 'import_busy' });
    lock.close();
    expect(told(await old.proc('acme', 'imports', 'list'))).toMatchObject(LISTED);
  });

  it('is not changed if a journal is damaged, and the rest is known', async () => {
    await using old = await earlier();
    await writeFile(join(old.state, `imports/${RUNS.finished}.db`), 'no database'.repeat(900));
    const listed = await old.proc('acme', 'imports', 'list');
    expect(jsonLines(listed.stderr).map(({ warning }) => warning)).toEqual([
      expect.stringContaining('is damaged'),
    ]);
    expect(told(listed)).toHaveLength(LISTED.length);
    const file = await old.rows('OLD-1,1', 'OLD-2,2');
    const again = await old.proc(
      'acme',
      'imputations',
      'import',
      file,
      '--yes',
      '--on-sent',
      'skip',
    );
    expect(told(again)).toMatchObject({ existing: 0, unknown: 2, created: 0 });
  });
});

it('a ledger of a newer version is refused', async () => {
  await using old = await earlier();
  await old.proc('acme', 'imports', 'list');
  const database = new DatabaseSync(join(old.state, 'ledger.db'));
  database.exec('PRAGMA user_version = 99');
  database.close();
  for (const args of [
    ['history', 'list'],
    ['imports', 'list'],
    ['items', 'create', '--name', 'Bolt', '--yes'],
  ]) {
    const refused = await old.proc('acme', ...args);
    expect(refused.exitCode).toBe(3);
    expect(errorOf(refused).message).toBe(
      `${join(old.state, 'ledger.db')} was written by a newer version of proc`,
    );
  }
  expect(old.sent).toEqual([]);
});
