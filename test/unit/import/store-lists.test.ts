import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { storedCode } from '../../../src/core/service/code-change.ts';
import { ShownRows } from '../../../src/import/store/looked-up-rows.ts';
import { LineItems } from '../../../src/import/store/planned-rows.ts';
import { Run } from '../../../src/import/store/run-file.ts';
import type { RowState } from '../../../src/import/store/transitions.ts';
import type { Listed } from '../../../src/listing/listing.ts';
import { freshFolder } from '../../support/sandbox.ts';
import { type GivenRow, rowsOf, runOf } from './run-of.ts';

const LOWER = { name: 'lower case' };
const lower = (code: string) => code.toLowerCase();

const numbers = (rows: readonly { readonly row: number }[]) => rows.map(({ row }) => row);
const sorted = <T>(all: Iterable<T>) => [...all].sort();

type Given = Required<Pick<GivenRow, 'state' | 'code' | 'name' | 'id' | 'sentAt'>>;

const given = (...states: RowState[]): fc.Arbitrary<Given> =>
  fc.record({
    state: fc.constantFrom(...states),
    code: fc.constantFrom('A', 'a', 'B', 'b', 'C', null),
    name: fc.constantFrom('N', 'M', null),
    id: fc.constantFrom('c-1', 'c-2', 'c-3', null),
    sentAt: fc.constantFrom(1, 5, null),
  });

const record: fc.Arbitrary<Listed> = fc.record({
  id: fc.constantFrom('c-1', 'c-2', 'c-3', 'c-4', undefined),
  code: fc.constantFrom('A', 'a', 'B', 'b', '', null),
  name: fc.constantFrom(' N ', 'N', 'M', null),
});

const some = <T>(one: fc.Arbitrary<T>, maxLength = 9) => fc.array(one, { maxLength, size: 'max' });

/** Each with its number. */
function numbered<T extends object>(rows: readonly T[]): (T & { readonly row: number })[] {
  return rows.map((one, at) => ({ ...one, row: at + 1 }));
}

/** The records that are kept: the first with each id. */
function kept(records: readonly Listed[]) {
  const all = new Map<string, { id: string; code: string | null; name: string | null }>();
  for (const { id, code, name } of records) {
    if (id === undefined || all.has(id)) continue;
    all.set(id, { id, code, name: code === null || code === '' ? name : null });
  }
  return [...all.values()];
}

describe('the catalogue of a run', () => {
  it('has each record once, with its name only if it has no code', () => {
    fc.assert(
      fc.property(some(record), (records) => {
        const { catalogue } = rowsOf([]);
        expect(catalogue.isEmpty).toBe(true);
        catalogue.add(records);
        catalogue.addIndexes();
        const all = kept(records);
        expect(catalogue.isEmpty).toBe(all.length === 0);
        expect(catalogue.count()).toBe(all.length);
        for (const id of ['c-1', 'c-2', 'c-3', 'c-4']) {
          const found = all.find((one) => one.id === id);
          expect(catalogue.has(id)).toBe(found !== undefined);
          expect(catalogue.codeOf(id)).toBe(found && (found.code ?? ''));
          for (const code of ['A', 'Z', null]) {
            const isShown =
              found !== undefined &&
              (code === null || found.code === code || (code === 'A' && found.code === 'a'));
            expect(catalogue.shows(id, code)).toBe(isShown);
          }
        }
        for (const [key, value] of [
          ['code', 'A'],
          ['name', 'N'],
        ] as const) {
          const ids = all.filter((one) => one[key] === value).map(({ id }) => id);
          expect(sorted(catalogue.idsOf(key, value))).toEqual(sorted(ids));
        }
        catalogue.clear();
        expect(catalogue.isEmpty).toBe(true);
      }),
      { numRuns: 40 },
    );
  });

  it('tells which rows exist, also under the codes that the service stores', () => {
    const states = ['pending', 'rejected', 'existing', 'created', 'sending'] as const;
    fc.assert(
      fc.property(
        some(given(...states)),
        some(record),
        fc.boolean(),
        (rows, records, isChanged) => {
          const own = rows.map((one, at) => ({
            ...one,
            id: one.state === 'created' ? null : one.id,
            at,
          }));
          const all = numbered(own);
          const list = kept(records);
          const stored = (code: string) => (isChanged ? lower(code) : code);
          const matches = ({ code, name }: Given) =>
            list.filter(
              (one) =>
                (code !== null && stored(code) === one.code) ||
                (name !== null && name === one.name),
            );
          const store = () => {
            const found = rowsOf(own);
            found.catalogue.add(records);
            found.catalogue.addIndexes();
            if (isChanged) found.planned.storeAs(LOWER);
            return found;
          };
          const { planned } = store();
          const shown = all.filter((one) => one.state === 'pending' && matches(one).length > 0);
          expect(planned.countInCatalogue()).toBe(shown.length);
          expect(planned.inCatalogue(2)).toEqual(numbers(shown).slice(0, 2));
          const gone = all.filter(
            ({ state, id, code }) =>
              state === 'existing' &&
              id !== null &&
              !list.some((one) => one.id === id && (code === null || one.code === stored(code))),
          );
          const vanished = planned.vanished(2);
          expect([vanished.count, numbers(vanished.rows)]).toEqual([
            gone.length,
            numbers(gone).slice(0, 2),
          ]);
          for (const [key, value] of [
            ['code', 'a'],
            ['name', 'N'],
          ] as const) {
            const of = all.filter((one) =>
              key === 'code' ? one.code !== null && stored(one.code) === value : one.name === value,
            );
            const isMaybeOurs = of.some(({ state }) => state === 'sending');
            const like = of.filter(({ state }) => state === 'pending');
            expect(sorted(planned.pendingLike(key, value, 'c-1'))).toEqual(
              isMaybeOurs ? [] : sorted(numbers(like)),
            );
          }
          for (const [state, mark] of [
            ['pending', 'markInCatalogue'],
            ['rejected', 'findRejected'],
          ] as const) {
            const fresh = store();
            const marked = all.filter((one) => one.state === state && matches(one).length > 0);
            expect(fresh.planned[mark]()).toBe(marked.length);
            for (const one of all) {
              const isMarked = marked.includes(one);
              expect(fresh.reported.outcomeOf(one.row)).toEqual({
                code: one.code,
                state: isMarked ? 'existing' : one.state === 'sending' ? 'unconfirmed' : one.state,
                id: isMarked ? sorted(matches(one).map(({ id }) => id))[0] : one.id,
              });
            }
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it('tells which rows it has with another name', () => {
    fc.assert(
      fc.property(
        some(
          fc.record({
            code: fc.constantFrom('A', 'B', null),
            name: fc.constantFrom('N', 'M', undefined),
            state: fc.constantFrom('pending', 'pending', 'rejected'),
          }),
        ),
        some(record),
        some(record),
        (rows, first, second) => {
          const { catalogue } = rowsOf(
            rows.map(({ code, name, state }) => ({
              ...{ code, state: state as RowState, line: 7 },
              body: JSON.stringify({ title: name }),
            })),
          );
          expect(catalogue.otherNames('title', 2)).toBeUndefined();
          catalogue.compareNames(first, 'title');
          catalogue.compareNames(second, 'title');
          const records = [...first, ...second].filter(({ id }) => id !== undefined);
          const others = numbered(rows).flatMap(({ row, code, name, state }) => {
            const same = records.filter((one) => code !== null && one.code === code);
            const isSame = same.some((one) => (one.name?.trim() ?? '') === name);
            if (state !== 'pending' || name === undefined || same.length === 0 || isSame) return [];
            const [{ id, name: catalogueName } = {}] = same;
            return [{ row, line: 7, code, name, catalogueName: catalogueName?.trim() ?? '', id }];
          });
          expect(catalogue.otherNames('title', 2)).toEqual(
            others.length === 0 ? undefined : { count: others.length, samples: others.slice(0, 2) },
          );
          catalogue.clear();
          expect(catalogue.otherNames('title', 2)).toBeUndefined();
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('the items that lines define', () => {
  it('are kept by code', () => {
    const line = fc.record({
      code: fc.constantFrom('A', 'a', 'B', 'b', 'LONG'),
      item: fc.constantFrom('{"n":1}', '{"n":2}'),
    });
    const codes = ['A', 'a', 'B', 'b', 'LONG', 'long', 'x'];
    fc.assert(
      fc.property(
        some(line),
        some(
          fc.record({ code: fc.constantFrom('a', 'B', 'LONG'), id: fc.constantFrom('i-1', 'i-2') }),
          2,
        ),
        (lines, known) => {
          const { sql } = rowsOf([]);
          const items = new LineItems(sql);
          for (const [at, { code, item }] of lines.entries()) items.define(code, at + 1, item);
          for (const { code, id } of known) items.know(code, id, undefined);
          const all = [...Map.groupBy(numbered(lines), ({ code }) => code)].map(([code, of]) => ({
            ...{ code, row: of[0]!.row, lines: of.length, item: of[0]!.item },
            differs: of.some(({ item }) => item !== of[0]!.item),
            isNew: !known.some((one) => one.code === code),
          }));
          expect(items.count()).toBe(all.length);
          const wanted = new Set<string>(all.map(({ code }) => code));
          expect(sorted(items.wanted())).toEqual(sorted(wanted));
          for (const code of codes) {
            const own = all.find((one) => one.code === code);
            expect(items.at(code) !== undefined).toBe(own !== undefined);
            expect(items.isWanted(code)).toBe(wanted.has(code));
            expect(items.at(code)?.lines).toBe(own?.lines);
            if (own !== undefined) expect(items.at(code)!.row).toBe(own.row);
            const ids = sorted(
              new Set(known.filter((one) => one.code === code).map(({ id }) => id)),
            );
            expect(items.knownWith(code)).toEqual(ids.map((id) => ({ id, name: null })));
          }
          const fresh = all.filter(({ isNew }) => isNew);
          const shared = fresh.filter((one) => one.lines > 1);
          expect(items.countShared()).toBe(shared.length);
          expect(items.firstShared(1)).toEqual(
            shared.slice(0, 1).map(({ code, lines: count }) => ({ code, lines: count })),
          );
          expect([...items.shared()]).toEqual(shared.map(({ item }) => item));
          const differing = shared.filter(({ differs }) => differs).map(({ code }) => code);
          expect(items.differing(1)).toEqual(differing.slice(0, 1));
          items.forgetKnown();
          expect(items.knownWith('a')).toEqual([]);
          items[Symbol.dispose]();
          // A later check of the run begins anew.
          using again = new LineItems(sql);
          expect(again.count()).toBe(0);
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('what the list shows after a run', () => {
  const states = ['created', 'created', 'unconfirmed', 'sending', 'rejected', 'pending'] as const;

  it.each([[undefined], [LOWER]])('is compared with what was sent (%j)', (change) => {
    fc.assert(
      fc.property(some(given(...states)), some(record), (given, records) => {
        // No two created rows have the same id, and row 70,000 shows that there is room for all.
        const rows = given.map(({ id: _, ...one }, at) => ({
          ...{
            ...one,
            row: at === 0 ? 70_000 : at,
            id: one.state === 'created' ? `i-${at}` : null,
          },
        }));
        const { sql } = rowsOf(rows);
        const shown = new ShownRows(sql, change);
        const inOrder = rows.toSorted((a, b) => a.row - b.row);
        const created = inOrder.filter(({ state }) => state === 'created');
        const seen = new Set<number>();
        const list = records.map((one, at) => ({ ...one, id: one.id && `i-${at % 5}` }));
        const expected = new Map<string, string>();
        for (const { id, code, name } of list) {
          const own = created.find((one) => one.id === id);
          if (own === undefined || id === undefined) continue;
          const isByName = code === null || code === '';
          const isSame = isByName
            ? own.code === null && own.name !== null && own.name === name
            : own.code !== null && storedCode(change, own.code) === code;
          if (!isSame) continue;
          seen.add(own.row);
          expected.set(id, isByName ? own.name! : own.code!);
        }
        expect([...shown.add(list)].sort()).toEqual([...expected].sort());
        for (const [key, value] of [
          ['code', 'A'],
          ['name', 'N'],
        ] as const) {
          const of = inOrder.filter((one) => one[key] === value);
          const made = of.filter(
            (one) => one.state === 'created' && (key === 'code' || one.code === null),
          );
          expect(sorted(shown.createdWith(key, value))).toEqual(sorted(made.map(({ id }) => id)));
          expect(shown.isOpen(key, value)).toBe(
            of.some(({ state }) => state === 'unconfirmed' || state === 'sending'),
          );
        }
        const refused = inOrder.filter(
          (one) => one.state === 'rejected' && one.sentAt !== null && one.code !== null,
        );
        const as = refused.filter(({ code }) => storedCode(change, code!) === 'a');
        expect(as.length === 0 ? [undefined] : as.map(({ code }) => code)).toContain(
          shown.refusedAs('a'),
        );
        expect(shown.refusedAs('Z')).toBeUndefined();
        for (const { id, row } of created) expect(shown.hasOneOf([id!, 'x'])).toBe(seen.has(row));
        const hidden = (until: number, ...keys: string[]) =>
          created.filter(
            ({ row, code, name, sentAt }) =>
              !seen.has(row) &&
              (sentAt ?? 0) <= until &&
              keys.includes(code !== null ? 'code' : name !== null ? 'name' : 'none'),
          );
        for (const until of [undefined, 2]) {
          for (const keys of [['code'], ['name'], ['code', 'name']] as const) {
            const missing = hidden(until ?? 9, ...keys);
            expect(shown.missing(keys, 2, until)).toEqual({
              count: missing.length,
              first: missing.slice(0, 2).map(({ code, name, id }) => ({ key: code ?? name, id })),
            });
          }
        }
        const others = ['i-0', 'i-1', 'z', 'y', 'x'];
        for (const [at, id] of others.entries()) shown.addOther(id, at === 2);
        const strange = others.filter((id) => id !== 'z' && !created.some((one) => one.id === id));
        expect(shown.strangers(2)).toEqual({
          count: strange.length,
          first: sorted(strange).slice(0, 2),
        });
        const changed = created.filter(({ id }) => others.includes(id!));
        expect(shown.hasChanged('code')).toBe(changed.some(({ code }) => code !== null));
        expect(shown.hasChanged('name')).toBe(
          changed.some(({ code, name }) => code === null && name !== null),
        );
      }),
      { numRuns: 60 },
    );
  });

  it('is asked for also in a run that is only read', async () => {
    const state = await freshFolder();
    const header = { baseUrl: 'http://a.example', organization: undefined };
    const run = await runOf([{ code: 'A' }, { code: 'b' }, { code: 'B' }], header, state);
    await run.finish();
    run.close();
    const reading = await Run.read(run.path);
    const shown = new ShownRows(reading.rows.sql, undefined);
    shown.addOther('x', false);
    expect(shown.strangers(1)).toEqual({ count: 1, first: ['x'] });
    reading.rows.planned.storeAs(LOWER);
    expect(reading.rows.planned.pendingLike('code', 'a', 'i')).toEqual([1]);
    // What it keeps on the disk stays as it is.
    expect(() => reading.rows.sql.run('DELETE FROM rows')).toThrow(/readonly/);
    const failing = () => {
      throw new RangeError('stop');
    };
    expect(() => reading.rows.sql.temporary(failing)).toThrow(RangeError);
    expect(() => reading.rows.sql.run('DELETE FROM rows')).toThrow(/readonly/);
    reading.close();
  });
});

it('where a row stands, and what it has', () => {
  const lines = (items: readonly object[]) =>
    JSON.stringify({ groups: [{ items }, { items: [{}] }] });
  const item = { name: 'x', code: 'I-1' };
  const rows = rowsOf([
    { line: 7, fingerprint: 'f', body: lines([{ itemId: 'i' }, { item }]) },
    { state: 'created', body: lines([{ item: { name: 'y' } }]) },
    { code: null, body: lines([]) },
  ]);
  const { planned, sql } = rows;
  sql.run('UPDATE records SET places = \'{"a":1}\' WHERE row = 1');
  expect([1, 2].map((row) => planned.rowPlace(row))).toEqual([
    { row: 1, line: 7, places: { a: 1 } },
    { row: 2, line: null },
  ]);
  expect(rows.at(1)).toMatchObject({ line: 7, code: 'A-1', fingerprint: 'f' });
  expect(rows.at(3)).toMatchObject({ line: null, code: null });
  expect(planned.countLines('pending')).toEqual({
    ...{ lines: 4, referencedItems: 1, newItems: 1, newItemsWithoutCode: 0 },
  });
  expect(planned.countLines('created')).toMatchObject({ newItemsWithoutCode: 1 });
  const before = rows.at(1)!.body;
  planned.replaceBody(1, '{}');
  planned.replaceBody(1, '[]');
  expect(rows.at(1)).toMatchObject({ reason: null, fields: before, body: '[]' });
  expect(rows.at(9)).toBeUndefined();
});

it('pending rows with the stored code of another row are duplicates of it', () => {
  const states = [
    'pending',
    'pending',
    'created',
    'sending',
    'existing',
    'unconfirmed',
    'rejected',
  ];
  fc.assert(
    fc.property(some(given(...(states as RowState[]))), (given) => {
      const rows = numbered(given);
      const { writer, reported } = rowsOf(rows.map(({ state, code }) => ({ state, code })));
      writer.defineStored(lower);
      const held = rows.filter(({ state, code }) => state !== 'rejected' && code !== null);
      const expected = rows.map((one) => {
        const first = held.find(
          (other) =>
            other.row !== one.row &&
            one.code !== null &&
            lower(other.code!) === lower(one.code) &&
            (other.state !== 'pending' || other.row < one.row),
        );
        return one.state === 'pending' ? first?.row : undefined;
      });
      expect(writer.collapseStored()).toBe(expected.filter((row) => row !== undefined).length);
      for (const [at, of] of expected.entries()) {
        const { state, reason } = reported.withRecord(at + 1)!;
        if (of === undefined) expect([state === 'duplicate', reason]).toEqual([false, null]);
        else
          expect([state, JSON.parse(reason!)]).toEqual([
            'duplicate',
            { code: 'same_key', args: { row: of } },
          ]);
      }
      // It may be asked again, e.g. by a resume.
      expect(writer.collapseStored()).toBe(0);
    }),
    { numRuns: 60 },
  );
});
