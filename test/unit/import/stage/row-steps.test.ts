import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Problem, storedProblem } from '../../../../src/core/problem/row-problem.ts';
import type { Mapping } from '../../../../src/import/map/mapping.ts';
import {
  comparedWithRejected,
  repairedRow,
} from '../../../../src/import/map/repair/repair-steps.ts';
import type { MappedRow } from '../../../../src/import/source/record.ts';
import {
  applySteps,
  begin,
  type RowStep,
  rowOf,
  type StepContext,
} from '../../../../src/import/stage/row-step.ts';
import {
  bodyFingerprint,
  contract,
  rowCode,
} from '../../../../src/import/stage/steps/body-steps.ts';
import { cellErrors, invisibleCharacters } from '../../../../src/import/stage/steps/cell-checks.ts';
import { missingFields } from '../../../../src/import/stage/steps/missing-fields.ts';
import {
  mapColumns,
  readProblem,
  resolvedReferences,
} from '../../../../src/import/stage/steps/record-steps.ts';
import { referredAmounts } from '../../../../src/import/stage/steps/referred-amounts.ts';
import { where } from '../../../../src/import/stage/steps/where-filter.ts';
import type { Choices, RunHeader } from '../../../../src/import/store/facts.ts';
import { Run } from '../../../../src/import/store/run-file.ts';
import { StagedRows } from '../../../../src/import/store/staged-rows.ts';
import { IMPUTATION_IMPORT } from '../../../../src/import/targets/imputation-import.ts';
import { ITEM_IMPORT } from '../../../../src/import/targets/item-import.ts';
import { REQUISITION_IMPORT } from '../../../../src/import/targets/requisition-import.ts';
import { FindingTally, findingText } from '../../../../src/messages/findings.ts';
import { sentence } from '../../../../src/messages/problems.ts';

const MAPPING: Mapping = {
  fields: { code: { column: 'SKU' }, name: { column: 'Name' } },
  nulls: [],
};
const CSV = { kind: 'csv', gzip: false, encoding: 'utf-8', bom: false } as const;
const RUN = '20260301-101500-ab12';

interface Given extends Partial<Omit<StepContext, 'header'>> {
  readonly choices?: Partial<Choices>;
  readonly repairs?: string;
  readonly groupBy?: string;
}

/** The context of an ordinary import of items. Each case passes only its differences. */
function run({ choices, repairs, groupBy, ...given }: Given = {}): StepContext {
  const target = given.target ?? ITEM_IMPORT;
  const source = { name: 'file.csv', columns: ['SKU', 'Name'], format: CSV };
  const header = {
    choices: { noCode: 'reject', allow: [], ...choices },
    ...{ repairs, groupBy, mapping: MAPPING },
  };
  return {
    header: header as RunHeader,
    mapping: MAPPING,
    target,
    shape: target,
    source,
    earlier: undefined,
    resolver: undefined,
    ...given,
  };
}

const read = (fields: Record<string, unknown>, row = 1): MappedRow => ({
  row,
  line: row + 1,
  fields,
  body: undefined,
});
const payload = (body: Record<string, unknown>, fields = body): MappedRow => ({
  row: 1,
  line: 2,
  fields,
  body,
});
const unread = (problem: MappedRow['problem'], line: number | undefined = 4): MappedRow => ({
  row: 3,
  line,
  fields: { SKU: 'x' },
  body: undefined,
  problem,
  isUnread: true,
});

/** A row as a step leaves it, with its problem as a sentence. */
type After = Partial<Omit<MappedRow, 'problem'>> & { readonly problem?: string };

const BECAUSE: MappedRow['problem'] = { code: 'unreadable', args: {} };

function saying(field: string, text: string): string {
  const [start, part] = [field, text].map((one) => one.replace(/[^\w ]/g, '\\$&'));
  return expect.stringMatching(new RegExp(`^${start}: .*${part}`));
}

describe('the steps from a record to its row', () => {
  it('stop for a filtered row', () => {
    const steps = begin([where, mapColumns], run({ choices: { where: ['SKU=A-1'] } }));
    const row = applySteps(steps, rowOf({ row: 1, line: 2, fields: { SKU: 'B-1', Name: 'B' } }));
    expect(row).toEqual({ ...read({}), fields: undefined, isFiltered: true });
  });

  it.each<[string, RowStep, StepContext]>([
    ['where, without conditions', where, run()],
    ['repaired row, of an ordinary file', repairedRow, run()],
    ['compared with rejected, of an ordinary file', comparedWithRejected, run()],
    ['references, if none is mapped', resolvedReferences, run()],
    ['referred amounts, of items', referredAmounts, run()],
    [
      'missing fields of requisitions, if they are allowed',
      missingFields,
      run({ target: REQUISITION_IMPORT, choices: { allow: ['missing'] } }),
    ],
    ['cell errors, if they are', cellErrors, run({ choices: { allow: ['error-values'] } })],
    ['invisible ones, too', invisibleCharacters, run({ choices: { allow: ['invisible'] } })],
    ['contract, of a target whose mapping is all of it', contract, run()],
    ['body fingerprint, of what can be listed', bodyFingerprint, run()],
  ])('are skipped if they have nothing to do: %s', (_, step, given) => {
    expect(begin([step], given)).toEqual([]);
  });
});

describe('each step', () => {
  it.each<[string, RowStep, StepContext, MappedRow, After]>([
    [
      'read problem: a place in the file',
      readProblem,
      run(),
      unread({ code: 'quote_open', args: {}, place: { line: 4, column: 2 } }),
      { problem: 'file.csv, line 4, column 2: a quote is opened but never closed' },
    ],
    [
      'read problem: no place but the row',
      readProblem,
      run(),
      { ...unread({ code: 'nul', field: 'price', args: {} }), line: undefined },
      { problem: 'file.csv, row 3: price: contains a NUL character (\\u0000)' },
    ],
    [
      'read problem: of the whole file',
      readProblem,
      run(),
      { ...unread({ code: 'file_ends', args: { row: 3 } }), isFileProblem: true },
      { problem: 'the file ends in the middle of row 3' },
    ],
    [
      'where: a row that is meant',
      where,
      run({ choices: { where: ['SKU=A-1'] } }),
      read({ SKU: 'A-1' }),
      { fields: { SKU: 'A-1' } },
    ],
    [
      'where: a row that could not be read is never left out',
      where,
      run({ choices: { where: ['SKU=A-1'] } }),
      unread({ code: 'unreadable', args: {} }),
      { isUnread: true, problem: 'cannot be read' },
    ],
    [
      'map columns',
      mapColumns,
      run(),
      read({ SKU: ' A-1 ', Name: 'Saw' }),
      { body: { code: 'A-1', name: 'Saw' } },
    ],
    [
      'repaired row: its marks',
      repairedRow,
      run({ repairs: RUN }),
      payload({ code: 'A-1' }, { SKU: 'A-1', _run: RUN, _row: '7' }),
      { repairs: 7, body: { code: 'A-1' } },
    ],
    [
      'repaired row: of another run',
      repairedRow,
      run({ repairs: RUN }),
      payload({ code: 'A-1' }, { SKU: 'A-1', _run: '20260302-101500-ab12', _row: '7' }),
      { body: undefined, problem: saying('_run', RUN) },
    ],
    [
      'repaired row: without its number',
      repairedRow,
      run({ repairs: RUN }),
      payload({ code: 'A-1' }, { SKU: 'A-1', _run: RUN, _row: 'x' }),
      {
        body: undefined,
        problem: saying('_row', 'row number'),
      },
    ],
    [
      'repaired row: one that was added',
      repairedRow,
      run({ repairs: RUN }),
      payload({ code: 'A-1' }, { SKU: 'A-1', _run: '', _row: '' }),
      { body: { code: 'A-1' } },
    ],
    [
      'cell errors: text, in a code',
      cellErrors,
      run(),
      payload({ code: '#N/A', name: 'Saw' }, { SKU: '#N/A', Name: 'Saw' }),
      { body: undefined, problem: saying('code', '#N/A') },
    ],
    [
      'cell errors: text, elsewhere',
      cellErrors,
      run(),
      payload({ code: 'A-1', name: '#N/A' }, { SKU: 'A-1', Name: '#N/A' }),
      { body: undefined, problem: saying('name', '#N/A') },
    ],
    [
      'cell errors: one of the columns of a template',
      cellErrors,
      run({ mapping: { fields: { name: { template: '{Model} {Color}' } }, nulls: [] } }),
      payload({ name: 'Saw #REF!' }, { Model: 'Saw', Color: '#REF!' }),
      { body: undefined, problem: saying('name', '#REF!') },
    ],
    [
      'cell errors: deep in a payload',
      cellErrors,
      run({ target: REQUISITION_IMPORT }),
      payload({ groups: [{ items: [{ quantity: 1, item: { name: '#¿NOMBRE?' } }] }] }),
      {
        body: undefined,
        problem: saying('groups[0].items[0].item.name', '#¿NOMBRE? (--allow error-values)'),
      },
    ],
    [
      'invisible characters: a control character in any field',
      invisibleCharacters,
      run(),
      payload({ code: 'A-1', name: 'Saw\u0007' }),
      {
        body: undefined,
        problem: 'name: contains the control character U+0007 (--allow invisible)',
      },
    ],
    [
      'invisible characters: tabs, line ends and joined emoji are text',
      invisibleCharacters,
      run(),
      payload({ code: 'A-1', name: 'a\tb\r\nc 👩\u200d🔧' }),
      { body: { code: 'A-1', name: 'a\tb\r\nc 👩\u200d🔧' } },
    ],
    [
      'missing fields: nothing visible',
      missingFields,
      run(),
      payload({ code: 'A-1', name: '\u200b\u00a0' }),
      {
        body: undefined,
        problem: saying('name', '--allow missing'),
      },
    ],
    [
      'missing fields: an item in a payload',
      missingFields,
      run({ target: REQUISITION_IMPORT }),
      payload({ groups: [{ items: [{ item: { name: ' ' } }] }] }),
      {
        body: undefined,
        problem: saying('groups[0].items[0].item.name', '--allow missing'),
      },
    ],
    ...['\u200b', '\u200c', '\u200d', '\ufeff', '\u2060', '\u00ad'].map(
      (hidden): [string, RowStep, StepContext, MappedRow, After] => [
        `invisible characters: ${JSON.stringify(hidden)} in a code`,
        invisibleCharacters,
        run(),
        payload({ code: `A${hidden}1`, name: 'Saw' }),
        {
          body: undefined,
          problem: saying('code', 'zero-width character U+'),
        },
      ],
    ),
    [
      'row code',
      rowCode,
      run(),
      payload({ code: 4711, name: 'Saw' }),
      { code: '4711', name: null, body: { code: 4711, name: 'Saw' } },
    ],
    [
      'row code: none, which the plan rejects',
      rowCode,
      run(),
      payload({ name: 'Saw' }),
      {
        code: null,
        name: null,
        problem: expect.stringMatching(/^has no code, .*--no-code/),
      },
    ],
    [
      'row code: none, and the name instead',
      rowCode,
      run({ choices: { noCode: 'name' } }),
      payload({ name: 'Saw' }),
      { code: null, name: 'Saw' },
    ],
    [
      'row code: neither',
      rowCode,
      run({ choices: { noCode: 'name' } }),
      payload({ brand: 'X' }),
      { code: null, name: null, problem: 'has neither code nor name' },
    ],
    [
      'row code: none, sent all the same',
      rowCode,
      run({ choices: { allow: ['missing'] } }),
      payload({ name: 'Saw' }),
      { code: null, name: null },
    ],
    [
      'row code: what was rejected before keeps its reason',
      rowCode,
      run(),
      { ...payload({}), body: undefined, problem: BECAUSE },
      { code: null, name: null, problem: 'cannot be read' },
    ],
    [
      'row code: what was rejected before has the code of its cell',
      rowCode,
      run(),
      {
        ...payload({}),
        fields: { SKU: ' A-3 ' },
        body: undefined,
        problem: BECAUSE,
      },
      { code: 'A-3', name: null, problem: 'cannot be read' },
    ],
    [
      'contract: what it does not allow',
      contract,
      run({ target: IMPUTATION_IMPORT }),
      payload({ reference: 7 }),
      { body: undefined, problem: expect.stringMatching(/^reference: /) },
    ],
    [
      'contract: a field that it does not know is left out',
      contract,
      run({ target: IMPUTATION_IMPORT }),
      payload({ reference: 'INV-1', colour: 'red' }),
      { body: { reference: 'INV-1' } },
    ],
    [
      'body fingerprint',
      bodyFingerprint,
      run({ target: IMPUTATION_IMPORT }),
      payload({ reference: 'INV-1' }),
      { fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/) },
    ],
    [
      'body fingerprint: of no row that is rejected',
      bodyFingerprint,
      run({ target: IMPUTATION_IMPORT }),
      { ...payload({}), body: undefined, problem: BECAUSE },
      { problem: 'cannot be read' },
    ],
    [
      'references: what the resolver says',
      resolvedReferences,
      run({ resolver: (row) => ({ ...row, body: { orderId: 'o-1' } }) }),
      payload({ order: 'PO-1' }),
      { body: { orderId: 'o-1' } },
    ],
  ])('%s', (_, step, given, before, after) => {
    const [work] = begin([step], given);
    const { problem, ...row } = work!.apply(before);
    const said = problem === undefined ? {} : { problem: sentence(problem) };
    expect({ ...row, ...said }).toEqual({ ...before, ...after });
  });

  it('warns of a mapping without a name, with the number of rows', () => {
    const mapping: Mapping = { fields: { code: { column: 'SKU' } }, nulls: [] };
    const [step] = begin([missingFields], run({ mapping }));
    for (let row = 1; row <= 12; row++) step!.apply({ ...payload({ code: 'A' }), row });
    expect(step!.findings!()).toEqual([
      { kind: 'unmapped_name', field: 'name', count: 12, samples: [] },
    ]);
  });

  it('warns of rows without an amount, and names the first', () => {
    const [step] = begin(
      [missingFields],
      run({ target: IMPUTATION_IMPORT, choices: { allow: ['missing'] } }),
    );
    const rows = [{ amount: 0 }, { amount: undefined }, { amount: null }, { account: '6100' }];
    const tally = new FindingTally();
    for (const [at, body] of rows.entries()) {
      tally.add(step!.apply({ ...payload(body), row: at + 1 }).findings ?? []);
    }
    step!.apply({ ...payload({}), body: undefined, row: 9 });
    const samples = ['2', '3', '4'].map((value) => ({ value }));
    const found = { kind: 'missing_amounts', field: 'amount', count: 3, samples } as const;
    expect(tally.findings()).toEqual([found]);
    expect(findingText(found, 'en')).toBe('3 rows have no amount (rows 2, 3, 4)');
    expect(findingText({ ...found, count: 1, samples: samples.slice(0, 1) }, 'es')).toBe(
      '1 fila no tiene monto (fila 2)',
    );
  });

  it('warns of a currency different from the order', () => {
    const resolver = (row: MappedRow) => row;
    const [step] = begin([referredAmounts], run({ target: IMPUTATION_IMPORT, resolver }));
    const order = { id: 'o-1', code: 'PO-1', amount: 10, currency: 'EUR' };
    const referred = new Map([['order', order]]);
    const row = step!.apply({
      ...payload({ orderId: 'o-1', currency: 'USD', amount: 1 }),
      referred,
    });
    step!.apply({ ...payload({ orderId: 'o-1', currency: 'EUR', amount: 11 }), referred });
    step!.apply(payload({ amount: 1_000 }));
    const tally = new FindingTally();
    tally.add(row.findings!);
    const [found] = tally.findings();
    expect(findingText(found!, 'en')).toBe(
      '1 row has a currency different from the order: PO-1: USD ≠ EUR (row 1, line 2)',
    );
    expect(step!.facts!()).toEqual({
      mayExceed: [{ id: 'o-1', name: 'PO-1', amount: '10', currency: 'EUR' }],
    });
  });

  it('warns of fields that are not in the contract', () => {
    const [step] = begin([contract], run({ target: IMPUTATION_IMPORT }));
    step!.apply(payload({ reference: 'INV-1', colour: 'red' }));
    expect(step!.warnings!()).toEqual([
      'these fields are not in the contract and are not sent: colour',
    ]);
  });
});

describe('a repair', () => {
  /** The context of a repair whose earlier run has one rejected row with these fields. */
  async function repaired(fields: Record<string, unknown>, problem: Problem): Promise<StepContext> {
    const folder = mkdtempSync(join(tmpdir(), 'proc-steps-'));
    const { header } = run();
    const earlier = await Run.create(join(folder, `${RUN}.db`), {
      ...(header as RunHeader),
      run: RUN,
    });
    onTestFinished(() => {
      earlier.close();
      rmSync(folder, { recursive: true, force: true });
    });
    const reason = storedProblem(problem);
    const row = { row: 7, state: 'rejected', line: 8, code: null, name: null, reason } as const;
    const rest = {
      fingerprint: null,
      repairs: null,
      fields: JSON.stringify(fields),
      body: null,
      places: null,
    };
    earlier.step(() => new StagedRows(earlier.rows.sql).add([{ ...row, ...rest }], (one) => one));
    earlier.endSteps();
    return run({ repairs: RUN, earlier });
  }

  it('rejects an unreadable row that comes back unchanged', async () => {
    const raw = { SKU: 'A-1', Name: 'Saw', _raw: '"A-1,Saw' };
    const given = await repaired(raw, { code: 'quote_open', args: {} });
    const [step] = begin([comparedWithRejected], given);
    const back = (fields: Record<string, unknown>) =>
      step!.apply({ ...payload({ code: 'A-1' }, fields), repairs: 7 }).problem;
    expect(sentence(back(raw)!)).toMatch(
      /^is unchanged since it was rejected \(a quote is opened but never closed\)/,
    );
    expect(back({ ...raw, _raw: '' })).toBeUndefined();
    expect(back({ ...raw, Name: 'Hand saw' })).toBeUndefined();
  });

  it('stops if a code changed that was not the reason for the rejection, unless --allow changed-codes is set', async () => {
    const given = await repaired(
      { SKU: '007', Name: 'Saw' },
      {
        code: 'not_number',
        field: 'price',
        args: { got: '"x"' },
      },
    );
    const changed = { ...read({ SKU: '7', Name: 'Saw' }), row: 1, repairs: 7 };
    const [step] = begin([comparedWithRejected], given);
    expect(step!.apply(changed)).toBe(changed);
    expect(() => step!.check!()).toThrow(/row 1: 007 → 7/);
    // Each reading of the source begins without findings.
    expect(() => begin([comparedWithRejected], given)[0]!.check!()).not.toThrow();
    const choices = { ...given.header.choices, allow: ['changed-codes' as const] };
    const [agreed] = begin([comparedWithRejected], {
      ...given,
      header: { ...given.header, choices },
    });
    agreed!.apply(changed);
    expect(() => agreed!.check!()).not.toThrow();
  });
});
