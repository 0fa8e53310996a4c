import { expect, it } from 'vitest';
import { Scope } from '../../../src/core/scope.ts';
import { emptyLedger } from '../../../src/ledger/open-ledger.ts';
import type { Against, Outcome } from '../../../src/ledger/port.ts';
import { Ledger } from '../../../src/ledger/sql-ledger.ts';
import { behavesAsPromised, pagesOf } from './any-use.ts';

it('after any steps of any processes, the ledger answers as a plain list would', async () => {
  await behavesAsPromised(async () => emptyLedger(), 60);
});

const RUN = {
  ...{ noun: 'items', service: 'http://a.example', organization: 'acme' },
  ...{ phase: 'begun', header: {} },
};
const NOTHING: Against = { which: 'nothing', since: 0 };

it('a run of more rows than one statement reads is read whole, in order', async () => {
  const ledger = new Ledger(emptyLedger());
  const run = await ledger.add({ ...RUN, name: 'r1' });
  await ledger.move(run, { from: ['begun'], to: 'begun', hasBegun: true, noted: {} });
  const rows = Array.from({ length: 10_001 }, (_, index) => index + 1);
  const write = (outcomes: readonly Outcome[], of: readonly number[]) =>
    ledger.write(run, {
      ...{ commits: 1, outcomes, against: NOTHING },
      intents: of.map((row) => ({ row, key: `code ${row}`, at: 1, body: '{}', seen: 0 })),
    });
  await write([], rows);
  expect(await ledger.count(run.number, 'maybe')).toBe(rows.length);
  const pages: number[][] = [];
  for (let after = 0; after < rows.length; after = pages.at(-1)!.at(-1)!) {
    pages.push([...(await ledger.open(run.number, after))]);
  }
  expect(pages.flat()).toEqual(rows);
  expect(pages.map((page) => page.length)).toEqual([5_000, 5_000, 1]);
  await write(
    rows.map((row) => ({ row, state: 'created', id: `i-${row}` })),
    [],
  );
  const sent = ledger.sentRows(new Scope({ baseUrl: RUN.service, organization: 'acme' }));
  const ofRun = await pagesOf(sent.ofRun('r1'));
  expect(ofRun.flat().map(({ row }) => row)).toEqual(rows);
  expect(ofRun.map((page) => page.length)).toEqual([5_000, 5_000, 1]);
  const created = await pagesOf(sent.created('items', 'another'));
  expect(created.flat().map(({ code }) => code)).toEqual(rows.map(String));
  expect(created.map((page) => page.length)).toEqual([5_000, 5_000, 1]);
});

it('of several outcomes of a row in one batch, the last one counts', async () => {
  const ledger = new Ledger(emptyLedger());
  const run = await ledger.add({ ...RUN, name: 'r1' });
  const intents = [{ row: 1, key: 'code A', at: 1, body: '{}', seen: 0 }];
  await ledger.write(run, { commits: 1, outcomes: [], intents, against: NOTHING });
  const outcomes: Outcome[] = [
    { row: 1, state: 'maybe' },
    { row: 1, state: 'created', id: 'i-1' },
  ];
  await ledger.write(run, { commits: 2, outcomes, intents: [], against: NOTHING });
  expect(await ledger.count(run.number, 'created')).toBe(1);
  await ledger.write(run, {
    ...{ commits: 3, outcomes: outcomes.toReversed(), intents: [], against: NOTHING },
  });
  expect(await ledger.open(run.number, 0)).toEqual([1]);
});
