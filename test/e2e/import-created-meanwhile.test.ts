import { describe, expect, it } from 'vitest';
import { errorOf, freshWorld, type World } from '../support/run.ts';
import { codes, type Fate, type ItemService, itemService, rowsOf } from './import-service.ts';

const SETTLE = ['PROC_SETTLE=200ms', '--timeout', '5s'];
const PENDING = codes(12).slice(5);

/** The service answers 401 after five creates, so an import of twelve rows stops with seven pending rows. */
async function locked(fate: (code: string, nth: number) => Fate | undefined = () => undefined) {
  const state = { isLocked: true };
  const service = await itemService((code, nth) =>
    state.isLocked && nth > 5 ? { status: 401 } : fate(code, nth),
  );
  const world = await freshWorld(service.target);
  return {
    world,
    service,
    unlock: () => {
      state.isLocked = false;
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

async function interrupted(world: World, flags: readonly string[] = [], file = rowsOf(codes(12))) {
  await world.file('rows.csv', file);
  const one = ['--yes', 'PROC_CONCURRENCY=1', 'PROC_SETTLE=1h', '--timeout', '5s'];
  const ran = await world.run(['items', 'import', 'rows.csv', ...one, ...flags]);
  expect(ran, ran.stderr).toMatchObject({ exitCode: 10 });
  return JSON.parse(ran.stdout).run as string;
}

async function done(world: World, args: readonly string[], exitCode = 0) {
  const ran = await world.run(args);
  expect(ran, ran.stderr).toMatchObject({ exitCode });
  return { ...JSON.parse(ran.stdout), stderr: ran.stderr };
}

function createElsewhere(service: ItemService, ...taken: readonly string[]): void {
  for (const code of taken) service.items.push({ id: `other-${code}`, code, name: 'Other' });
}

const TAKEN = [PENDING[1]!, PENDING[4]!];

type Way = (world: World, service: ItemService, taken?: readonly string[]) => Promise<void>;

const WAYS = {
  'another machine': async (_, service, taken = TAKEN) => createElsewhere(service, ...taken),
  'another import of this machine': async (world, _, taken = TAKEN) => {
    await world.file('others.csv', rowsOf(taken));
    await done(world, ['items', 'import', 'others.csv', '--yes', ...SETTLE]);
  },
  'single commands of this machine': async (world, _, taken = TAKEN) => {
    for (const code of taken) {
      await done(world, ['items', 'create', '--code', code, '--name', 'Own', '--yes', '--again']);
    }
  },
} satisfies Readonly<Record<string, Way>>;

describe('a stopped import whose pending rows were created meanwhile', () => {
  it.each(Object.entries(WAYS))('by %s: a resume does not send them', async (_, create) => {
    await using stopped = await locked();
    const { world, service } = stopped;
    const run = await interrupted(world);
    stopped.unlock();
    await create(world, service);
    const creates = service.creates();
    const preview = await done(world, ['imports', 'resume', run, '--dry-run']);
    expect(preview).toMatchObject({ created: 5, existing: 2, toSend: 5, toLookUp: 0 });
    expect(service.creates()).toBe(creates);
    const resumed = await done(world, ['imports', 'resume', run, ...SETTLE]);
    expect(resumed).toMatchObject({ created: 10, existing: 2, pending: 0, verified: true });
    expect(resumed.createdTwice).toBeUndefined();
    expect(resumed.stderr).toContain(`2 pending rows exist by now: ${TAKEN[0]} (`);
    expect(service.codes()).toEqual(codes(12));
  });

  it.each(Object.entries(WAYS))(
    'by %s: with --on-existing fail nothing more is sent, however often it is resumed',
    async (_, create) => {
      await using stopped = await locked();
      const { world, service } = stopped;
      const run = await interrupted(world, ['--on-existing', 'fail']);
      stopped.unlock();
      await create(world, service);
      const ids = TAKEN.map((code) => service.items.find((item) => item.code === code)!.id);
      const creates = service.creates();
      for (const flags of [['--dry-run'], SETTLE, SETTLE]) {
        const ran = await world.run(['imports', 'resume', run, ...flags]);
        expect(ran, ran.stderr).toMatchObject({ exitCode: 2 });
        const error = errorOf(ran);
        expect(error.message).toBe(
          `2 pending rows exist by now: ${TAKEN[0]} (${ids[0]}), ${TAKEN[1]} (${ids[1]}); nothing more was sent (--on-existing fail)`,
        );
        expect(error.hint).toContain(`proc imports resolve ${run} --drop --all --yes.`);
      }
      expect(service.creates()).toBe(creates);
    },
  );

  it('the run ignores records that it created itself: with --on-duplicate all, all rows are sent', async () => {
    let isLocked = true;
    const lost = codes(12)[3]!;
    await using service = await itemService((_, nth) => {
      if (nth === 4) return { reset: true, stored: true };
      return isLocked && nth > 6 ? { status: 401 } : undefined;
    });
    const world = await freshWorld(service.target);
    const rows = [...codes(6), codes(1)[0]!, lost].map((code, n) => `${code},Row ${n}`);
    const file = ['code,name', ...rows, ''].join('\n');
    // Two rows are pending. One has the code of a created row, the other the code of an unconfirmed row.
    const run = await interrupted(world, ['--on-duplicate', 'all'], file);
    expect(await done(world, ['imports', 'show', run])).toMatchObject({
      unconfirmed: 1,
      pending: 2,
    });
    isLocked = false;
    const resumed = await done(world, ['imports', 'resume', run, ...SETTLE]);
    expect(resumed).toMatchObject({ created: 8, existing: 0, pending: 0, unconfirmed: 0 });
    expect(service.items).toHaveLength(8);
  });

  it('few pending rows are searched for in a long list', async () => {
    await using stopped = await locked();
    const { world, service } = stopped;
    for (let n = 6_000; n > 0; n--) {
      const code = `A-${String(n).padStart(4, '0')}`;
      service.items.push({ id: `a-${n}`, code, name: code });
    }
    const rows = codes(7);
    const run = await interrupted(world, [], rowsOf(rows));
    stopped.unlock();
    createElsewhere(service, rows[6]!);
    const before = service.requests.length;
    const resumed = await done(world, ['imports', 'resume', run, ...SETTLE]);
    expect(resumed).toMatchObject({ created: 6, existing: 1 });
    const asked = service.requests.slice(before);
    const sent = asked.findIndex(({ method }) => method === 'POST');
    expect(sent).toBeGreaterThan(0);
    expect(sent).toBeLessThan(80);
  });
});

describe('an unconfirmed row whose code was created by others meanwhile', () => {
  const LOST = codes(4)[3]!;
  const { 'another machine': _, ...OF_THIS_MACHINE } = WAYS;

  /** An import that stops with one unconfirmed row. The service did not store its request. */
  async function lostOne(flags: readonly string[] = []) {
    const stopped = await locked((_, nth) =>
      nth === 4 ? { reset: true, stored: false } : undefined,
    );
    const run = await interrupted(stopped.world, flags);
    const counts = await done(stopped.world, ['imports', 'show', run]);
    expect(counts).toMatchObject({ created: 4, unconfirmed: 1, pending: 7 });
    stopped.unlock();
    return { ...stopped, run };
  }

  it.each(Object.entries(OF_THIS_MACHINE))('%s: the row exists', async (_, create) => {
    const { world, service, run, ...stopped } = await lostOne();
    await using _stopped = stopped;
    await create(world, service, [LOST]);
    const id = service.items.find(({ code }) => code === LOST)!.id;
    const resumed = await done(world, ['imports', 'resume', run, ...SETTLE]);
    expect(resumed).toMatchObject({ created: 11, existing: 1, unconfirmed: 0 });
    expect(service.codes()).toEqual(codes(12));
    const rows = await world.run(['imports', 'rows', run, '--state', 'existing']);
    expect(JSON.parse(rows.stdout)).toEqual([expect.objectContaining({ row: 4, id })]);
  });

  it.each(Object.entries(OF_THIS_MACHINE))(
    '%s: with --on-existing fail the row is parked with the reason',
    async (_, create) => {
      const { world, service, run, ...stopped } = await lostOne(['--on-existing', 'fail']);
      await using _stopped = stopped;
      await create(world, service, [LOST]);
      const id = service.items.find(({ code }) => code === LOST)!.id;
      const resumed = await done(world, ['imports', 'resume', run, ...SETTLE], 9);
      expect(resumed).toMatchObject({ created: 11, unconfirmed: 1 });
      const rows = await world.run(['imports', 'rows', run, '--state', 'unconfirmed']);
      expect(JSON.parse(rows.stdout)[0]).toMatchObject({
        row: 4,
        reason: expect.stringContaining(id),
      });
    },
  );
});

describe('a list that cannot be verified when an import is resumed', () => {
  it('proves nothing if it lacks what this machine created meanwhile', async () => {
    await using stopped = await locked();
    const { world, service } = stopped;
    const run = await interrupted(world);
    stopped.unlock();
    await world.file('others.csv', rowsOf(TAKEN));
    await done(world, ['items', 'import', 'others.csv', '--yes', ...SETTLE]);
    const gone = service.items.splice(-2);
    for (const flags of [['--dry-run'], SETTLE]) {
      const ran = await world.run(['imports', 'resume', run, ...flags]);
      expect(errorOf(ran)).toMatchObject({
        code: 'catalogue_unverified',
        message: expect.stringContaining('2 rows were created from this machine'),
      });
    }
    service.items.push(...gone);
    const resumed = await done(world, ['imports', 'resume', run, ...SETTLE]);
    expect(resumed).toMatchObject({ created: 10, existing: 2 });
  });
});

describe('codes that exist more than once after an import', () => {
  it('are not duplicates if they may be unconfirmed rows of the run itself', async () => {
    await using service = await itemService((_, nth) =>
      nth % 3 === 0 ? { reset: true, stored: true } : undefined,
    );
    const world = await freshWorld(service.target);
    const rows = Array.from({ length: 40 }, (_, n) => `X-${n % 10},Row ${n}`);
    await world.file('rows.csv', ['code,name', ...rows, ''].join('\n'));
    const flags = ['--on-duplicate', 'all', '--yes', ...SETTLE];
    const ran = await world.run(['items', 'import', 'rows.csv', ...flags]);
    const summary = JSON.parse(ran.stdout);
    expect(service.items).toHaveLength(40);
    expect(summary.created + summary.unconfirmed, ran.stderr).toBe(40);
    expect(summary.unconfirmed).toBeGreaterThan(0);
    expect(summary.createdTwice).toBeUndefined();
    expect(ran.stderr).not.toContain('more than once');
    expect(errorOf(ran)).toMatchObject({ code: 'outcome_unknown', exitCode: 9 });
  });
});
