import { existsSync, readdirSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { lockImport } from '../../../src/import/import-lock.ts';
import { type Phase, STEPS, type Step } from '../../../src/import/phases.ts';
import type { RunHeader } from '../../../src/import/store/facts.ts';
import { Run } from '../../../src/import/store/run-file.ts';
import { runPath } from '../../../src/import/store/runs.ts';
import { withNewRun, withRemovable, withRun } from '../../../src/import/with-run.ts';
import { ledgerPath, openLedger } from '../../../src/ledger/open-ledger.ts';
import { Ledger } from '../../../src/ledger/sql-ledger.ts';
import { freshFolder } from '../../support/sandbox.ts';
import { CHOICES } from './run-of.ts';

const NAME = '20260102-030405-abcd';

async function stateOf() {
  const state = await freshFolder();
  const folder = `${state}/imports`;
  const path = runPath(folder, NAME);
  const place = { folder, noun: 'items', baseUrl: 'http://a.example', organization: 'acme' };
  const header = {
    ...{ run: NAME, noun: 'items', baseUrl: place.baseUrl, organization: 'acme' },
    ...{ choices: CHOICES, mapping: { fields: {} } },
    source: { name: 'a.csv', format: { kind: 'csv' } },
  } as unknown as RunHeader;
  /** The run as the ledger knows it. */
  const known = async () => {
    const sql = openLedger(state);
    try {
      return await new Ledger(sql).run(NAME);
    } finally {
      sql.close();
    }
  };
  const clock = { now: () => 0, monotonic: () => 0, sleep: async () => undefined };
  const ports = { self: { clock, pid: 4_711, signal: new AbortController().signal } } as never;
  const isFree = async () => {
    const { self } = ports as { readonly self: never };
    const lock = await lockImport(place, self).catch(() => undefined);
    await lock?.release();
    return lock !== undefined;
  };
  const files = () =>
    (existsSync(folder) ? readdirSync(folder) : []).filter((name) => name.startsWith(NAME));
  return { state, folder, path, place, header, known, ports, isFree, files };
}

type State = Awaited<ReturnType<typeof stateOf>>;

/** The steps to each phase from the first one. */
const WAY: Readonly<Record<Phase, readonly Step[]>> = {
  reading: [],
  planning: ['read'],
  begun: ['read', 'begin'],
  ended: ['read', 'skip'],
};

const PHASES = Object.keys(WAY) as Phase[];

/** A run with two rows, in a phase. */
async function bring(run: Run, phase: Phase): Promise<void> {
  const database = new DatabaseSync(run.path);
  for (const row of [1, 2]) {
    database.exec(`INSERT INTO rows (row, state, code) VALUES (${row}, 'pending', 'A-${row}')`);
    database.exec(`INSERT INTO records (row, body) VALUES (${row}, '{"code":"A-${row}"}')`);
  }
  database.close();
  for (const step of WAY[phase]) {
    if (step === 'begin' || step === 'skip') await run.begin(step, { facts: {} });
    else await run.advance(step);
  }
}

async function created({ path, header }: State, phase: Phase): Promise<Run> {
  const run = await Run.create(path, header, true);
  await bring(run, phase);
  return run;
}

const changed = expect.objectContaining({ code: 'phase_changed' });

describe('a run makes a step', () => {
  it.each(PHASES)('from the phase %s only as the table allows', async (phase) => {
    for (const step of Object.keys(STEPS) as Step[]) {
      const state = await stateOf();
      const run = await created(state, phase);
      const { from, to } = STEPS[step];
      const isAllowed = (from as readonly Phase[]).includes(phase);
      const advancing = run.advance(step);
      if (isAllowed) await advancing;
      else await expect(advancing, step).rejects.toEqual(changed);
      expect(run.phase, step).toBe(isAllowed ? to : phase);
      expect((await state.known())?.phase, step).toBe(isAllowed ? to : phase);
      run.close();
    }
  });

  it('only if no other process has opened it since, which writes its file no more either', async () => {
    const state = await stateOf();
    const run = await created(state, 'planning');
    const queue = run.sendQueue(true);
    const handOver = () => queue.handOver({ row: 1, at: 1, marks: 1 } as never);
    expect(handOver).not.toThrow();
    expect(await run.isOurs()).toBe(true);
    const later = await Run.open(state.path);
    expect(await run.isOurs()).toBe(false);
    await expect(run.advance('begin')).rejects.toEqual(changed);
    expect(() => run.commit(() => undefined)).toThrow(changed);
    // So no request leaves any more either.
    expect(handOver).toThrow(changed);
    expect(() => run.note({ seen: 7 })).toThrow(changed);
    await run.finish();
    run.close();
    expect(later.phase).toBe('planning');
    expect(later.get('seen')).toBeUndefined();
    await later.advance('begin');
    later.close();
    expect(await state.known()).toMatchObject({
      phase: 'begun',
      generation: 2,
      counts: undefined,
    });
  });

  it('and what closes it properly leaves its counts', async () => {
    const state = await stateOf();
    const run = await created(state, 'begun');
    expect(await state.known()).toMatchObject({ hasBegun: true, counts: undefined });
    await run.finish();
    run.close();
    expect(await state.known()).toMatchObject({
      counts: { states: { pending: 2, created: 0 }, parked: 0 },
    });
    const again = await Run.open(state.path);
    expect(await state.known()).toMatchObject({ counts: undefined, generation: 2 });
    again.close();
    // Only what was sent has counts for others.
    const other = await stateOf();
    const unsent = await created(other, 'planning');
    await unsent.finish();
    unsent.close();
    expect(await other.known()).toMatchObject({ counts: undefined });
  });
});

describe('a run is read', () => {
  it('without opening it', async () => {
    const state = await stateOf();
    const run = await created(state, 'begun');
    const reading = await Run.read(state.path);
    expect([reading.phase, reading.counts().pending, reading.isSent]).toEqual(['begun', 2, true]);
    expect(await state.known()).toMatchObject({ generation: 1 });
    expect(await run.isOurs()).toBe(true);
    reading.close();
    run.close();
  });

  it.each<[what: string, damage: (state: State) => unknown, code: string]>([
    ['its file is gone', ({ path }) => rmSync(path), 'config_unreadable'],
    ['the ledger is gone', ({ state }) => rmSync(ledgerPath(state)), 'config_unreadable'],
    [
      'both are gone',
      ({ state, path }) => [path, ledgerPath(state)].map((one) => rmSync(one)),
      'reference_not_found',
    ],
    [
      'a row is gone',
      ({ path }) => sql(path, 'DELETE FROM rows WHERE row = 2; DELETE FROM records WHERE row = 2'),
      'config_unreadable',
    ],
    [
      'its file is older than the ledger',
      ({ state }) => sql(ledgerPath(state), 'UPDATE runs SET commits = 99'),
      'config_unreadable',
    ],
    [
      'it was discarded',
      ({ state }) => sql(ledgerPath(state), 'UPDATE runs SET is_discarded = 1'),
      'config_unreadable',
    ],
  ])('or refused if %s', async (_, damage, code) => {
    const state = await stateOf();
    const run = await created(state, 'begun');
    await run.finish();
    run.close();
    damage(state);
    await expect(Run.read(state.path)).rejects.toMatchObject({ code });
    await expect(Run.open(state.path)).rejects.toMatchObject({ code });
  });

  it('but not written if the ledger is older than its file', async () => {
    const state = await stateOf();
    const run = await created(state, 'begun');
    await run.finish();
    run.close();
    (await Run.open(state.path)).close();
    sql(ledgerPath(state.state), 'UPDATE runs SET generation = 1');
    await expect(Run.open(state.path)).rejects.toMatchObject({ code: 'config_unreadable' });
  });
});

function sql(path: string, text: string): void {
  const database = new DatabaseSync(path);
  database.exec(text);
  database.close();
}

describe('a new run', () => {
  const starting = (
    { place, path, header, ports }: State,
    act: (run: Run) => Promise<unknown>,
    isKept = true,
  ) =>
    withNewRun(
      { place: isKept ? place : undefined, waitMs: 0, begin: async () => ({ path, header }) },
      ports,
      act,
    );

  it('is locked and named while it is made, and stays', async () => {
    const state = await stateOf();
    const result = await starting(state, async (run) => {
      expect(await state.isFree()).toBe(false);
      await expect(starting(state, async () => 1)).rejects.toMatchObject({
        message: expect.stringContaining(`(run ${NAME}, process 4711)`),
      });
      await bring(run, 'begun');
      return 7;
    });
    expect(result).toBe(7);
    expect(await state.isFree()).toBe(true);
    expect(state.files()).toContain(`${NAME}.db`);
    expect(await state.known()).toMatchObject({ phase: 'begun', counts: { parked: 0 } });
  });

  it.each<[phase: Phase, isKept: boolean]>([
    ['reading', false],
    ['planning', false],
    ['begun', true],
    ['ended', true],
  ])('whose command fails in the phase %s is kept: %s', async (phase, isKept) => {
    const state = await stateOf();
    const failing = starting(state, async (run) => {
      await bring(run, phase);
      throw new RangeError('stop');
    });
    await expect(failing).rejects.toThrow(RangeError);
    expect(await state.isFree()).toBe(true);
    expect(state.files().length > 0).toBe(isKept);
    expect((await state.known()) !== undefined).toBe(isKept);
    if (isKept) expect((await state.known())!.counts).toBeDefined();
  });

  it('that another process opened meanwhile is not removed', async () => {
    const state = await stateOf();
    const failing = starting(state, async () => {
      (await Run.open(state.path)).close();
      throw new RangeError('stop');
    });
    await expect(failing).rejects.toThrow(RangeError);
    expect(await state.known()).toMatchObject({ phase: 'reading' });
    expect(state.files()).toContain(`${NAME}.db`);
  });

  it('of a preview leaves nothing behind, and takes no lock', async () => {
    const state = await stateOf();
    const failing = starting(
      state,
      async (run) => {
        expect([await state.isFree(), run.phase, await run.isOurs()]).toEqual([
          true,
          'reading',
          true,
        ]);
        expect(existsSync(ledgerPath(state.state))).toBe(false);
        await expect(run.begin('begin', { facts: {} })).rejects.toThrow('a preview sends nothing');
        throw new RangeError('stop');
      },
      false,
    );
    await expect(failing).rejects.toThrow(RangeError);
    expect(state.files()).toEqual([]);
  });

  it('is not made if what others changed meanwhile forbids it', async () => {
    const { place, ports, isFree, files } = await stateOf();
    const begin = () => Promise.reject(new RangeError('changed'));
    await expect(withNewRun({ place, waitMs: 0, begin }, ports, async () => 1)).rejects.toThrow(
      RangeError,
    );
    expect([await isFree(), files()]).toEqual([true, []]);
  });

  it('names its file if the disk fails', async () => {
    const state = await stateOf();
    const failing = starting(state, async () => {
      throw Object.assign(new Error('disk I/O error'), { errcode: 10 });
    });
    await expect(failing).rejects.toMatchObject({
      code: 'state_unwritable',
      message: `cannot write the journal ${state.path}: disk I/O error`,
    });
  });
});

describe('a run whose end fails', () => {
  const failing = (name: 'finish' | 'close') => async (run: Run) => {
    run[name] = () => {
      throw new RangeError(name);
    };
  };

  it.each(['finish', 'close'] as const)('releases its lock: %s', async (name) => {
    const state = await stateOf();
    (await created(state, 'begun')).close();
    const { place, path, header, ports } = state;
    await expect(withRun(state, { waitMs: 0 }, ports, failing(name))).rejects.toThrow(name);
    expect(await state.isFree()).toBe(true);
    const begin = async () => ({
      path: path.replace(NAME, `${NAME}-2`),
      header: { ...header, run: `${NAME}-2` },
    });
    await expect(withNewRun({ place, waitMs: 0, begin }, ports, failing(name))).rejects.toThrow(
      name,
    );
    expect(await state.isFree()).toBe(true);
  });
});

describe('a run that is changed', () => {
  it('is locked, opened, named and closed', async () => {
    const state = await stateOf();
    (await created(state, 'begun')).close();
    const open = (act: (run: Run) => Promise<unknown>) =>
      withRun(state, { waitMs: 0 }, state.ports, act);
    const done = open(async (run) => {
      expect(await state.isFree()).toBe(false);
      await expect(open(async () => 1)).rejects.toMatchObject({
        message: `${NAME} is already running (process 4711)`,
      });
      expect(await state.known()).toMatchObject({ generation: 2 });
      return run.counts().pending;
    });
    expect(await done).toBe(2);
    expect(await state.isFree()).toBe(true);
    expect(await state.known()).toMatchObject({ counts: { states: { pending: 2 } } });
    await expect(open(() => Promise.reject(new RangeError('stop')))).rejects.toThrow(RangeError);
    expect(await state.isFree()).toBe(true);
    expect(await state.known()).toMatchObject({
      generation: 3,
      counts: { states: { pending: 2 } },
    });
    const broken = Object.assign(new Error('malformed'), { errcode: 11 });
    await expect(open(() => Promise.reject(broken))).rejects.toMatchObject({
      code: 'config_unreadable',
    });
    rmSync(state.path);
    await expect(open(async () => 1)).rejects.toMatchObject({ code: 'config_unreadable' });
    expect(await state.isFree()).toBe(true);
  });

  it.each<[phase: Phase, stays: boolean]>([
    ['planning', false],
    ['begun', true],
    ['ended', true],
  ])('is removed in the phase %s; what was sent stays in the ledger: %s', async (phase, stays) => {
    const state = await stateOf();
    const run = await created(state, phase);
    if (stays) {
      run.commit(() => undefined);
      sql(state.path, "UPDATE rows SET state = 'created', id = 'i-1', sent_at = 1 WHERE row = 1");
    }
    run.close();
    const { folder, path, header, ports } = state;
    await withRemovable({ folder, path, header }, ports, async (remove) => {
      expect(await state.isFree()).toBe(false);
      await remove();
    });
    expect([await state.isFree(), state.files()]).toEqual([true, []]);
    const known = await state.known();
    if (stays) expect(known).toMatchObject({ isDiscarded: true, header: undefined });
    else expect(known).toBeUndefined();
    const ledger = openLedger(state.state);
    expect(await ledger.all('SELECT row, state, id FROM sent')).toEqual(
      stays ? [{ row: 1, state: 'created', id: 'i-1' }] : [],
    );
    ledger.close();
    const opening = withRun(state, { waitMs: 0 }, ports, async () => 1);
    await expect(opening).rejects.toMatchObject({ code: 'reference_not_found' });
  });

  it('is removed also if its file is damaged', async () => {
    const state = await stateOf();
    (await created(state, 'begun')).close();
    sql(state.path, 'DELETE FROM rows');
    const { folder, path, header, ports } = state;
    await withRemovable({ folder, path, header }, ports, (remove) => remove());
    expect(state.files()).toEqual([]);
  });
});
