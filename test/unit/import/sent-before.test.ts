import { describe, expect, it } from 'vitest';
import type { ProcError } from '../../../src/core/errors.ts';
import { Scope } from '../../../src/core/scope.ts';
import { looseFingerprintOf } from '../../../src/history/store.ts';
import type { Choices, RunHeader } from '../../../src/import/store/facts.ts';
import {
  answerEarlier,
  applySentBefore,
  continueRuns,
  sentByRun,
  updateFromOtherRuns,
} from '../../../src/import/store/sent-before.ts';
import { emptyLedger } from '../../../src/ledger/open-ledger.ts';
import type { Against, KnownRun, Outcome } from '../../../src/ledger/port.ts';
import { insertInto, type Sql } from '../../../src/ledger/sql.ts';
import { Ledger } from '../../../src/ledger/sql-ledger.ts';
import { CHOICES, type GivenRow, runOf, statesIn } from './run-of.ts';

const HERE = { baseUrl: 'http://a.example', organization: 'acme' };
const NOTHING: Against = { which: 'nothing', since: 0 };
const CREATED = ['1', '2', '3'].map(
  (row): Outcome => ({ row: Number(row), state: 'created', id: `i-${row}` }),
);

/** A run of the ledger that has sent a row for each fingerprint. */
async function sentIn(
  ledger: Ledger,
  name: string,
  keys: readonly string[],
  outcomes: readonly Outcome[],
): Promise<KnownRun> {
  const run = await ledger.add({
    ...{ name, noun: 'items', service: HERE.baseUrl, organization: 'acme' },
    phase: 'begun',
    header: {},
  });
  await ledger.move(run, { from: ['begun'], to: 'begun', hasBegun: true, noted: {} });
  const intents = keys.map((key, at) => ({ row: at + 1, key, at: 1, body: '{}', seen: 0 }));
  await ledger.write(run, { commits: 1, outcomes: [], intents, against: NOTHING });
  await ledger.write(run, { commits: 2, outcomes, intents: [], against: NOTHING });
  return run;
}

async function command(
  sql: Sql,
  id: string,
  fingerprint: string,
  state: string,
  created: string | null,
) {
  const entry = {
    ...{
      id,
      fingerprint,
      state,
      created,
      service: HERE.baseUrl,
      organization: 'acme',
      at: 1,
      what: 'w',
    },
    ...{ noun: 'items', endpoint: 'e', method: 'POST', path: '/', baseUrl: HERE.baseUrl },
  };
  await sql.run(insertInto('entries', entry), ...Object.values(entry));
}

interface Scene {
  readonly rows?: readonly GivenRow[];
  readonly onSent?: Choices['onSent'];
  readonly header?: Partial<RunHeader>;
  readonly typed?: readonly string[];
  readonly interactive?: boolean;
}

async function scene({
  rows = [],
  onSent,
  header,
  typed = ['items', 'import', 'a.csv'],
  interactive = false,
}: Scene) {
  const sql = emptyLedger();
  const ledger = new Ledger(sql);
  const run = await runOf(rows, { ...HERE, choices: { ...CHOICES, onSent }, ...header });
  const said: string[] = [];
  const resolved: unknown[] = [];
  const ports = {
    io: {
      terminal: { interactive },
      say: ({ kind, text }: { kind: string; text: string }) => void said.push(`${kind}: ${text}`),
    },
    store: {
      scope: async () => new Scope(HERE),
      open: async () => ({
        sentRows: (scope: Scope) => ledger.sentRows(scope),
        resolve: async (...args: unknown[]) => void resolved.push(args),
      }),
    },
    self: { typed, flags: { profile: 'live' }, clock: { now: () => 9 } },
  } as never;
  return { sql, ledger, run, ports, said, resolved, states: () => statesIn(run) };
}

const pending = (...fingerprints: (string | null)[]): GivenRow[] =>
  fingerprints.map((fingerprint) => ({ code: null, fingerprint }));

/** Rows 1 to 4 were created, dropped, may have been sent, and were not sent before; a command created row 5. */
async function mixed(given: Scene) {
  const story = await scene({ rows: pending('f1', 'f2', 'f3', 'f4', 'f5'), ...given });
  await sentIn(
    story.ledger,
    'r0',
    ['body f1', 'body f2', 'body f3'],
    [
      { row: 1, state: 'created', id: 'i-1' },
      { row: 2, state: 'dropped' },
    ],
  );
  await command(story.sql, 'e5', 'f5', 'done', 'i-5');
  return story;
}

describe('rows that were sent before', () => {
  it('stop an import, until --on-sent says what to do', async () => {
    const { run, ports, states, said } = await mixed({});
    await expect(applySentBefore(run, ports)).rejects.toMatchObject({
      code: 'repeated_write',
      message:
        '4 of 5 rows were already sent by run r0, the command e5 in the history: 2 created, 1 unconfirmed, 1 dropped; nothing was sent now',
      hint: 'To send all, add --on-sent send. With --on-sent skip, unconfirmed ones stay unconfirmed (exit 9). To skip what was sent before: proc items import a.csv --on-sent skip',
      details: {
        sentBefore: { 'run r0': 3, 'the command e5 in the history': 1 },
        rows: 5,
        command: 'proc items import a.csv --on-sent skip',
      },
    });
    expect(states()).toEqual([1, 2, 3, 4, 5].map((row) => `${row} pending`));
    expect(said).toEqual([]);
    run.close();
  });

  it('are refused, with the first three sources', async () => {
    const { ledger, run, ports } = await scene({ rows: pending('f1', 'f2', 'f3', 'f4', 'f5') });
    for (const at of [1, 2, 3, 4, 5]) {
      await sentIn(ledger, `r${at}`, [`body f${at}`], at < 5 ? CREATED.slice(0, 1) : []);
    }
    const refused = await applySentBefore(run, ports).catch((thrown: unknown) => thrown);
    const { message, hint } = refused as ProcError;
    expect([message, hint]).toEqual([
      '5 of 5 rows were already sent by run r1, run r2, run r3 and 2 more: 4 created, 1 unconfirmed; nothing was sent now',
      expect.stringContaining('--on-sent skip'),
    ]);
    run.close();
  });

  it('of which one is certain, are said without doubts', async () => {
    const { ledger, run, ports } = await scene({ rows: pending('f1', 'f2') });
    await sentIn(ledger, 'r0', ['body f1', 'body f2'], CREATED.slice(0, 2));
    await expect(applySentBefore(run, ports)).rejects.toMatchObject({
      message: '2 of 2 rows were already sent by run r0; nothing was sent now',
      hint: 'To send all, add --on-sent send. To skip what was sent before: proc items import a.csv --on-sent skip',
    });
    run.close();
  });

  it('with --on-sent skip take over the earlier outcome', async () => {
    const { run, ports, states, said } = await mixed({ onSent: 'skip' });
    expect(await applySentBefore(run, ports)).toBe(4);
    expect(states()).toEqual([
      ...['1 existing i-1 sent_before', '2 dropped sent_before', '3 unconfirmed sent_before'],
      ...['4 pending', '5 existing i-5 sent_before'],
    ]);
    expect(said).toEqual([
      'warning: 4 rows were sent before: 2 created, 1 unconfirmed, 1 dropped. proc does not send unconfirmed rows again. Next step: proc imports resolve r0 -p live',
    ]);
    run.close();
    const certain = await scene({ rows: pending('f1'), onSent: 'skip' });
    await sentIn(certain.ledger, 'r0', ['body f1'], CREATED.slice(0, 1));
    expect(await applySentBefore(certain.run, certain.ports)).toBe(1);
    expect(certain.said).toEqual([]);
    certain.run.close();
  });

  it('with --on-sent send, or without earlier writes, are sent', async () => {
    const sending = await mixed({ onSent: 'send' });
    expect(await applySentBefore(sending.run, sending.ports)).toBe(0);
    await updateFromOtherRuns(sending.run, sending.ports);
    expect(sending.states().every((line) => line.endsWith('pending'))).toBe(true);
    sending.run.close();
    const first = await scene({ rows: pending('f1', null) });
    expect(await applySentBefore(first.run, first.ports)).toBe(0);
    await sentIn(first.ledger, 'r0', ['body f2'], []);
    expect(await applySentBefore(first.run, first.ports)).toBe(0);
    first.run.close();
  });

  it('name the next step of what is unconfirmed', async () => {
    const steps: string[] = [];
    for (const what of ['run', 'discarded', 'command']) {
      const { sql, ledger, run, ports, said } = await scene({
        rows: pending('f1'),
        onSent: 'skip',
      });
      if (what === 'command') await command(sql, 'e1', 'f1', 'unknown', null);
      else await sentIn(ledger, 'r0', ['body f1'], []);
      if (what === 'discarded') await ledger.beginDiscard('r0');
      await applySentBefore(run, ports);
      steps.push(said[0]!.split('Next step: ')[1]!);
      run.close();
    }
    expect(steps).toEqual([
      'proc imports resolve r0 -p live',
      'check the service, then record the outcome of each row with proc imports resolve',
      'proc history show e1',
    ]);
  });

  it('count as created if any earlier write was, in batches', async () => {
    const many = Array.from({ length: 2_001 }, (_, at) => `f${at}`);
    const { ledger, run, ports, states } = await scene({
      rows: pending(...many),
      onSent: 'skip',
    });
    const keys = many.map((one) => `body ${one}`);
    await sentIn(ledger, 'r0', keys, [{ row: 1, state: 'dropped' }]);
    await sentIn(ledger, 'r1', keys.slice(0, 2), CREATED.slice(1, 2));
    expect(await applySentBefore(run, ports)).toBe(2_001);
    expect(states().slice(0, 2)).toEqual([
      '1 unconfirmed sent_before',
      '2 existing i-2 sent_before',
    ]);
    expect(states().filter((line) => line.includes('pending'))).toEqual([]);
    run.close();
  });
});

describe('what others sent while a run waited', () => {
  it('is not sent again by a resume, and what is known by now is taken over', async () => {
    const inherited = (fingerprint: string): GivenRow => ({
      ...{ code: null, fingerprint, state: 'unconfirmed' },
    });
    const { ledger, run, ports, said, states } = await mixed({
      rows: [...pending('f1', 'f2', 'f3', 'f4'), inherited('g1'), inherited('g2'), inherited('g3')],
    });
    for (const [at, name] of ['a', 'b', 'c'].entries()) {
      await sentIn(
        ledger,
        name,
        [`body g${at + 1}`],
        at === 0 ? CREATED.slice(0, 1) : at === 1 ? [{ row: 1, state: 'dropped' }] : [],
      );
    }
    await updateFromOtherRuns(run, ports);
    expect(states()).toEqual([
      ...[
        '1 existing i-1 sent_before',
        '2 dropped sent_before',
        '3 unconfirmed sent_before',
        '4 pending',
      ],
      ...['5 existing i-1 sent_before', '6 dropped sent_before', '7 unconfirmed'],
    ]);
    expect(said).toEqual([
      'warning: 3 pending rows were sent in the meantime by run r0: 1 created, 1 unconfirmed, 1 dropped. This run does not send them',
    ]);
    said.length = 0;
    await updateFromOtherRuns(run, ports);
    expect(said).toEqual([]);
    run.close();
  });
});

describe('a decision about an inherited row', () => {
  const decided = (
    row: number,
    fingerprint: string | null,
    kind: 'adopt' | 'resend' | 'drop',
    sentAt: number | null = null,
  ) => ({
    row: { row, fingerprint, sent_at: sentAt },
    decision: kind === 'adopt' ? { kind, id: `i-${row}` } : { kind },
  });

  it('is one about the earlier write too: each of equal rows answers another one', async () => {
    const { sql, ledger, run, ports, resolved } = await scene({
      rows: pending('f1', 'f1', 'f2', 'f3', 'f4', 'f5'),
    });
    await sentIn(ledger, 'r0', ['body f1', 'body f1', 'body f5'], []);
    await command(sql, 'e2', 'f2', 'unknown', null);
    await command(sql, 'e3', 'f3', 'pending', null);
    await command(sql, 'e4', 'f4', 'unknown', null);
    await sentIn(
      ledger,
      'r',
      ['body f1', 'body f1', 'body f2', 'body f3', 'body f4', 'body f5'],
      [],
    );
    // A row that this run has sent itself since needs no other row any more.
    await sentIn(ledger, 'z', ['body f5'], []);
    const stale = { from: { run: 'r', row: 6 }, to: { run: 'z', row: 1 } };
    await ledger.sentRows(new Scope(HERE)).link([stale]);
    await answerEarlier(
      run,
      [
        ...[decided(1, 'f1', 'adopt'), decided(2, 'f1', 'drop'), decided(3, 'f2', 'adopt')],
        ...[decided(4, 'f3', 'drop'), decided(5, 'f4', 'resend'), decided(6, 'f5', 'drop', 5)],
        decided(7, null, 'adopt'),
      ],
      ports,
    );
    const sent = ledger.sentRows(new Scope(HERE));
    const answers = async () =>
      (await sent.answeredElsewhere('r0')).map(({ row, answer }) => [
        row,
        answer?.run,
        answer?.row,
      ]);
    expect(await answers()).toEqual([
      [1, 'r', 1],
      [2, 'r', 2],
    ]);
    expect(await sent.answeredElsewhere('r')).toEqual([]);
    expect(resolved).toEqual([
      ['e2', 'i-3', 9],
      ['e4', undefined, 9],
    ]);
    run.close();
  });

  it('is taken over by the earlier run when it is resumed', async () => {
    const rows: GivenRow[] = ['f1', 'f2', 'f3'].map((fingerprint) => ({
      ...{ code: null, fingerprint, state: 'unconfirmed', sentAt: 1 },
    }));
    const { ledger, run, ports, said, states } = await scene({ rows });
    await sentIn(ledger, 'r', ['body f1', 'body f2', 'body f3'], []);
    const later = await sentIn(ledger, 'later', ['body f1', 'body f2', 'body f3'], []);
    const outcomes: Outcome[] = [
      { row: 1, state: 'created', id: 'i-1' },
      { row: 2, state: 'dropped' },
    ];
    await ledger.write(later, { commits: 3, outcomes, intents: [], against: NOTHING });
    const places = [1, 2, 3].map((row) => ({ from: { run: 'r', row }, to: { run: 'later', row } }));
    await ledger.sentRows(new Scope(HERE)).link(places);
    await updateFromOtherRuns(run, ports);
    expect(states()).toEqual(['1 created i-1', '2 dropped dropped_in', '3 unconfirmed']);
    expect(said).toEqual([
      'notice: 2 unconfirmed rows were resolved in run later; this run takes over the outcome',
    ]);
    said.length = 0;
    await updateFromOtherRuns(run, ports);
    expect(said).toEqual([]);
    run.close();
  });
});

describe('a run that another machine began', () => {
  const continues = { continues: ['r0'] } as Partial<RunHeader>;
  const keys = ['code A-1', 'code A-2', 'code A-3'];

  it.each<[isListed: boolean, third: string]>([
    [true, '3 pending'],
    [false, '3 unconfirmed sent_before'],
  ])('is continued row by row (listed: %s)', async (isListed, third) => {
    const { ledger, run, ports, states } = await scene({
      rows: [{}, {}, {}, {}],
      header: continues,
    });
    await sentIn(ledger, 'r0', keys, [
      { row: 1, state: 'created', id: 'i-1' },
      { row: 2, state: 'dropped' },
    ]);
    await continueRuns(run, isListed, ports);
    expect(states()).toEqual([
      ...['1 existing i-1 sent_before', '2 dropped sent_before', third, '4 pending'],
    ]);
    run.close();
  });

  it('leaves what a person has decided about its rows here', async () => {
    const { ledger, run, ports, states } = await scene({ rows: [{}, {}, {}], header: continues });
    await sentIn(ledger, 'r0', keys, CREATED.slice(1, 2));
    await sentIn(ledger, 'r', [], []);
    const places = [1, 2].map((row) => ({ from: { run: 'r0', row }, to: { run: 'r', row } }));
    await ledger.sentRows(new Scope(HERE)).link(places);
    await continueRuns(run, false, ports);
    expect(states()).toEqual(['1 pending', '2 pending', '3 unconfirmed sent_before']);
    run.close();
  });

  it('leaves rows that are equal to those it has sent', async () => {
    const { ledger, run, ports, states, said } = await scene({
      ...{ rows: pending('f1', 'f1', 'f2'), header: continues },
    });
    await sentIn(ledger, 'r0', ['body f1'], []);
    await updateFromOtherRuns(run, ports);
    expect(await applySentBefore(run, ports)).toBe(0);
    expect([states(), said]).toEqual([['1 unconfirmed sent_before', '2 pending', '3 pending'], []]);
    run.close();
  });

  it('is refused if its rows are others', async () => {
    const { ledger, run, ports, states } = await scene({
      rows: [{}, { code: 'B-2' }, {}],
      header: continues,
    });
    await sentIn(ledger, 'r0', keys, []);
    await expect(continueRuns(run, true, ports)).rejects.toMatchObject({
      code: 'import_unfinished',
      message: 'row 2 is not the row 2 that r0 has sent from the same file; nothing was sent now',
      hint: 'Import the file with the options of r0. To give up that run: proc imports resolve r0 -p live --drop --all --yes',
      details: { run: 'r0', row: 2 },
    });
    expect(states().every((line) => line.endsWith('pending'))).toBe(true);
    run.close();
  });
});

describe('a single write that would repeat a row of a run', () => {
  const WRITE = { method: 'POST', path: '/items', payload: { name: 'Bolt' } };
  const key = `body ${looseFingerprintOf(WRITE.method, WRITE.path, WRITE.payload)}`;
  const [old, young] = ['20260101-000000-aaaa', '20260102-000000-bbbb'];
  const at = Date.UTC(2026, 0, 1);

  it.each<
    [
      what: string,
      runs: readonly [name: string, outcome: Outcome | undefined][],
      expected: object | undefined,
    ]
  >([
    ['none', [], undefined],
    [
      'created',
      [[old, { row: 1, state: 'created', id: 'i-1' }]],
      { run: old, row: 1, isUnknown: false, created: 'i-1', at },
    ],
    [
      'unconfirmed',
      [[old, undefined]],
      { run: old, row: 1, isUnknown: true, created: undefined, at },
    ],
    ['dropped', [[old, { row: 1, state: 'dropped' }]], undefined],
    [
      'the newest of several',
      [
        [old, { row: 1, state: 'created', id: 'i-1' }],
        [young, { row: 1, state: 'created', id: 'i-2' }],
      ],
      { run: young, created: 'i-2' },
    ],
    [
      'first of all one that is unconfirmed',
      [
        [old, undefined],
        [young, { row: 1, state: 'created', id: 'i-2' }],
      ],
      { run: old, isUnknown: true },
    ],
  ])('%s', async (_, runs, expected) => {
    const sql = emptyLedger();
    const ledger = new Ledger(sql);
    await command(sql, 'e1', key.slice(5), 'unknown', null);
    for (const [name, outcome] of runs)
      await sentIn(ledger, name, [key], outcome === undefined ? [] : [outcome]);
    const found = await sentByRun(WRITE, ledger.sentRows(new Scope(HERE)));
    if (expected === undefined) expect(found).toBeUndefined();
    else expect(found).toMatchObject(expected);
  });

  it('counts with what the user gave, not with what proc added', async () => {
    const ledger = new Ledger(emptyLedger());
    await sentIn(ledger, old, [key], []);
    const sent = ledger.sentRows(new Scope(HERE));
    const payload = { name: 'Bolt', more: 1 };
    expect(await sentByRun({ ...WRITE, payload }, sent)).toBeUndefined();
    expect(await sentByRun({ ...WRITE, payload, given: WRITE.payload }, sent)).toBeDefined();
  });
});
