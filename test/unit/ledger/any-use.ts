import fc from 'fast-check';
import { expect } from 'vitest';
import { Scope } from '../../../src/core/scope.ts';
import type { Against, Batch, Claim, Noted, Outcome } from '../../../src/ledger/port.ts';
import type { Sql } from '../../../src/ledger/sql.ts';
import { Ledger } from '../../../src/ledger/sql-ledger.ts';
import { PlainLedger } from './plain-ledger.ts';

const NAMES = ['r1', 'r2', 'r3'];
const NOUNS = ['items', 'items', 'imputations'];
const SERVICES = ['http://a.example', 'http://a.example', 'http://b.example'];
const ORGANIZATIONS = ['acme', 'acme', 'globex', undefined];
const PHASES = ['reading', 'begun', 'ended'];
const BODIES = ['f1', 'f2'];
const KEYS = ['code A', 'code A\nB', 'name A', 'body f1', 'body f2', null];
const IDS = ['i-1', 'i-2'];

const SCOPES = SERVICES.slice(1).flatMap((baseUrl) => [
  new Scope({ baseUrl, organization: 'acme' }),
  new Scope({ baseUrl, organization: 'globex' }, { names: ['acme'] }),
]);

/** What a process does with the ledger. Returns what the ledger answers, and what it should. */
type Act<T> = (
  given: T,
  real: Ledger,
  plain: PlainLedger,
  sql: Sql,
) => Promise<readonly [unknown, unknown]>;

interface Step {
  act(real: Ledger, plain: PlainLedger, sql: Sql): ReturnType<Act<unknown>>;
}

function uses<T>(kind: string, given: fc.Arbitrary<T>, act: Act<T>): fc.Arbitrary<Step> {
  return given.map((some) => ({
    act: (...on) => act(some, ...on),
    [fc.toStringMethod]: () => `${kind} ${fc.stringify(some)}`,
  }));
}

const name = fc.constantFrom(...NAMES);
const row = fc.integer({ min: 1, max: 3 });
const at = fc.constantFrom(1_000, 2_000);
const key = fc.constantFrom(...KEYS);
const id = fc.constantFrom('i-1', ...IDS, null, undefined);
const commits = fc.integer({ min: 0, max: 5 });

const noted: fc.Arbitrary<Noted> = fc.record(
  { finishedAt: at, commits, counts: fc.constant({ states: { created: 1 } }) },
  { requiredKeys: [] },
);

const against: fc.Arbitrary<Against> = fc.record({
  which: fc.constantFrom('new', 'new or open', 'nothing'),
  since: fc.integer({ min: 0, max: 4 }),
});

function ofRows<T extends { readonly row: number }>(one: fc.Arbitrary<T>): fc.Arbitrary<T[]> {
  return fc.uniqueArray(one, { selector: (it) => it.row, maxLength: 3 });
}

/** The claim of the last process that opened the run, of an earlier one, or of a run that is not there. */
function claimed(plain: PlainLedger, of: string, behind: number): Claim {
  const { number, generation } = plain.run(of) ?? { number: 99, generation: 1 };
  return { name: of, number, generation: generation - behind };
}

const behind = fc.constantFrom(0, 0, 0, 0, 1);

const adding = uses(
  'add',
  fc.record({
    ...{ name, noun: fc.constantFrom(...NOUNS), service: fc.constantFrom(...SERVICES) },
    organization: fc.constantFrom(...ORGANIZATIONS),
    phase: fc.constantFrom(...PHASES),
  }),
  async (run, real, plain) => {
    if (plain.run(run.name) !== undefined) return [undefined, undefined];
    const added = { ...run, header: { run: run.name } };
    return [await real.add(added), plain.add(added)];
  },
);

const opening = uses('claim', name, async (of, real, plain) => [
  await real.claim(of),
  plain.claim(of),
]);

const moving = uses(
  'move',
  fc.record({
    ...{
      of: name,
      behind,
      noted,
      hasBegun: fc.constantFrom(true, true, false),
      to: fc.constantFrom(...PHASES),
    },
    from: fc.subarray(PHASES, { minLength: 2 }),
    entry: fc.option(
      fc.record({
        state: fc.constantFrom('pending', 'unknown', 'done', 'adopted', 'failed', 'resolved'),
        fingerprint: fc.constantFrom(...BODIES),
        organization: fc.constantFrom(...ORGANIZATIONS.map((one) => one ?? null)),
        service: fc.constantFrom(...SERVICES),
        created: fc.constantFrom(...IDS, null),
      }),
      { nil: undefined },
    ),
  }),
  async ({ of, behind: by, entry: some, ...rest }, real, plain) => {
    const entry = some && {
      ...{ ...some, id: `e${plain.countEntries() + 1}`, at: 1, what: 'w', noun: 'items' },
      ...{ endpoint: 'e', method: 'POST', path: '/', baseUrl: some.service },
    };
    const claim = claimed(plain, of, by);
    return [await real.move(claim, { ...rest, entry }), plain.move(claim, { ...rest, entry })];
  },
);

const noting = uses(
  'note',
  fc.record({ of: name, behind, said: noted }),
  async ({ of, behind: by, said }, real, plain) => {
    const claim = claimed(plain, of, by);
    return [await real.note(claim, said), plain.note(claim, said)];
  },
);

const outcome: fc.Arbitrary<Outcome> = fc.record(
  {
    ...{ row, id, state: fc.constantFrom('maybe', 'created', 'created', 'dropped', 'none') },
    entry: fc.record({ key, at: fc.constantFrom(1_000, null) }),
  },
  { requiredKeys: ['row', 'state'] },
);

const writing = uses(
  'write',
  fc.record({
    ...{ of: name, behind, commits, against, outcomes: ofRows(outcome) },
    intents: ofRows(
      fc.record({ row, key, at, body: fc.constant('{}'), seen: fc.constantFrom(0, 0, 1, 2) }),
    ),
  }),
  async ({ of, behind: by, outcomes, ...rest }, real, plain) => {
    const claim = claimed(plain, of, by);
    // Of a row without an entry, proc publishes only outcomes that add one, or withdraw it.
    const known = new Set(plain.rowsOf(claim.number));
    const usual = outcomes.filter(
      (one) => known.has(one.row) || one.entry !== undefined || one.state === 'none',
    );
    const batch: Batch = { ...rest, outcomes: usual };
    return [inOrder(await real.write(claim, batch)), inOrder(plain.write(claim, batch))];
  },
);

function inOrder(written: Awaited<ReturnType<Ledger['write']>>) {
  return written?.toSorted((a, b) => a.row - b.row);
}

const confirming = uses(
  'confirm',
  fc.record({
    of: name,
    created: ofRows(fc.record({ row, at, id: fc.constantFrom(...IDS, null) })),
  }),
  async ({ of, created }, real, plain) => {
    const { number } = claimed(plain, of, 0);
    return [await real.confirm(number, created), plain.confirm(number, created)];
  },
);

const discarding = uses(
  'discard',
  fc.record({ of: name, isRemoved: fc.boolean() }),
  async ({ of, isRemoved }, real, plain) => {
    const begun = [await real.beginDiscard(of), plain.beginDiscard(of)] as const;
    const { number } = claimed(plain, of, 0);
    if (isRemoved) {
      await real.endDiscard(number);
      plain.endDiscard(number);
    }
    return begun;
  },
);

/** A row inherits only from an earlier run, so links form no circle. */
const linking = uses(
  'link',
  fc
    .record({ run: name, row, to: fc.option(fc.record({ run: name, row }), { nil: undefined }) })
    .filter(({ run, to }) => to === undefined || run < to.run),
  async ({ to, ...from }, real, plain) => {
    const isThere = to === undefined || plain.run(to.run) !== undefined;
    const links = isThere ? [{ from, to }] : [];
    return [await real.sentRows(SCOPES[0]!).link(links), plain.link(links)];
  },
);

const forgetting = uses('forget', fc.constantFrom(...SERVICES), async (service, _, plain, sql) => {
  await sql.run('UPDATE runs SET is_forgotten = 1 WHERE service = ?', service);
  await sql.run('UPDATE entries SET is_forgotten = 1 WHERE service = ?', service);
  return [undefined, plain.forget(service)];
});

const steps = fc.array(
  fc.oneof(
    { weight: 30, arbitrary: writing },
    { weight: 4, arbitrary: adding },
    { weight: 12, arbitrary: moving },
    { weight: 5, arbitrary: opening },
    { weight: 8, arbitrary: linking },
    { weight: 5, arbitrary: confirming },
    { weight: 5, arbitrary: noting },
    { weight: 2, arbitrary: discarding },
    { weight: 1, arbitrary: forgetting },
  ),
  { minLength: 15, maxLength: 40, size: 'max' },
);

/** Two runs of one place that have begun. */
const USUAL: readonly Step[] = ['r1', 'r2'].map((run) => ({
  async act(real, plain) {
    const place = { noun: 'items', service: SERVICES[0]!, organization: 'acme' };
    const added = { ...place, name: run, phase: 'begun', header: {} };
    await real.add(added);
    const begun = { from: ['begun'], to: 'begun', hasBegun: true, noted: {} };
    return [await real.move(plain.add(added), begun), plain.move(plain.run(run)!, begun)];
  },
}));

/**
 * After any steps of any processes, the ledger answers as the plain one does.
 *
 * @param fresh empties the database, and returns it
 */
export async function behavesAsPromised(fresh: () => Promise<Sql>, numRuns: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(steps, async (some) => {
      const sql = await fresh();
      const real = new Ledger(sql);
      const plain = new PlainLedger();
      for (const step of [...USUAL, ...some]) {
        const [answer, expected] = await step.act(real, plain, sql);
        expect(answer).toEqual(expected);
      }
      await expectSame(real, plain, sql);
    }),
    { numRuns },
  );
}

async function expectSame(real: Ledger, plain: PlainLedger, sql: Sql): Promise<void> {
  expect(await real.runs()).toEqual(plain.runs());
  expect(await real.run('none')).toBeUndefined();
  expect(await real.lastIntent()).toBe(plain.lastIntent());
  for (const { name: of, number, generation } of plain.runs()) {
    expect(await real.run(of)).toEqual(plain.run(of));
    for (const behindBy of [0, 1]) {
      const claim = { name: of, number, generation: generation - behindBy };
      expect(await real.holds(claim)).toBe(plain.holds(claim));
    }
    expect(await real.open(number, 0)).toEqual(plain.open(number, 0));
    expect(await real.open(number, 1)).toEqual(plain.open(number, 1));
    expect(await real.count(number, 'maybe')).toBe(plain.count(number, 'maybe'));
    expect(await real.count(number, 'created')).toBe(plain.count(number, 'created'));
    expect(await real.sentRows(SCOPES[0]!).answeredElsewhere(of)).toEqual(
      plain.answeredElsewhere(of),
    );
  }
  for (const scope of SCOPES) {
    const sent = real.sentRows(scope);
    expect(await sent.isEmpty()).toBe(plain.isEmpty(scope));
    expect(await sent.any()).toBe(plain.any(scope));
    expect(await sent.find([...BODIES, BODIES[0]!])).toEqual(plain.find(scope, BODIES));
    for (const of of NAMES) {
      expect((await pagesOf(sent.ofRun(of))).flat()).toEqual(plain.ofRun(scope, of));
    }
    for (const noun of new Set(NOUNS)) {
      expect(await sent.firstRun(noun)).toBe(plain.firstRun(scope, noun));
      expect((await pagesOf(sent.created(noun, 'r3'))).flat()).toEqual(
        plain.created(scope, noun, 'r3'),
      );
      expect(await sent.creators(noun, ['i-1', 'i-3'])).toEqual(
        plain.creators(scope, noun, ['i-1', 'i-3']),
      );
    }
  }
  const bodies = await sql.all('SELECT run, row, body FROM sent ORDER BY run, row');
  expect(bodies).toEqual(plain.bodies());
}

export async function pagesOf<T>(read: AsyncIterable<T>): Promise<T[]> {
  const pages: T[] = [];
  for await (const page of read) pages.push(page);
  return pages;
}
