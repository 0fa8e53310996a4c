import { rm } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Run } from '../../../src/import/store/run-file.ts';
import type { Decided, Ready } from '../../../src/import/store/send-queue.ts';
import type { RowState } from '../../../src/import/store/transitions.ts';
import { ledgerPath, openLedger } from '../../../src/ledger/open-ledger.ts';
import { Ledger } from '../../../src/ledger/sql-ledger.ts';
import { freshFolder } from '../../support/sandbox.ts';
import { begun, CHOICES, type GivenRow, HERE, runOf, statesIn } from './run-of.ts';

interface Row {
  readonly state: RowState;
  readonly id: string | null;
  readonly status: number | null;
  /** The code of its reason. */
  readonly why: string | null;
  readonly tries: number;
  readonly lookedUp: number;
  readonly seen: number | null;
}

function rowsIn(path: string): Row[] {
  const database = new DatabaseSync(path, { readOnly: true });
  const rows = database
    .prepare(
      "SELECT state, id, status, reason ->> 'code' AS why, tries, looked_up AS lookedUp, seen FROM rows ORDER BY row",
    )
    .all();
  database.close();
  return rows.map((row) => ({ ...row })) as unknown as Row[];
}

function sentIn(state: string, number = 1): Record<string, unknown>[] {
  const database = new DatabaseSync(ledgerPath(state), { readOnly: true });
  const rows = database
    .prepare('SELECT row, state, id FROM sent WHERE run = ? ORDER BY row')
    .all(number);
  database.close();
  return rows.map((row) => ({ ...row }));
}

/** What the queue must do with its rows, in the order of its steps. */
class PlainQueue {
  readonly rows: Row[];
  readonly entries = new Map<number, { state: string; id: string | null }>();
  /** An answer with the id of a record in the list is false; so is one with an id that was taken. */
  readonly listed: ReadonlySet<string> = new Set(['listed']);
  readonly taken = new Set(['known']);
  falseId: string | undefined;
  #cursor = 0;
  #backTo: number | undefined;
  readonly #isListed: boolean;
  /** The entry of another run for a row, written since this run began. */
  readonly #others: ReadonlyMap<number, Other>;

  constructor(count: number, isListed: boolean, others: ReadonlyMap<number, Other>) {
    this.#isListed = isListed;
    this.#others = others;
    const fresh = { id: null, status: null, why: null, tries: 0, lookedUp: 0, seen: null };
    this.rows = Array.from({ length: count }, () => ({ ...fresh, state: 'pending' }));
  }

  at(row: number): Row {
    return this.rows[row - 1]!;
  }

  #set(row: number, change: Partial<Row>): void {
    this.rows[row - 1] = { ...this.at(row), ...change };
  }

  #holderOf(id: string): number | undefined {
    const at = this.rows.findIndex((one) => one.state === 'created' && one.id === id);
    return at === -1 ? undefined : at + 1;
  }

  #doubt(row: number, status: number, why: string): void {
    const { tries } = this.at(row);
    this.#set(row, { state: 'unconfirmed', status, why, tries: tries + 1, lookedUp: 0 });
    this.entries.set(row, { state: 'maybe', id: null });
  }

  decide(all: readonly Decided[]): void {
    const isAnswered = ({ was, verdict }: Decided) =>
      was === 'sending' && verdict.state === 'created';
    for (const one of all.filter((some) => !isAnswered(some))) this.#write(one);
    const failed = all.filter(isAnswered).filter(({ row, verdict: { id } }) => {
      const isFalse = this.taken.has(id!) || this.listed.has(id!);
      if (isFalse || this.#holderOf(id!) !== undefined) return true;
      this.#set(row, { state: 'created', id: id!, status: null, why: null });
      this.entries.set(row, { state: 'created', id: id! });
      return false;
    });
    for (const { row, verdict } of failed) {
      const id = verdict.id!;
      const holder = this.#holderOf(id);
      const { tries } = this.at(row);
      const doubted = { status: verdict.status!, why: 'id_taken', tries: tries + 1, lookedUp: 0 };
      this.#set(row, { ...doubted, state: 'unconfirmed', id: null });
      this.taken.add(id);
      this.falseId = `${row} ${id}${holder === undefined ? '' : ` of ${holder}`}`;
      if (holder !== undefined) this.#doubt(holder, verdict.status!, 'id_given_again');
    }
  }

  #write({ row, was, verdict }: Decided): void {
    const { id = null, status = null, reason, lookedUp } = verdict;
    let written: Partial<Row> = {
      ...{ state: verdict.state, id, status, why: reason?.code ?? null },
      lookedUp: lookedUp === true ? 1 : 0,
    };
    if (verdict.state === 'created') {
      const holder = this.#holderOf(id!);
      const isFirst = holder !== undefined && !this.taken.has(id!);
      if (isFirst) this.#doubt(holder, 201, 'id_of_row');
      else if (holder !== undefined)
        written = {
          ...written,
          state: 'unconfirmed',
          id: null,
          why: 'id_listed_again',
          lookedUp: 1,
        };
      if (isFirst) this.taken.add(id!);
    }
    const isAnswer = was === 'sending' && written.state === 'unconfirmed';
    this.#set(row, { ...written, tries: this.at(row).tries + (isAnswer ? 1 : 0) });
    if (written.state === 'pending') this.#backTo = Math.min(this.#backTo ?? row, row);
    else if (written.state === 'created') this.entries.set(row, { state: 'created', id });
    else if (written.state !== 'unconfirmed' && was !== 'rejected') this.entries.delete(row);
  }

  /** @returns the rows that leave */
  take(max: number): number[] {
    const after = () =>
      this.rows.flatMap(({ state }, at) =>
        state === 'pending' && at + 1 > this.#cursor ? [at + 1] : [],
      );
    let rows = after().slice(0, max);
    if (rows.length === 0 && this.#backTo !== undefined && max > 0) {
      this.#cursor = this.#backTo - 1;
      this.#backTo = undefined;
      rows = after().slice(0, max);
    }
    this.#cursor = rows.at(-1) ?? this.#cursor;
    return rows.filter((row) => {
      this.#set(row, { state: 'sending' });
      const other = this.#others.get(row);
      const seen = this.at(row).seen ?? 0;
      if (other === undefined || seen >= other.intent) {
        this.entries.set(row, { state: 'maybe', id: null });
        return true;
      }
      const { state, id, intent } = other;
      const taken = { id, why: 'sent_before', seen: null, lookedUp: 0 };
      if (state !== 'maybe') {
        this.#set(row, { ...taken, state: state === 'created' ? 'existing' : 'dropped' });
      } else {
        const lookedUp = this.#isListed ? 0 : 1;
        this.#set(row, { ...taken, state: 'unconfirmed', seen: intent, lookedUp });
      }
      return false;
    });
  }

  counts(): Partial<Record<RowState, number>> {
    const counts: Partial<Record<RowState, number>> = {};
    for (const { state } of this.rows) counts[state] = (counts[state] ?? 0) + 1;
    return counts;
  }
}

interface Other {
  readonly state: 'maybe' | 'created' | 'dropped';
  readonly id: string | null;
  readonly intent: number;
}

const IDS = ['i-1', 'i-2', 'i-3', 'i-4', 'listed', 'known'];

/** A verdict for a row, whatever state it is in. */
const verdict = fc.record({
  id: fc.constantFrom(...IDS, 'own', 'own'),
  on: fc.constantFrom('created', 'created', 'created', 'pending', 'rejected', 'unconfirmed'),
  lookedUp: fc.boolean(),
});

const step = fc.record({
  max: fc.constantFrom(0, 1, 2, 3, 12),
  /** Which of the rows that wait for a verdict get one. */
  part: fc.constantFrom(0, 1, 2, 5),
  from: fc.nat({ max: 3 }),
  verdicts: fc.array(verdict, { minLength: 5, maxLength: 5 }),
  isRecord: fc.boolean(),
});

/** How the rows of a run are recognized, and what it asks of the ledger. */
const kind = fc.record({
  isListed: fc.boolean(),
  key: fc.constantFrom('code', 'name', 'fingerprint') as fc.Arbitrary<keyof typeof KEYS>,
  isForced: fc.constantFrom(false, false, true),
  /** The other run sent its rows before this one began. */
  isEarlier: fc.boolean(),
});

/** A row that is recognized so, and its key in the ledger. */
type Keyed = (row: number) => readonly [row: GivenRow, key: string];

const KEYS: Readonly<Record<'code' | 'name' | 'fingerprint', Keyed>> = {
  code: (row) => [{ code: `A-${row}`, name: null }, `code A-${row}`],
  name: (row) => [{ code: null, name: `N-${row}` }, `name N-${row}`],
  fingerprint: (row) => [
    { code: `A-${row}`, name: `N-${row}`, fingerprint: `f${row}` },
    `body f${row}`,
  ],
};

const others = fc.uniqueArray(
  fc.record({
    row: fc.integer({ min: 1, max: 12 }),
    state: fc.constantFrom('maybe', 'created', 'dropped'),
  }),
  { selector: ({ row }) => row, maxLength: 3 },
);

function decisions(plain: PlainQueue, { part, from, verdicts }: Given): Decided[] {
  const waiting = plain.rows.flatMap(({ state, status }, at) =>
    state === 'sending' || state === 'unconfirmed' || (state === 'rejected' && status === 409)
      ? [{ row: at + 1, was: state }]
      : [],
  );
  return waiting.slice(from, from + part).map(({ row, was }, at): Decided => {
    const { id, on, lookedUp } = verdicts[at]!;
    const reason = { code: 'connection_broke', args: { cause: 'x' } } as const;
    if (was === 'rejected') {
      const isThere = on === 'created';
      return {
        ...{ row, was },
        verdict: isThere
          ? { state: 'existing', id: `e-${row}` }
          : { state: 'rejected', status: 409, reason, lookedUp: true },
      };
    }
    const noted = { status: on === 'created' ? 201 : 409, reason, lookedUp };
    if (on !== 'created') return { row, was, verdict: { ...noted, state: on as 'pending' } };
    const own = id === 'own' ? `own-${row}` : id;
    return { row, was, verdict: { state: 'created', id: own, status: 201 } };
  });
}

type Given = Pick<
  typeof step extends fc.Arbitrary<infer T> ? T : never,
  'part' | 'from' | 'verdicts'
>;

it('file, ledger and counts agree with a plain list, whatever the service answers', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 4, maxLength: 14, size: 'max' }),
      kind,
      others,
      async (steps, { isListed, key, isForced, isEarlier }, elsewhere) => {
        const state = await freshFolder();
        const given = Array.from({ length: 12 }, (_, at) => KEYS[key](at + 1));
        const keys = given.map(([, text]) => text);
        let met = isEarlier ? await sentElsewhere(state, keys, elsewhere) : undefined;
        const run = await begun(
          state,
          given.map(([row]) => row),
          { choices: { ...CHOICES, onSent: isForced ? 'send' : undefined } },
        );
        run.commit(() => {
          run.rows.catalogue.add([{ id: 'listed', code: 'Z', name: null }]);
          run.rows.catalogue.addTakenIds([{ id: 'known', code: null, name: null }]);
        });
        met ??= await sentElsewhere(state, keys, elsewhere);
        if (isForced) met.clear();
        // What was sent before the plan was made, the plan knows. A look decides what was open then.
        for (const [row, one] of met)
          if (isEarlier && !(isListed && one.state === 'maybe')) met.delete(row);
        const queue = run.sendQueue(isListed);
        const plain = new PlainQueue(12, isListed, met);
        let time = 0;
        for (const given of steps) {
          const decided = decisions(plain, given);
          const max = given.isRecord ? 0 : given.max;
          plain.decide(decided);
          const expected = plain.take(max);
          if (given.isRecord) queue.record(decided);
          else {
            const ready = await queue.commit(decided, max, ++time).onDisk;
            expect(ready.map(({ row }) => row)).toEqual(expected);
            expectMarked(ready, isListed ? 8 : 1);
            for (const one of ready) {
              const { code, name } = KEYS[key](one.row)[0];
              const { tries } = plain.at(one.row);
              const body = JSON.stringify({ code, name });
              expect(one).toMatchObject({ code, body, tries, at: time });
              queue.handOver(one);
            }
          }
          expect(rowsIn(run.path)).toEqual(plain.rows);
          const counts = Object.entries(queue.counts).filter(([, count]) => count !== 0);
          expect(Object.fromEntries(counts)).toEqual(plain.counts());
          const { code, args, place } = queue.falseId ?? {};
          const { id, row } = (args ?? {}) as { id?: string; row?: number };
          const said = `${place?.row} ${id}${row === undefined ? '' : ` of ${row}`}`;
          expect(code && said).toBe(plain.falseId);
        }
        await queue.commit([], 0, ++time).onDisk;
        const entries = [...plain.entries].map(([row, entry]) => ({ row, ...entry }));
        const sorted = entries.sort((a, b) => a.row - b.row);
        expect(sentIn(state, isEarlier ? 2 : 1)).toEqual(sorted);
        expect(queue.hasRow('A-1')).toBe(key !== 'name');
        expect(queue.hasRow('B-1')).toBe(false);
        run.close();
        await rm(state, { recursive: true });
      },
    ),
    { numRuns: 60 },
  );
});

/** One write marks only rows that follow each other, and each row is marked once. */
function expectMarked(ready: readonly Ready[], max: number): void {
  const marked = ready.flatMap(({ row, marks }) =>
    Array.from({ length: marks }, (_, at) => row + at),
  );
  expect(marked).toEqual(ready.map(({ row }) => row));
  expect(Math.max(0, ...ready.map(({ marks }) => marks))).toBeLessThanOrEqual(max);
}

/** Another run of the same place that has sent some of the rows since. */
async function sentElsewhere(
  state: string,
  keys: readonly string[],
  rows: readonly { readonly row: number; readonly state: Other['state'] }[],
): Promise<Map<number, Other>> {
  const sql = openLedger(state);
  const ledger = new Ledger(sql);
  const other = await ledger.add({
    ...{ name: 'other', noun: 'items', service: HERE.baseUrl, organization: 'acme' },
    ...{ phase: 'begun', header: {} },
  });
  const against = { which: 'nothing', since: 0 } as const;
  const intents = rows.map(({ row }) => ({
    row,
    key: keys[row - 1]!,
    at: 1,
    body: '{}',
    seen: 0,
  }));
  await ledger.write(other, { commits: 1, outcomes: [], intents, against });
  const outcomes = rows.map((one) => ({
    ...one,
    id: one.state === 'created' ? `o-${one.row}` : null,
  }));
  await ledger.write(other, { commits: 2, outcomes, intents: [], against });
  const intent = await ledger.lastIntent();
  sql.close();
  return new Map(outcomes.map(({ row, state: is, id }) => [row, { state: is, id, intent }]));
}

const CREATED = { was: 'sending', verdict: { state: 'created', status: 201 } } as const;
const created = (row: number, id = `i-${row}`): Decided => ({
  ...{ row, was: 'sending' },
  verdict: { ...CREATED.verdict, id },
});
const changed = expect.objectContaining({ code: 'phase_changed' });

describe('a process that another one has overtaken', () => {
  it('confirms what it sent itself, and writes nothing else', async () => {
    const state = await freshFolder();
    const first = await begun(state, [{}, {}, {}, {}, {}]);
    const queue = first.sendQueue(true);
    const ready = await queue.commit([], 4, 7).onDisk;
    for (const one of ready) queue.handOver(one);
    queue.record([{ row: 4, was: 'sending', verdict: { state: 'unconfirmed' } }]);
    const second = await Run.open(first.path);
    second.interrupt(true);
    const later = second.sendQueue(true);
    const found = (row: number): Decided => ({ ...created(row), was: 'unconfirmed' });
    const pending: Decided = { row: 2, was: 'sending', verdict: { state: 'pending' } };
    expect(() => queue.commit([created(1), pending, found(4)], 5, 8)).toThrow(changed);
    expect(() => queue.record([created(3)])).toThrow(changed);
    const states = [
      ...['1 created i-1', '2 unconfirmed stopped_while_sent', '3 created i-3', '4 unconfirmed'],
      '5 pending',
    ];
    expect(statesIn(second)).toEqual(states);
    expect(later.counts).toMatchObject({ created: 0, unconfirmed: 4, pending: 1 });
    // The second process had looked up row 1 meanwhile, and must not change what is confirmed.
    const lookedUp: Decided = { row: 1, was: 'unconfirmed', verdict: { state: 'pending' } };
    await later.commit([lookedUp], 0, 9).onDisk;
    expect(statesIn(second)).toEqual(states);
    expect(later.counts).toMatchObject({ created: 2, unconfirmed: 2, pending: 1 });
    expect(sentIn(state)).toEqual([
      { row: 1, state: 'created', id: 'i-1' },
      { row: 2, state: 'maybe', id: null },
      { row: 3, state: 'created', id: 'i-3' },
      { row: 4, state: 'maybe', id: null },
    ]);
    // Its own rows it takes in order, without those of the first one.
    const next = await later.commit([], 9, 10).onDisk;
    expect(next.map(({ row }) => row)).toEqual([5]);
    first.close();
    second.close();
  });

  it('does not confirm a row that was sent again since', async () => {
    const state = await freshFolder();
    const first = await begun(state, [{}, {}]);
    const queue = first.sendQueue(true);
    await queue.commit([], 2, 7).onDisk;
    const second = await Run.open(first.path);
    second.interrupt(true);
    const again = second.sendQueue(true);
    await again.commit([], 1, 8).onDisk;
    expect(() => queue.record([created(1), created(2)])).toThrow(changed);
    expect(statesIn(second)).toEqual(['1 sending', '2 pending']);
    expect(sentIn(state)).toMatchObject([{ state: 'maybe' }, { state: 'created', id: 'i-2' }]);
    first.close();
    second.close();
  });

  it('learns it from the ledger too: nothing leaves', async () => {
    const state = await freshFolder();
    const run = await begun(state, [{}, {}]);
    const sql = openLedger(state);
    await sql.run('UPDATE runs SET generation = generation + 1');
    sql.close();
    await expect(run.sendQueue(true).commit([], 1, 7).onDisk).rejects.toEqual(changed);
    expect(sentIn(state)).toEqual([]);
    run.close();
  });
});

it('a verdict for a row that is not as it says is a mistake, and changes nothing', async () => {
  const run = await begun(await freshFolder(), [{}, {}]);
  const queue = run.sendQueue(true);
  await queue.commit([], 1, 7).onDisk;
  const wrong = 'cannot write the outcome of row 2: the row is not sending';
  for (const verdict of [created(2).verdict, { state: 'rejected' } as const]) {
    const decided = [created(1), { row: 2, was: 'sending', verdict } as const];
    expect(() => queue.record(decided)).toThrow(wrong);
    expect(() => queue.commit(decided, 1, 8)).toThrow(wrong);
  }
  expect(statesIn(run)).toEqual(['1 sending', '2 pending']);
  expect(queue.counts).toMatchObject({ sending: 1, pending: 1, created: 0 });
  const next = await queue.commit([created(1)], 1, 9).onDisk;
  expect(next.map(({ row }) => row)).toEqual([2]);
  run.close();
});

it('intents of several commits are written together, each is told of its own rows', async () => {
  const state = await freshFolder();
  const run = await begun(state, [{}, {}, {}, {}, {}, {}]);
  const keys = [1, 2, 3, 4, 5, 6].map((row) => `code A-${row}`);
  await sentElsewhere(
    state,
    keys,
    [2, 4, 5].map((row) => ({ row, state: 'created' })),
  );
  const queue = run.sendQueue(true);
  const commits = [1, 2, 3].map((max) => queue.commit([], max, 7));
  expect(commits.map(({ count }) => count)).toEqual([1, 2, 3]);
  const ready = await Promise.all(commits.map(({ onDisk }) => onDisk));
  expect(ready.map((of) => of.map(({ row, marks }) => `${row} ${marks}`))).toEqual([
    ['1 1'],
    ['3 1'],
    ['6 1'],
  ]);
  expect(queue.counts).toMatchObject({ sending: 3, existing: 3, pending: 0 });
  run.close();
});

it('outcomes that the ledger could not take are written with the next ones', async () => {
  const state = await freshFolder();
  const run = await begun(state, [{}, {}, {}]);
  const queue = run.sendQueue(true);
  await queue.commit([], 2, 7).onDisk;
  const ledger = (text: string) => {
    const database = new DatabaseSync(ledgerPath(state));
    database.exec(text);
    database.close();
  };
  ledger('ALTER TABLE sent RENAME TO gone');
  const failing = queue.commit([created(1)], 1, 8).onDisk;
  await expect(failing).rejects.toMatchObject({ code: 'state_unwritable' });
  queue.record([created(2)]);
  ledger('ALTER TABLE gone RENAME TO sent');
  await queue.commit([], 0, 9).onDisk;
  expect(sentIn(state)).toEqual([
    { row: 1, state: 'created', id: 'i-1' },
    { row: 2, state: 'created', id: 'i-2' },
  ]);
  run.close();
});

it('a preview sends without a ledger', async () => {
  const run = await runOf([{}, {}]);
  const queue = run.sendQueue(false);
  const ready = await queue.commit([], 9, 7).onDisk;
  expect(ready.map(({ row, marks }) => [row, marks])).toEqual([
    [1, 1],
    [2, 1],
  ]);
  await queue.commit([created(1)], 0, 8).onDisk;
  queue.record([created(2)]);
  expect(statesIn(run)).toEqual(['1 created i-1', '2 created i-2']);
  run.close();
});

describe('once it is known how the service stores codes', () => {
  it.each<
    [
      onExisting: 'skip' | 'fail',
      onDuplicate: 'first' | 'all' | undefined,
      states: readonly string[],
    ]
  >([
    [
      'skip',
      undefined,
      ['1 created i-1', '2 existing c-1', '3 duplicate same_key', '4 existing c-1', '5 pending'],
    ],
    [
      'fail',
      'first',
      ['1 created i-1', '2 pending', '3 duplicate same_key', '4 duplicate same_key', '5 pending'],
    ],
    [
      'skip',
      'all',
      ['1 created i-1', '2 existing c-1', '3 pending', '4 existing c-1', '5 pending'],
    ],
  ])('pending rows may exist, or be one (%s, %s)', async (onExisting, onDuplicate, states) => {
    const codes = ['a', 'B', 'A', 'b', 'c'];
    const run = await begun(
      await freshFolder(),
      codes.map((code) => ({ code })),
    );
    run.commit(() => run.rows.catalogue.add([{ id: 'c-1', code: 'b', name: null }]));
    run.rows.planned.storeAs({ name: 'lower case' });
    const queue = run.sendQueue(true);
    await queue.commit([], 1, 7).onDisk;
    queue.record([created(1)]);
    queue.markChanged({ ...CHOICES, onExisting, onDuplicate });
    expect(statesIn(run)).toEqual(states);
    const { created: made, existing, duplicate, pending } = queue.counts;
    expect({ created: made, existing, duplicate, pending }).toEqual(
      Object.fromEntries(
        ['created', 'existing', 'duplicate', 'pending'].map((state) => [
          state,
          states.filter((line) => line.includes(state)).length,
        ]),
      ),
    );
    run.close();
  });
});
