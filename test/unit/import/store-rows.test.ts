import { existsSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isOpen } from '../../../src/import/store/looked-up-rows.ts';
import { SCHEMA } from '../../../src/import/store/run-database.ts';
import { keyOf, RunRows } from '../../../src/import/store/run-rows.ts';
import { runNames } from '../../../src/import/store/runs.ts';
import { FlatRows, type StagedRow, StagedRows } from '../../../src/import/store/staged-rows.ts';
import { noCounts, type RowState } from '../../../src/import/store/transitions.ts';
import { ledgerPath } from '../../../src/ledger/open-ledger.ts';
import { IN_MEMORY, openDatabase } from '../../../src/store/open-database.ts';
import { freshFolder } from '../../support/sandbox.ts';

const STATES = Object.keys(noCounts()) as RowState[];

interface Row {
  readonly row: number;
  readonly state: RowState;
  readonly code: string | null;
  readonly name: string | null;
  readonly id: string | null;
  readonly status: number | null;
  readonly sent_at: number | null;
  readonly tries: number;
  readonly looked_up: 0 | 1;
  readonly fingerprint: string | null;
  readonly seen: number | null;
  readonly body: string;
  readonly fields: string | null;
}

const some = (...values: string[]) => fc.constantFrom(...values, null);

const anyRow: fc.Arbitrary<Omit<Row, 'row'>> = fc.record({
  ...{ state: fc.constantFrom(...STATES), code: some('A', 'B', 'long'), name: some('N', 'M') },
  ...{ id: some('i-'), status: fc.constantFrom(null, 400, 409) },
  ...{ sent_at: fc.constantFrom(null, 1_000, 2_000, 31_000), tries: fc.nat({ max: 2 }) },
  ...{ looked_up: fc.constantFrom<0 | 1>(0, 1), fingerprint: some('f1', 'f2') },
  ...{ seen: fc.constantFrom(null, 3) },
  body: fc.constantFrom(
    '{"name":"Bolt"}',
    '{"title":"ñ"}',
    '{"groups":[{"items":[{"item":{"name":"x"}}]}]}',
  ),
  fields: some('{"name":"#REF!"}'),
});

function filled(
  rows: readonly Row[],
  catalogue: readonly { id: string; code: string | null; name: string | null }[] = [],
) {
  const database = openDatabase(IN_MEMORY);
  database.exec(SCHEMA);
  const insert = database.prepare(
    `INSERT INTO rows (row, state, code, name, id, status, sent_at, tries, looked_up, fingerprint, seen)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const record = database.prepare(
    'INSERT INTO records (row, line, fields, body) VALUES (?, ?, ?, ?)',
  );
  for (const one of rows) {
    const { row, state, code, name, id, status, sent_at: at, tries } = one;
    insert.run(
      row,
      state,
      code,
      name,
      id,
      status,
      at,
      tries,
      one.looked_up,
      one.fingerprint,
      one.seen,
    );
    record.run(row, row + 1, one.fields, one.body);
  }
  const found = new RunRows(database);
  found.addIndexes();
  found.catalogue.add(catalogue);
  found.catalogue.addIndexes();
  return found;
}

const numbers = (rows: readonly { readonly row: number }[]) => rows.map(({ row }) => row);

it('each query finds the rows that its name says', () => {
  const listed = fc.uniqueArray(
    fc.record({ id: fc.constantFrom('c-1', 'c-2', 'c-3'), code: some('A', 'Z'), name: some('N') }),
    { selector: ({ id }) => id },
  );
  fc.assert(
    fc.property(fc.array(anyRow, { maxLength: 12, size: 'max' }), listed, (given, catalogue) => {
      const rows = given.map(
        (one, at): Row => ({
          ...{ ...one, row: at + 1 },
          // No two created rows have the same id.
          id: one.id && `i-${at + 1}`,
        }),
      );
      const { planned, unconfirmed, reported, sent, ...store } = filled(rows, catalogue);
      const all = new RunRows(store.sql.database);
      const are = (...states: RowState[]) => rows.filter(({ state }) => states.includes(state));
      const pending = are('pending');

      expect(all.counts()).toEqual({
        ...noCounts(),
        ...Object.fromEntries(STATES.map((state) => [state, are(state).length])),
      });
      const isParked = (one: Row) =>
        one.looked_up === 1 || one.fingerprint !== null || (one.code === null && one.name === null);
      expect(all.countParked(true)).toBe(are('unconfirmed').filter(isParked).length);
      expect(all.countParked(false)).toBe(are('unconfirmed', 'sending').filter(isParked).length);
      expect(all.last()).toBe(rows.length);
      for (const one of rows) {
        const key =
          one.fingerprint !== null
            ? `body ${one.fingerprint}`
            : one.code !== null
              ? `code ${one.code}`
              : one.name && `name ${one.name}`;
        expect(keyOf(one.code, one.name, one.fingerprint)).toBe(key);
        expect(all.at(one.row)).toMatchObject(one);
      }
      expect(all.at(99)).toBeUndefined();
      const printed = (of: readonly Row[]) =>
        of
          .filter((one) => one.fingerprint !== null)
          .map(({ row, fingerprint }) => ({ row, fingerprint }));
      expect([...all.fingerprinted('pending')].flat()).toEqual(printed(pending));
      expect([...all.fingerprinted('inherited')].flat()).toEqual(
        printed(are('unconfirmed').filter((one) => one.sent_at === null)),
      );

      expect(planned.hasPending()).toBe(pending.length > 0);
      expect(planned.hasPending({ withCode: true })).toBe(
        pending.some(({ code }) => code !== null),
      );
      expect(planned.hasRejectedCode()).toBe(
        are('rejected').some((one) => one.sent_at === null && one.code !== null),
      );
      for (const key of ['code', 'name'] as const) {
        const value = key === 'code' ? 'A' : 'N';
        const own = rows.filter((one) => one[key] === value);
        const mayBeOurs = own.some(
          ({ state, id }) =>
            state === 'sending' || state === 'unconfirmed' || (state === 'created' && id === 'i-1'),
        );
        expect(planned.pendingLike(key, value, 'i-1')).toEqual(
          mayBeOurs ? [] : numbers(own.filter(({ state }) => state === 'pending')),
        );
      }
      expect(planned.recognisable()).toEqual({
        pending: pending.filter((one) => one.code !== null || one.name !== null).length,
        existing: are('existing').length,
      });
      for (const state of STATES) {
        expect(numbers(planned.samples(state, 2))).toEqual(numbers(are(state).slice(0, 2)));
        expect([...planned.bodiesIn(state)].flat()).toEqual(
          are(state).map(({ row, body }) => ({ row, body })),
        );
        const codes = are(state).flatMap(({ code }) => code ?? []);
        expect(planned.codesIn(state)).toEqual([...new Set(codes)].sort());
        expect(planned.keyCounts(state)).toEqual({
          codes: new Set(codes).size,
          names: are(state).filter(({ name }) => name !== null).length,
        });
      }
      expect(numbers([...planned.bodiesWithItems()].flat())).toEqual(
        numbers(pending.filter(({ body }) => body.includes('item"'))),
      );
      const repeated = (column: 'code' | 'name' | 'fingerprint') =>
        [
          ...Map.groupBy(
            rows.flatMap((one) => one[column] ?? []),
            (key) => key,
          ),
        ].flatMap(([key, of]) => (of.length > 1 ? [key] : []));
      for (const column of ['code', 'name', 'fingerprint'] as const) {
        expect(planned.repeatedKeys(column).toSorted()).toEqual(repeated(column).sort());
      }
      expect(numbers([...planned.members('code')('A')])).toEqual(
        numbers(pending.filter(({ code }) => code === 'A')),
      );
      const inList = ({ code, name }: Row) =>
        catalogue.some(
          (one) =>
            (code !== null && one.code === code) ||
            (name !== null && one.code === null && one.name === name),
        );
      const shown = pending.filter(inList);
      expect(planned.countInCatalogue()).toBe(shown.length);
      expect(planned.inCatalogue(2)).toEqual(numbers(shown.slice(0, 2)));

      const isOpen = (one: Row) =>
        one.looked_up === 0 &&
        ((one.state === 'unconfirmed' && one.sent_at !== null) ||
          (one.state === 'rejected' && one.status === 409));
      const sentAt = ({ state, sent_at: at }: Row) => (state === 'rejected' ? 0 : at!);
      const open = rows.filter(isOpen);
      const due = open.filter((one) => sentAt(one) <= 1_000);
      expect(numbers(unconfirmed.openUntil(1_000, undefined)).toSorted()).toEqual(
        numbers(due).sort(),
      );
      expect(unconfirmed.openUntil(1_000, 1)).toHaveLength(Math.min(1, due.length));
      expect(unconfirmed.firstOpenAt()).toBe(
        open.length === 0 ? undefined : Math.min(...open.map(sentAt)),
      );
      expect(numbers(unconfirmed.keyless()).toSorted()).toEqual(
        numbers(open.filter(({ code, name }) => code === null && name === null)).sort(),
      );
      const times = are('unconfirmed').flatMap((one) => one.sent_at ?? []);
      expect(unconfirmed.lastSentAt()).toBe(times.length === 0 ? undefined : Math.max(...times));
      expect(numbers(unconfirmed.all())).toEqual(numbers(are('unconfirmed', 'sending')));
      const mayHave = ({ state, status }: Row) =>
        ['unconfirmed', 'created', 'sending'].includes(state) ||
        (state === 'rejected' && status === 409);
      expect(numbers(unconfirmed.members('name', 'N'))).toEqual(
        numbers(rows.filter((one) => one.name === 'N' && mayHave(one))),
      );
      const own = are('created');
      const near = own.filter(
        (one) => one.code !== null && one.sent_at !== null && one.sent_at <= 2_000,
      );
      expect([...unconfirmed.createdNear(3, 2_000)].map(({ key, id }) => `${key} ${id}`)).toEqual(
        [...near.filter(({ row }) => row > 3), ...near.filter(({ row }) => row < 3).reverse()].map(
          ({ code, id }) => `${code} ${id}`,
        ),
      );

      const withoutSending = (state: RowState) => (state === 'sending' ? 'unconfirmed' : state);
      expect([...reported.listed(undefined)].map(({ row, state }) => [row, state])).toEqual(
        rows.map(({ row, state }) => [row, withoutSending(state)]),
      );
      expect(numbers([...reported.listed('unconfirmed')])).toEqual(
        numbers(are('unconfirmed', 'sending')),
      );
      expect(numbers([...reported.listed('unconfirmed', true)])).toEqual(
        numbers(are('unconfirmed')),
      );
      expect(numbers([...reported.listed('sending', true)])).toEqual(numbers(are('sending')));
      expect(numbers([...reported.withRecords('created')])).toEqual(numbers(are('created')));
      expect(numbers(reported.unconfirmed(2))).toEqual(
        numbers(are('unconfirmed', 'sending').slice(0, 2)),
      );
      expect(reported.longestPayload()).toBe(
        Math.max(0, ...rows.map(({ body }) => Buffer.byteLength(body))),
      );
      expect([...reported.created()].map(({ id }) => id).sort()).toEqual(
        are('created')
          .flatMap(({ id }) => id ?? [])
          .sort(),
      );
      expect(reported.anyCreated() !== undefined).toBe(
        are('created').some(({ code }) => code !== null),
      );
      expect(reported.creatorOf('i-2')).toBe(are('created').find(({ id }) => id === 'i-2')?.row);
      for (const { row, state, code, id } of rows) {
        expect(reported.outcomeOf(row)).toEqual({ state: withoutSending(state), code, id });
      }
      expect(reported.outcomeOf(99)).toBeUndefined();

      expect(sent.countCreated()).toBe(own.length);
      const outcomes = rows.flatMap(({ row, state, id }) => {
        if (state === 'sending' || state === 'unconfirmed') return [];
        if (state === 'created') return [{ row, state, id }];
        return [{ row, state: state === 'dropped' ? state : 'none' }];
      });
      expect(sent.outcomesOf(numbers(rows))).toEqual(outcomes);
      for (const [withCreated, withOpen] of [
        [true, true],
        [false, true],
        [false, false],
      ] as const) {
        const isOpen = (state: string) => state === 'sending' || state === 'unconfirmed';
        const entries = rows.filter(
          ({ state, sent_at: time, seen }) =>
            (withOpen && isOpen(state) && time !== null && seen === null) ||
            state === 'dropped' ||
            (withCreated && state === 'created'),
        );
        expect([...sent.entries(withCreated, withOpen)].flat()).toEqual(
          entries.map(({ row, state, id, sent_at: time, code, name, fingerprint }) => ({
            ...{ row, id, state: state === 'created' || state === 'dropped' ? state : 'maybe' },
            entry: { key: keyOf(code, name, fingerprint), at: time },
          })),
        );
      }
    }),
    { numRuns: 60 },
  );
});

const staged: fc.Arbitrary<Omit<StagedRow, 'row'>> = fc.record({
  state: fc.constantFrom('pending', 'pending', 'pending', 'rejected'),
  ...{ line: fc.constantFrom(null, 7), code: some('A'), name: some('N'), fingerprint: some('f') },
  ...{ reason: some('{"code":"x"}') },
  ...{ fields: some('{}'), body: some('{"a":1}'), places: some('[]') },
}) as never;

const ODD = {
  state: 'rejected',
  name: 'N',
  fingerprint: 'f',
  reason: '{}',
  fields: '{}',
  places: '[]',
};

it('a staged row is stored as it is, however many are written at once', () => {
  const plain = {
    name: null,
    fingerprint: null,
    reason: null,
    fields: null,
    places: null,
  };
  // Most rows have nothing but a code and a body, and are written in another way.
  const mostlyPlain = fc
    .tuple(staged, fc.nat({ max: 30 }))
    .map(([one, odd]) => (odd > 0 ? { ...one, ...plain, state: 'pending' as const } : one));
  const oneOdd = fc
    .record({
      key: fc.constantFrom('state', ...Object.keys(plain)),
      one: staged,
      at: fc.nat({ max: 19 }),
      isEvery: fc.boolean(),
    })
    .map(({ key, one, at, isEvery }) =>
      Array.from({ length: 20 }, (_, index) => ({
        ...{ ...one, ...plain, state: 'pending' as const },
        ...(isEvery || index === at ? { [key]: one[key as keyof typeof one] } : {}),
      })),
    );
  fc.assert(
    fc.property(
      fc.oneof(oneOdd, fc.array(mostlyPlain, { maxLength: 45, size: 'max' })),
      (given) => {
        const rows = given.map((one, at): StagedRow => ({ ...one, row: at + 1 }) as StagedRow);
        const { sql } = filled([]);
        new StagedRows(sql).add(rows, (one) => one);
        const stored = sql.all(
          `SELECT row, state, line, code, name, reason, fingerprint, fields, body, places
          FROM rows JOIN records USING (row) ORDER BY row`,
        );
        expect(stored).toEqual(rows);
      },
    ),
    {
      numRuns: 100,
      // All rows have the same odd column, so they look alike.
      examples: Object.entries(ODD).map(([key, value]) => {
        const one = { ...plain, state: 'pending', line: 7, code: 'A', body: '{}', [key]: value };
        return [Array.from({ length: 20 }, () => one)] as never;
      }),
    },
  );
});

it('flat rows come back by key, in the order in which each key came first', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 12 }),
      fc.integer({ min: 1, max: 3 }),
      (keys, atOnce) => {
        const { sql } = filled([]);
        const flat = new FlatRows(sql);
        const none = {
          line: null,
          fields: null,
          body: null,
          problem: null,
        };
        const rows = keys.map((key, at) => ({ row: at + 1, key, ...none }));
        flat.add(rows.slice(0, 5));
        flat.add(rows.slice(5));
        const groups: number[][] = [];
        for (const lot of flat.lots(atOnce)) {
          expect(lot.length).toBeLessThanOrEqual(atOnce);
          for (const group of lot) groups.push(numbers([...group]));
        }
        expect(groups).toEqual([...Map.groupBy(rows, ({ key }) => key).values()].map(numbers));
      },
    ),
    { numRuns: 60 },
  );
});

it('a list of runs makes no ledger', async () => {
  const state = await freshFolder();
  expect(await runNames(join(state, 'imports'))).toEqual([]);
  expect(existsSync(ledgerPath(state))).toBe(false);
});

it.each<[state: string, lookedUp: number, isStillOpen: boolean]>([
  ['unconfirmed', 0, true],
  ['rejected', 0, true],
  ['created', 0, false],
  ['sending', 0, false],
  ['unconfirmed', 1, false],
  ['rejected', 1, false],
])('a row that is %s, looked up: %d, is to be looked up: %s', (state, lookedUp, isStillOpen) => {
  expect(isOpen({ state, looked_up: lookedUp } as never)).toBe(isStillOpen);
});
