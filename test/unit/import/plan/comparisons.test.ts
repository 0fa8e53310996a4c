import { describe, expect, it } from 'vitest';
import { noteOtherNames, otherNamesText } from '../../../../src/import/plan/other-names.ts';
import {
  noteRehearsal,
  rehearsedRecord,
  rehearsedRefusal,
} from '../../../../src/import/plan/rehearsed.ts';
import { lookAlikeRefusal, Twins, twins } from '../../../../src/import/plan/twins.ts';
import type { Choices } from '../../../../src/import/store/facts.ts';
import { ITEM_IMPORT } from '../../../../src/import/targets/item-import.ts';
import { CHOICES, findingsIn, runOf } from '../run-of.ts';

const TYPED = ['items', 'import', 'a.csv'];
const AGAIN = 'proc items import a.csv --allow look-alikes';
const known = (...codes: (string | null)[]) =>
  codes.map((code, at) => ({ id: `i-${at}`, code, name: null }));

describe('codes that differ only in spelling', () => {
  it('from existing codes or earlier rows are found, the first three by name', async () => {
    const codes = ['AB-1', 'ab-2', 'ab-3', 'ab-4', 'new', 'NEW', 'ab-1', 'only'];
    const run = await runOf([
      ...codes.map((code, at) => ({ code, line: at + 2 })),
      { code: 'AB-2', state: 'rejected' },
    ]);
    run.commit(() => run.rows.catalogue.add(known('ab-1', 'AB-3', 'AB-4', null)));
    expect(twins(run, { keyField: 'code' })).toEqual({
      ofExisting: 3,
      findings: [
        {
          kind: 'twins',
          field: 'code',
          count: 4,
          samples: [
            { value: 'AB-1', row: 1, line: 2, other: { value: 'ab-1' } },
            { value: 'ab-3', row: 3, line: 4, other: { value: 'AB-3' } },
            { value: 'ab-4', row: 4, line: 5, other: { value: 'AB-4' } },
          ],
        },
      ],
    });
    // Each row says it, not only those that are named.
    expect(findingsIn(run)).toEqual([
      ...['1 twins AB-1', '3 twins ab-3', '4 twins ab-4', '6 twins NEW'],
    ]);
    run.close();
  });

  it('from an earlier row alone are no look-alikes of existing records', async () => {
    const run = await runOf([{ code: 'x' }, { code: 'y' }, { code: 'X', line: 9 }]);
    expect(twins(run, { keyField: 'reference' })).toEqual({
      ofExisting: 0,
      findings: [
        {
          ...{ kind: 'twins', field: 'reference', count: 1 },
          samples: [{ value: 'X', row: 3, line: 9, other: { value: 'x', row: 1, line: null } }],
        },
      ],
    });
    run.close();
    const none = await runOf([{ code: 'x' }, { code: null }]);
    expect(twins(none, { keyField: 'code' })).toEqual({ ofExisting: 0, findings: [] });
    none.close();
  });

  it('from existing codes refuse the plan, unless they are allowed', () => {
    const samples = [{ value: 'a', row: 1, line: 2, other: { value: 'A' } }];
    const findings = [{ kind: 'twins', field: 'code', count: 1, samples } as const];
    const allow: Choices['allow'] = ['look-alikes'];
    expect(lookAlikeRefusal({ findings, ofExisting: 0 }, CHOICES, TYPED)).toBeUndefined();
    expect(
      lookAlikeRefusal({ findings, ofExisting: 1 }, { ...CHOICES, allow }, TYPED),
    ).toBeUndefined();
    const refused = lookAlikeRefusal({ findings, ofExisting: 1 }, CHOICES, TYPED)!;
    expect(refused).toMatchObject({
      code: 'invalid_input',
      hint: `Correct the codes. If they are other records, run: ${AGAIN}`,
      details: { lookAlikes: 1, samples },
    });
    expect(refused.message).toMatch(
      /^1 code looks like codes of existing records \(1 code matches another code except .*\); nothing was sent$/,
    );
    const two = lookAlikeRefusal(
      { findings: [...findings, ...findings], ofExisting: 2 },
      CHOICES,
      [],
    );
    expect(two!.message).toMatch(/^2 codes look like .*\(1 code .*; 1 code .*\)/);
  });
});

describe('new items of order lines whose codes differ only in spelling', () => {
  const sampleOf = (value: string) => ({ value, row: 7, line: 8 });
  const lines = (
    codes: readonly string[],
    seen: readonly string[] = [],
    more: Partial<ConstructorParameters<typeof Twins>[0]> = { sampleOf },
  ) => {
    const twinsOf = new Twins({ count: codes.length, codes: () => codes, ...more });
    for (const code of seen) twinsOf.see(code);
    return twinsOf.found();
  };

  it.each<[codes: string[], seen: string[], existing: string[], expected: [string, string][]]>([
    [['A', 'B'], [], [], []],
    [['A', 'B'], ['C'], [], []],
    [['a', 'B'], ['A'], [], [['a', 'A']]],
    [['a', 'A'], [], [], [['A', 'a']]],
    [
      ['a', 'A', 'x', 'X'],
      [],
      [],
      [
        ['A', 'a'],
        ['X', 'x'],
      ],
    ],
    // One of the spellings exists, so the other one is its twin.
    [['a', 'A'], [], ['a'], [['A', 'a']]],
    [['a', 'A'], [], ['A'], [['a', 'A']]],
    [['a', 'A'], [], ['a', 'A'], []],
    [
      ['a', 'A', 'á'],
      ['Á'],
      [],
      [
        ['A', 'a'],
        ['á', 'Á'],
      ],
    ],
  ])('%j, seen %j, existing %j', (codes, seen, existing, expected) => {
    const exists = (code: string) => existing.includes(code);
    const { findings, ofExisting } = lines(codes, seen, { exists, sampleOf });
    expect(
      findings.flatMap(({ samples }) => samples.map((one) => [one.value, one.other!.value])),
    ).toEqual(expected);
    expect(findings.map(({ count }) => count)).toEqual(
      expected.length === 0 ? [] : [expected.length],
    );
    expect(ofExisting).toBe(
      seen.concat(existing).filter((one) => expected.flat().includes(one)).length,
    );
  });

  it('are counted once, however many lines have them', () => {
    const { findings } = lines(['a', 'a', 'A', 'A']);
    expect(findings).toMatchObject([
      { count: 1, samples: [{ value: 'A', other: { value: 'a' } }] },
    ]);
    expect(lines(['a', 'a'], ['A']).findings).toMatchObject([{ count: 1 }]);
  });

  it('are twins of the first existing code', () => {
    expect(lines(['x-y'], ['X-y', 'X-Y']).findings[0]!.samples[0]!.other).toEqual({ value: 'X-y' });
    expect(lines(['x-y'], ['x-y', 'z']).findings).toEqual([]);
  });

  it('say where they are, the first three', () => {
    const codes = ['a', 'b', 'c', 'd'];
    const { findings, ofExisting } = lines(codes, ['A', 'B', 'C', 'D']);
    const [found] = findings;
    expect(ofExisting).toBe(4);
    expect(found).toMatchObject({ kind: 'twins', field: 'code', count: 4 });
    expect(found!.samples).toEqual(
      ['a', 'b', 'c'].map((value) => ({
        ...{ value, row: 7, line: 8 },
        other: { value: value.toUpperCase() },
      })),
    );
    const [pair] = lines(['a', 'A']).findings;
    expect(pair!.samples).toEqual([
      { value: 'A', row: 7, line: 8, other: { value: 'a', row: 7, line: 8 } },
    ]);
  });

  it('without places are only twins of existing items', () => {
    expect(lines(['a', 'A'], [], {}).findings).toEqual([]);
    expect(lines(['a', 'A', 'b'], ['B'], {}).findings).toEqual([
      { kind: 'twins', field: 'code', count: 1, samples: [{ value: 'b', other: { value: 'B' } }] },
    ]);
  });
});

describe('what a rehearsal says about codes', () => {
  const FACTS = {
    environment: 'staging',
    at: '2026-01-02T03:04:05.000Z',
    second: 'refused',
  } as const;
  const rehearsed = (codes: object) =>
    ({ ...FACTS, codes, lagMs: 0, answerCode: 'sent', idKind: 'text' }) as never;
  const UPPER = { change: { name: 'upper case' }, isKnown: true };

  it.each<[what: string, codes: object, allow: Choices['allow'], refused: object | undefined]>([
    ['stored as sent', { isKnown: true }, [], undefined],
    ['in a way that is not known', { ...UPPER, isKnown: false }, [], undefined],
    ['that become equal, if that is allowed', UPPER, ['look-alikes'], undefined],
    [
      'that become equal',
      UPPER,
      [],
      {
        message:
          '2 codes become equal to another, because codes are stored in upper case, as rehearsed on staging: ab-1 (row 1) and AB-1 (existing) are both AB-1; x-1 (row 4) and X-1 (row 3) are both X-1; nothing was sent',
        hint: `Correct the codes, or leave the rows out. If they are other records, run: ${AGAIN}`,
        details: {
          lookAlikes: 2,
          samples: [
            { row: 1, code: 'ab-1', stored: 'AB-1', other: 'AB-1', otherRow: null },
            { row: 4, code: 'x-1', stored: 'X-1', other: 'X-1', otherRow: 3 },
          ],
        },
      },
    ],
    ['longer than the service keeps, if none is', { isKnown: true, cutTo: 9 }, [], undefined],
    [
      'longer than the service keeps',
      { isKnown: true, cutTo: 4 },
      [],
      {
        message:
          '1 code is longer than the 4 characters that the service keeps, as rehearsed on staging: long-code; nothing was sent',
        hint: `Shorten it. To send the rows anyway, run: ${AGAIN}`,
        details: { tooLong: 1, samples: ['long-code'] },
      },
    ],
    [
      'longer than the service keeps, two of them',
      { isKnown: true, cutTo: 3 },
      [],
      {
        message:
          '2 codes are longer than the 3 characters that the service keeps, as rehearsed on staging: ab-1, long-code; nothing was sent',
        hint: `Shorten them. To send the rows anyway, run: ${AGAIN}`,
      },
    ],
  ])('codes %s', async (_, codes, allow, refused) => {
    const run = await runOf(
      ['ab-1', 'long-code', 'X-1', 'x-1'].map((code) => ({ code })),
      { choices: { ...CHOICES, allow } },
    );
    run.commit(() => run.rows.catalogue.add(known('AB-1')));
    run.note({ rehearsed: rehearsed(codes) });
    const found = rehearsedRefusal(run, 'code', run.rows.planned, TYPED);
    if (refused === undefined) expect(found).toBeUndefined();
    else expect(found).toMatchObject({ code: 'invalid_input', ...refused });
    run.close();
  });

  it('says nothing without a rehearsal, and forgets an earlier one', async () => {
    const run = await runOf([{}]);
    expect(rehearsedRefusal(run, 'code', run.rows.planned, TYPED)).toBeUndefined();
    run.note({ rehearsed: rehearsed(UPPER) });
    const target = { profile: undefined, environment: undefined, baseUrl: 'http://x' };
    const ports = { api: { target: async () => target }, self: { env: {}, cwd: '/' } } as never;
    await noteRehearsal(run, ITEM_IMPORT, ports);
    expect(run.get('rehearsed')).toBeUndefined();
    await noteRehearsal(run, ITEM_IMPORT, ports);
    run.close();
  });

  it('is part of the plan', () => {
    expect(rehearsedRecord(undefined, 0)).toEqual({});
    const now = Date.parse(FACTS.at);
    expect(rehearsedRecord({ ...FACTS, codes: UPPER, lagMs: 5 }, now)).toEqual({
      rehearsed: {
        environment: 'staging',
        at: FACTS.at,
        says: 'rehearsed on staging today: codes are stored in upper case; a second create with the same code is refused; lists lag 5 ms',
        codesChange: { name: 'upper case' },
        codesKnown: true,
        second: 'refused',
        lagMs: 5,
      },
    });
    expect(
      rehearsedRecord({ ...FACTS, codes: { change: undefined, isKnown: true } }, now).rehearsed,
    ).toMatchObject({ codesChange: null, codesKnown: true });
    expect(rehearsedRecord(FACTS, now).rehearsed).not.toHaveProperty('codesKnown');
    expect(rehearsedRecord(FACTS, now).rehearsed).not.toHaveProperty('lagMs');
  });
});

describe('existing rows that have another name in the catalogue', () => {
  const renamed = async () => {
    const run = await runOf(
      ['A', 'B', 'C', 'D', 'E'].map((code, at) => ({
        ...{ code, line: at + 2, body: JSON.stringify({ code, name: `Name ${code}` }) },
      })),
    );
    const listed = ['A', 'B', 'C', 'D'].map((code) => ({
      id: `i-${code}`,
      code,
      name: `Other ${code}`,
    }));
    run.commit(() =>
      run.rows.catalogue.compareNames(
        [...listed, { id: 'i-E', code: 'E', name: ' Name E ' }],
        'name',
      ),
    );
    return run;
  };
  it('are counted, and the first three named', async () => {
    const named = await renamed();
    const noted = noteOtherNames(named, ITEM_IMPORT)!;
    named.close();
    expect(noted).toEqual({
      count: 4,
      samples: ['A', 'B', 'C'].map((code, at) => ({
        ...{ row: at + 1, line: at + 2, code, name: `Name ${code}` },
        ...{ catalogueName: `Other ${code}`, id: `i-${code}` },
      })),
    });
    expect(otherNamesText(noted)).toBe(
      '4 existing rows have another name in the catalogue: A (file: Name A; catalogue: Other A), B (file: Name B; catalogue: Other B), C (file: Name C; catalogue: Other C), …',
    );
    const run = await runOf([{}]);
    expect(noteOtherNames(run, ITEM_IMPORT)).toBeUndefined();
    expect(run.get('otherNames')).toBeUndefined();
    run.close();
  });
});
