import { describe, expect, it } from 'vitest';
import { DEFAULT_DIALECT } from '../../../../src/client/dialect.ts';
import type { Outcome } from '../../../../src/core/service/outcome.ts';
import type { ProgressSnapshot } from '../../../../src/import/report/progress.ts';
import { execute } from '../../../../src/import/send-rows.ts';
import type { Choices, Facts, RunHeader } from '../../../../src/import/store/facts.ts';
import { IMPUTATION_IMPORT } from '../../../../src/import/targets/imputation-import.ts';
import { ITEM_IMPORT } from '../../../../src/import/targets/item-import.ts';
import { CHOICES, type GivenRow, runOf, type Shop, shopOf, statesIn } from '../run-of.ts';

/** How often the run looks rows up while it sends: for these pauses, the clock stands still. */
const ROUND_MS = 500;

const error = { message: 'no', issues: [], requestId: undefined };
const refused = (status: number): Outcome => ({
  kind: 'rejected',
  status,
  error,
  location: undefined,
});
const BROKE: Outcome = {
  ...{ kind: 'unknown', status: undefined, reason: 'broke', error: undefined },
  problem: { code: 'connection_broke', args: { cause: 'ECONNRESET' } },
};

interface Scene {
  readonly rows?: readonly GivenRow[];
  readonly list?: readonly (string | null)[];
  readonly before?: readonly string[];
  readonly facts?: Partial<Facts>;
  readonly choices?: Partial<Choices>;
  readonly target?: typeof ITEM_IMPORT;
  /** The answer to the nth create; by default it is stored and answered. */
  readonly answer?: (code: string, nth: number, store: (code?: string) => Outcome) => Outcome;
  readonly read?: (nth: number) => Outcome | undefined;
  readonly isUnsorted?: boolean;
  readonly isUnpaged?: boolean;
  readonly others?: readonly string[];
  readonly abortAfter?: number;
  /** How long each wait takes, ms of the test. */
  readonly waitMs?: number;
}

async function executed(scene: Scene) {
  const { rows = [{}, {}, {}], list = [], target = ITEM_IMPORT, before = [] } = scene;
  const header = {
    noun: target.noun,
    choices: { ...CHOICES, ...scene.choices },
  } as Partial<RunHeader>;
  const run = await runOf(rows, header);
  run.commit(() => {
    run.rows.addIndexes();
    run.rows.catalogue.add(before.map((code) => ({ id: `old-${code}`, code, name: null })));
  });
  run.note({ baseline: 'complete', ...scene.facts });
  run.interrupt(true);
  const shop: Shop = {
    ...shopOf(list),
    isUnsorted: scene.isUnsorted === true,
    isUnpaged: scene.isUnpaged === true,
  };
  const stop = new AbortController();
  const sent: string[] = [];
  let reads = 0;
  let now = 1_700_000_000_000;
  const target0 = { dialect: () => DEFAULT_DIALECT, baseUrl: 'http://x' };
  const sender = {
    target: target0,
    poster: () => (body: string, _: boolean, done: (outcome: Outcome, place: object) => void) => {
      const { code, reference = code, name } = JSON.parse(body);
      const store = (as = reference): Outcome => {
        const id = `i-${shop.items.length + 1}`;
        shop.items.push({ id, code: as, name });
        return {
          kind: 'done',
          status: 201,
          value: { id, [target.keyField]: as },
          requestId: undefined,
        };
      };
      sent.push(reference);
      if (sent.length === scene.abortAfter) stop.abort(new Error('ctrl-c'));
      const outcome = scene.answer?.(reference, sent.length, store) ?? store();
      setTimeout(() => done(outcome, { connection: undefined, isFirst: true }), 1);
    },
    send: async (_: unknown, { query }: { query: object }) => {
      const failure = scene.read?.(++reads);
      if (failure !== undefined) return failure;
      return { kind: 'done', status: 200, requestId: undefined, value: await read(query) };
    },
    askWhetherInStep: () => false,
  };
  const read = async (query: object) => {
    const {
      limit = 20,
      offset = 0,
      sort,
      dir,
    } = query as { limit?: number; offset?: number; sort?: string; dir?: string };
    const order = dir === 'desc' ? -1 : 1;
    const rowsOf =
      sort === undefined || shop.isUnsorted === true
        ? shop.items
        : shop.items.toSorted((a, b) => (String(a.code) < String(b.code) ? -order : order));
    return shop.isUnpaged === true ? rowsOf : rowsOf.slice(offset, offset + limit);
  };
  const shown: ProgressSnapshot[] = [];
  const altered: string[] = [];
  const stopped = await execute({
    ...{ run, target, bodies: undefined, signal: stop.signal },
    sender: sender as never,
    clock: {
      now: () => now,
      ...{ monotonic: () => now, boot: () => undefined, random: () => 0 },
      sleep: (time, signal) =>
        new Promise((resolve, reject) => {
          const timer = setTimeout(() => {
            if (time !== ROUND_MS) now += time;
            resolve();
          }, scene.waitMs ?? 5);
          const end = () => {
            clearTimeout(timer);
            reject(signal!.reason);
          };
          if (signal?.aborted === true) end();
          signal?.addEventListener('abort', end);
        }),
    },
    options: {
      concurrency: 1,
      rate: undefined,
      patienceMs: 20_000,
      settleMs: 700,
    },
    relearn: async () => undefined,
    createdByOthers: async (ids) => new Set(ids.filter((id) => scene.others?.includes(id))),
    onAltered: (row, what) => altered.push(`${row} ${what}`),
    onProgress: (one) => shown.push(one),
  });
  const states = statesIn(run);
  const facts = {
    changed: run.get('codesChanged'),
    altered: run.get('codesAltered'),
    unlike: run.get('codesUnlike'),
  };
  run.close();
  return { stopped, states, sent, shown, facts, reads: () => reads, shop };
}

describe('a run', () => {
  it('creates its rows and shows its progress', async () => {
    const { stopped, states, sent, shown } = await executed({});
    expect(stopped).toBeUndefined();
    expect(states).toEqual(['1 created i-1', '2 created i-2', '3 created i-3']);
    expect(sent).toEqual(['A-1', 'A-2', 'A-3']);
    expect(shown.at(-1)).toMatchObject({
      counts: { created: 3, pending: 0 },
      concurrency: 1,
      waiting: undefined,
    });
  });

  it('looks up rows without an answer, and sends those that are absent again', async () => {
    const { stopped, states, sent } = await executed({
      answer: (code, nth, store) => {
        if (code === 'A-2' && nth === 2) return BROKE;
        if (code === 'A-3') return [store(), BROKE][1]!;
        return store();
      },
    });
    expect(stopped).toBeUndefined();
    expect(sent).toEqual(['A-1', 'A-2', 'A-3', 'A-2']);
    expect(states.map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual([
      '1 created',
      '2 created',
      '3 created',
    ]);
  });

  it('shows how long it waits until rows may be looked up', async () => {
    const { shown } = await executed({
      rows: [{}],
      waitMs: 700,
      answer: (_, __, store) => [store(), BROKE][1]!,
    });
    const waits = shown.flatMap(({ waiting }) => waiting ?? []);
    expect(waits.length).toBeGreaterThan(0);
    for (const { ms } of waits) {
      expect(ms).toBeGreaterThan(0);
      expect(ms).toBeLessThan(60_000);
    }
  });

  it('never takes the records of other commands', async () => {
    const { states } = await executed({
      rows: [{}],
      answer: (_, __, store) => [store(), BROKE][1]!,
      others: ['i-1'],
    });
    expect(states).toEqual(['1 existing i-1']);
  });

  it('parks rows that cannot be looked up', async () => {
    const { stopped, states } = await executed({
      rows: [{ code: 'R-1', body: '{"reference":"R-1"}' }],
      target: IMPUTATION_IMPORT,
      answer: () => BROKE,
    });
    expect(stopped).toBeUndefined();
    expect(states).toEqual(['1 unconfirmed not_looked_up']);
  });

  it('stops at an interruption, and leaves the rest pending', async () => {
    const { stopped, states, sent } = await executed({ abortAfter: 2 });
    expect(stopped).toMatchObject({ kind: 'interrupted', why: 'ctrl-c' });
    expect(sent).toEqual(['A-1', 'A-2']);
    expect(states).toEqual(['1 created i-1', '2 created i-2', '3 pending']);
  });

  it('stops if a look-up fails', async () => {
    const { stopped, states } = await executed({
      rows: [{}],
      answer: () => BROKE,
      read: () => refused(403),
    });
    expect(stopped).toMatchObject({
      kind: 'refused',
      why: expect.stringMatching(/^a look-up failed: /),
    });
    expect(stopped?.error).toMatchObject({ code: 'forbidden' });
    expect(states).toEqual(['1 unconfirmed connection_broke']);
  });

  it('stops with the number of rejected rows that is allowed', async () => {
    const { stopped, states } = await executed({
      choices: { maxRejected: '0' },
      answer: (code, _, store) => (code === 'A-2' ? refused(400) : store()),
    });
    expect(stopped).toMatchObject({ kind: 'errors', why: 'rejected: row 2: no' });
    expect(states).toEqual(['1 created i-1', '2 rejected service_says', '3 pending']);
  });
});

describe('a service that changes codes', () => {
  const upper = (code: string, _: number, store: (code?: string) => Outcome) =>
    store(code.toUpperCase());
  const rows = [{ code: 'a-1' }, { code: 'b-2' }, { code: 'c-3' }];

  it('is followed, and rows that exist in that form are not sent', async () => {
    const { stopped, states, sent, facts } = await executed({
      rows,
      before: ['C-3'],
      list: ['C-3'],
      answer: upper,
    });
    expect(stopped).toBeUndefined();
    expect(facts.changed).toEqual({ name: 'upper case', sent: 'a-1', stored: 'A-1' });
    expect(sent).toEqual(['a-1', 'b-2']);
    expect(states).toEqual(['1 created i-2', '2 created i-3', '3 existing old-C-3']);
  });

  it('stops the run if a changed code meets an existing one', async () => {
    const { stopped, sent } = await executed({ rows, before: ['A-1'], answer: upper });
    expect(stopped).toMatchObject({
      kind: 'refused',
      why: 'the service stores codes in upper case: it created a-1 as A-1, the code of old-A-1',
    });
    expect(sent).toEqual(['a-1']);
  });

  it('stops the run with --on-existing fail', async () => {
    const { stopped, states } = await executed({
      rows,
      before: ['C-3'],
      answer: upper,
      choices: { onExisting: 'fail' },
    });
    expect(stopped).toMatchObject({
      why: 'the service stores codes in upper case, and 1 pending row exists in that form (--on-existing fail)',
    });
    expect(states.slice(1)).toEqual(['2 pending', '3 pending']);
  });

  it('stops the run at the first row if the change is none that proc knows', async () => {
    const { stopped, facts, sent } = await executed({
      rows,
      answer: (_, __, store) => store('zzz'),
    });
    expect(stopped).toMatchObject({ kind: 'refused', why: expect.stringContaining('zzz') });
    expect(facts.unlike).toMatchObject({ code: 'other_code' });
    expect(sent).toEqual(['a-1']);
  });

  it('is known before the first row, and rows are compared first', async () => {
    const change = { name: 'upper case', sent: 'x', stored: 'X' };
    const { states, sent } = await executed({
      rows,
      before: ['B-2'],
      facts: { codesChanged: change },
      answer: upper,
    });
    expect(sent).toEqual(['a-1', 'c-3']);
    expect(states[1]).toBe('2 existing old-B-2');
  });

  it.each<[what: string, scene: Scene, states: string[] | undefined, why?: string]>([
    [
      'finds another record',
      { list: ['C-3', 'X', 'Y'] },
      ['1 created i-4', '2 created i-5', '3 existing i-1'],
    ],
    [
      'finds the code that showed the change',
      { list: ['A-1'] },
      undefined,
      'the service stores codes in upper case: it created a-1 as A-1, the code of i-1',
    ],
    [
      'proves nothing',
      { list: ['Z', 'Y', 'X'], isUnsorted: true },
      undefined,
      'the service stores codes in upper case, and proc cannot search its list for B-2',
    ],
    [
      'finds only what was created before the change was seen',
      { list: ['A-1'], facts: { codesChanged: { name: 'upper case', sent: 'x', stored: 'X' } } },
      ['1 existing i-1', '2 created i-2', '3 created i-3'],
    ],
  ])(
    'has its list searched again where it was only searched: it %s',
    async (_, scene, states, why) => {
      const facts = { baseline: 'searched', ...scene.facts } as const;
      const found = await executed({ rows, answer: upper, ...scene, facts });
      if (states !== undefined) {
        expect([found.stopped, found.states]).toEqual([undefined, states]);
      } else expect(found.stopped).toMatchObject({ kind: 'refused', why: why });
    },
  );

  it('that changes them in two ways proves nothing any more', async () => {
    const { facts } = await executed({
      rows,
      answer: (code, nth, store) => (nth === 1 ? store(code.toUpperCase()) : store(code)),
    });
    expect(facts.altered).toBe(true);
  });
});
