import { describe, expect, it } from 'vitest';
import { ProcError } from '../../../src/core/errors.ts';
import { Scope } from '../../../src/core/scope.ts';
import type { Intent } from '../../../src/history/entry.ts';
import { openHistory } from '../../../src/history/store.ts';
import { beginSending, recordEnd, scopeOfRun } from '../../../src/import/record-run.ts';
import type { RunHeader } from '../../../src/import/store/facts.ts';
import {
  createdByOthers,
  eachKnownHere,
  holdersOf,
  noteKnownIds,
} from '../../../src/import/store/known-records.ts';
import type { Run } from '../../../src/import/store/run-file.ts';
import type { ImportTarget } from '../../../src/import/targets/import-target.ts';
import { ITEM_IMPORT } from '../../../src/import/targets/item-import.ts';
import { openLedger } from '../../../src/ledger/open-ledger.ts';
import { Ledger } from '../../../src/ledger/sql-ledger.ts';
import type { Listed } from '../../../src/listing/listing.ts';
import { freshFolder } from '../../support/sandbox.ts';
import { type GivenRow, HERE, runOf } from './run-of.ts';

const OTHER = { baseUrl: 'http://a.example', organization: 'globex' };
const UNLISTED: ImportTarget = { ...ITEM_IMPORT, listing: undefined };

async function scene(
  rows: readonly GivenRow[] = [],
  header: Partial<RunHeader> = {},
  scopeOf: () => Scope = () => new Scope(HERE, { markOf: (run) => `mark of ${run}` }),
) {
  const state = await freshFolder();
  const run = await runOf(
    rows,
    { ...HERE, startedAt: '1970-01-01T00:00:01.000Z', ...header },
    state,
  );
  run.rows.addIndexes();
  const history = openHistory(state);
  const ledger = new Ledger(openLedger(state));
  const said: string[] = [];
  const ports = {
    io: {
      terminal: { interactive: false },
      say: ({ kind, text }: { kind: string; text: string }) => void said.push(`${kind}: ${text}`),
    },
    store: { scope: async () => scopeOf(), open: async () => history },
    self: { env: { AI_AGENT: 'robot' }, clock: { now: () => 5_000 } },
  } as never;
  /** Another run that has created rows. */
  const runThat = async (
    name: string,
    created: readonly (readonly [id: string, key: string])[],
    { organization = 'acme', noun = 'items', finishedAt = undefined as number | undefined } = {},
  ) => {
    const place = { noun, service: HERE.baseUrl, organization, phase: 'begun', header: {} };
    const other = await ledger.add({ ...place, name });
    const noted = { finishedAt };
    await ledger.move(other, { from: ['begun'], to: 'begun', hasBegun: true, noted });
    const against = { which: 'nothing', since: 0 } as const;
    await ledger.write(other, {
      ...{ commits: 1, outcomes: [], against },
      intents: created.map(([, key], at) => ({ row: at + 1, key, at: 1, body: '{}', seen: 0 })),
    });
    await ledger.write(other, {
      ...{ commits: 2, intents: [], against },
      outcomes: created.map(([id], at) => ({ row: at + 1, state: 'created', id })),
    });
  };
  /** A single command that has created a record. */
  const command = async (
    created: string | undefined,
    payload: unknown,
    more: Partial<Intent> = {},
    origin = HERE,
  ) => {
    const intent: Intent = {
      ...{
        what: 'w',
        noun: 'items',
        endpoint: ITEM_IMPORT.create.id,
        method: 'POST',
        path: '/items',
      },
      ...{ payload, profile: undefined, environment: undefined, baseUrl: origin.baseUrl },
      writer: { actor: 'script', user: 'u', host: 'h', job: undefined, version: '1' },
      ...more,
    };
    const begun = await history.begin(new Scope(origin), intent, 1, false);
    if (!('id' in begun)) throw new Error('not begun');
    await history.finish(begun.id, { state: 'done', created, status: 201 }, 2);
    return begun.id;
  };
  const end = () => {
    run.close();
    history.close();
    ledger.close();
  };
  return { run, history, ledger, ports, said, runThat, command, end };
}

type Scene = Awaited<ReturnType<typeof scene>>;

/** Records of other runs and commands, and some that are none of ours. */
async function filled({ runThat, command }: Scene) {
  await runThat('r0', [
    ['i-1', 'code A-1'],
    ['i-2', 'name Bolt'],
  ]);
  await runThat('other', [['x-1', 'code X']], { organization: 'globex' });
  await runThat('elsewhere', [['x-2', 'code X']], { noun: 'orders' });
  await command('c-1', { code: 'C-1', name: 'Nut' });
  await command('c-2', { code: 7, name: null });
  await command('c-3', undefined);
  await command(undefined, { code: 'Z' });
  await command('x-3', { code: 'X' }, { endpoint: 'orders.create' });
  await command('x-4', { code: 'X' }, {}, OTHER);
}

const HERE_KNOWN = [
  { id: 'i-1', code: 'A-1', name: null },
  { id: 'i-2', code: null, name: 'Bolt' },
  { id: 'c-1', code: 'C-1', name: 'Nut' },
  { id: 'c-2', code: null, name: null },
  { id: 'c-3', code: null, name: null },
];

const byId = (all: readonly Listed[]) => all.toSorted((a, b) => (a.id! < b.id! ? -1 : 1));

async function known(run: Run, ports: never, target: ImportTarget = ITEM_IMPORT) {
  const found: Listed[] = [];
  await eachKnownHere(run, target, ports, (rows) => void found.push(...rows));
  return byId(found);
}

describe('what this machine has created', () => {
  it('by other runs and commands is known, with the codes that the service stores', async () => {
    const story = await scene();
    const { run, ports, end } = story;
    expect(await known(run, ports)).toEqual([]);
    await filled(story);
    expect(await known(run, ports)).toEqual(byId(HERE_KNOWN));
    expect(await known(run, ports, UNLISTED)).toEqual(byId(HERE_KNOWN));
    run.note({ codesChanged: { name: 'lower case', sent: 'A', stored: 'a' } });
    expect(await known(run, ports)).toEqual(
      byId(HERE_KNOWN.map((one) => ({ ...one, code: one.code?.toLowerCase() ?? null }))),
    );
    end();
  });

  it.each<
    [
      baseline: 'complete' | 'searched' | 'unproved' | undefined,
      target: ImportTarget,
      isTaken: boolean,
    ]
  >([
    ['searched', ITEM_IMPORT, true],
    ['complete', ITEM_IMPORT, false],
    ['unproved', ITEM_IMPORT, false],
    [undefined, ITEM_IMPORT, false],
    [undefined, UNLISTED, true],
  ])(
    'is no id of a new row, if the list does not show it (%s)',
    async (baseline, target, isTaken) => {
      const story = await scene([{}]);
      const { run, ports, end } = story;
      await filled(story);
      run.note({ baseline });
      await noteKnownIds(run, target, ports);
      expect(run.rows.sql.values('SELECT id FROM taken_ids ORDER BY id')).toEqual(
        isTaken ? ['c-1', 'c-2', 'c-3', 'i-1', 'i-2'] : [],
      );
      end();
    },
  );

  it('is named: rows of this run, of others, and commands', async () => {
    const story = await scene([{ state: 'created', id: 'own' }]);
    const { run, ports, end, command } = story;
    await filled(story);
    const entry = await command('c-9', {});
    // Also a record that two runs say they have created.
    await story.runThat('r1', [['i-1', 'code A-1']]);
    const ids = ['own', 'i-2', 'i-1', 'c-9', 'x-1', 'x-2', 'x-3', 'x-4', 'none'];
    expect(Object.fromEntries(await holdersOf(ids, run, ITEM_IMPORT, ports))).toEqual({
      own: 'row 1 of this run',
      'i-1': 'row 1 of run r0',
      'i-2': 'row 2 of run r0',
      'c-9': `the command ${entry} in the history`,
    });
    expect([...(await holdersOf(['own'], run, ITEM_IMPORT, ports)).keys()]).toEqual(['own']);
    end();
  });

  it('by others since this run began is told apart from what is in its catalogue', async () => {
    const story = await scene();
    const { run, ports, end, runThat, command } = story;
    await runThat('before', [['i-1', 'code A']], { finishedAt: 999 });
    await runThat('just', [['i-2', 'code A']], { finishedAt: 1_000 });
    await runThat('after', [['i-3', 'code A']], { finishedAt: 1_001 });
    await runThat('running', [['i-4', 'code A']]);
    await command('c-1', {});
    await command('c-2', {}, {}, OTHER);
    const ids = ['i-1', 'i-2', 'i-3', 'i-4', 'c-1', 'c-2', 'none'];
    const found = await createdByOthers(ids, run, ITEM_IMPORT, ports);
    expect([...found].sort()).toEqual(['c-1', 'i-2', 'i-3', 'i-4']);
    expect(await createdByOthers([], run, ITEM_IMPORT, ports)).toEqual(new Set());
    end();
  });

  it('by this run itself is nothing that others created', async () => {
    const { run, ports, end } = await scene([{}]);
    await run.advance('read');
    await run.begin('begin', { facts: {} });
    const queue = run.sendQueue(true);
    await queue.commit([], 1, 1).onDisk;
    const verdict = { state: 'created', id: 'i-1', status: 201 } as const;
    await queue.commit([{ row: 1, was: 'sending', verdict }], 0, 1).onDisk;
    expect(await known(run, ports)).toEqual([]);
    expect(await createdByOthers(['i-1'], run, ITEM_IMPORT, ports)).toEqual(new Set());
    run.commit(() => run.rows.sql.run("UPDATE rows SET id = 'i-9'"));
    expect((await holdersOf(['i-1'], run, ITEM_IMPORT, ports)).size).toBe(0);
    end();
  });
});

describe('the entry of a run in the history', () => {
  const source = { name: 'a.csv', hash: 'h', format: { kind: 'csv' } } as RunHeader['source'];
  const begin = (run: Run, ports: never) =>
    beginSending({ run, target: ITEM_IMPORT } as never, { rows: 2, workedMs: 30 }, ports);

  it('is made when it begins, and ended with it', async () => {
    const { run, history, ports, end } = await scene([{}, {}], { source, profile: 'live' });
    await run.advance('read');
    await begin(run, ports);
    const id = run.get('historyId')!;
    const payload = { run: 'r', source: 'a.csv', hash: 'h', rows: 2 };
    expect(await history.get(id)).toMatchObject({
      ...{ at: 5_000, what: 'create 2 items from a.csv', noun: 'items', state: 'unknown', payload },
      ...{ endpoint: 'items.create', method: 'POST', path: ITEM_IMPORT.create.path },
      ...{ profile: 'live', environment: undefined, baseUrl: HERE.baseUrl, organization: 'acme' },
      writer: { actor: 'robot' },
    });
    expect([run.get('workedMs'), run.get('firstSentAt'), run.get('keyMark')]).toEqual([
      ...[30, 5_000, 'mark of r'],
    ]);
    await recordEnd(run, undefined, ports);
    const notFinished = 'not finished, or some rows are unconfirmed: proc imports show r';
    expect(await history.get(id)).toMatchObject({
      ...{ state: 'unknown', message: notFinished, response: { pending: 2, created: 0 } },
      endedAt: 5_000,
    });
    run.commit(() => run.rows.sql.run("UPDATE rows SET state = 'created' WHERE row = 1"));
    run.commit(() => run.rows.sql.run("UPDATE rows SET state = 'unconfirmed' WHERE row = 2"));
    await recordEnd(run, undefined, ports);
    expect(await history.get(id)).toMatchObject({ message: notFinished });
    run.commit(() => run.rows.sql.run("UPDATE rows SET state = 'rejected' WHERE row = 2"));
    await recordEnd(run, { kind: 'interrupted', why: 'x' }, ports);
    expect(await history.get(id)).toMatchObject({ state: 'unknown', message: notFinished });
    await recordEnd(run, undefined, ports);
    const done = await history.get(id);
    expect(done).toMatchObject({ state: 'done', response: { created: 1, rejected: 1 } });
    expect(done!.message).toBeUndefined();
    end();
  });

  it('may be missing, or not be writable: the file has the complete record', async () => {
    const { run, history, ports, said, end } = await scene([{}], { source });
    await recordEnd(run, undefined, ports);
    expect(await history.entries()).toEqual([]);
    run.note({ historyId: 'h-1' });
    const failing = { finish: () => Promise.reject(new Error('no space')) };
    const without = { ...(ports as object), store: { open: async () => failing } } as never;
    await recordEnd(run, undefined, without);
    expect(said).toEqual(['warning: cannot write the history: no space']);
    end();
  });

  it.each<[what: string, scopeOf: () => Scope, names: readonly string[]]>([
    [
      'of the command, if the run is its own',
      () => new Scope(HERE, { names: ['old'] }),
      ['acme', 'old'],
    ],
    ['of the run, if it is of another organization', () => new Scope(OTHER), ['acme']],
    [
      'of the run, if the command has none',
      () => {
        throw new ProcError('config_unreadable', 'none');
      },
      ['acme'],
    ],
  ])('is in the scope %s', async (_, scopeOf, names) => {
    const { run, ports, end } = await scene([], {}, scopeOf);
    expect((await scopeOfRun(run, ports)).names).toEqual(names);
    end();
  });

  it('hides no mistake', async () => {
    const { run, ports, end } = await scene([], {}, () => {
      throw new TypeError('bug');
    });
    await expect(scopeOfRun(run, ports)).rejects.toThrow(TypeError);
    end();
  });
});
