import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { examine } from '../support/doctor.ts';
import { errorOf, freshWorld, type World } from '../support/run.ts';
import { type LoggedSandbox, loggedSandbox } from '../support/service.ts';
import { startTerminal } from '../support/terminal.ts';

/** What a rehearsal finds out about a service without habits. */
const USUAL = {
  codes: {
    isKnown: true,
    change: null,
    case: 'as sent',
    spaces: 'as sent',
    dashes: 'as sent',
    zeros: 'as sent',
    form: 'as sent',
    longest: { sent: 120, result: 'kept', to: null },
  },
  second: {
    items: { result: 'created', status: 201 },
    itemsInOtherCase: { result: 'created' },
    itemsInOtherForm: { result: 'created' },
    imputations: { result: 'created' },
  },
  answers: {
    items: { fields: ['id', 'name', 'code'], id: 'text', code: 'stored' },
    requisitions: { fields: ['requisitionId'], id: 'text' },
  },
  list: { lagMs: 0, order: 'last' },
  deletes: { lines: { status: 204, gone: true }, groups: { status: 204, gone: true } },
  parameters: { empty: 'refused', repeated: 'refused' },
};

interface Deep {
  readonly [key: string]: unknown;
}

function with_(base: Deep, over: Deep): Deep {
  return Object.fromEntries(
    [...new Set([...Object.keys(base), ...Object.keys(over)])].map((key) => {
      const [before, after] = [base[key], over[key]];
      const isDeep = [before, after].every((one) => one instanceof Object && !Array.isArray(one));
      return [key, isDeep ? with_(before as Deep, after as Deep) : (after ?? before)];
    }),
  );
}

const ABOUT: Readonly<Record<string, RegExp>> = {
  case: /case$/,
  zeros: /zeros$/,
  dashes: /dashes$/,
  spaces: /spaces$/,
  form: /^Unicode/,
};

/** Codes are stored with this change, and all that it does not name is as it was sent. */
function changed(name: string, more: Deep = {}): Deep {
  const parts = name.split(', ');
  const about = Object.entries(ABOUT).flatMap(([key, form]) => {
    const part = parts.find((one) => form.test(one));
    return part === undefined ? [] : [[key, part] as const];
  });
  return { codes: { change: { name }, ...Object.fromEntries(about), ...more } };
}

const refused = { result: 'refused', status: 409 };

const HABITS: readonly (readonly [habits: string, found: Deep])[] = [
  ['', {}],
  ['upper', changed('upper case')],
  ['lower', changed('lower case')],
  ['trim', changed('without outer spaces')],
  ['plain-dashes', changed('with plain dashes')],
  ['no-dashes', changed('without dashes')],
  ['no-zeros', changed('without leading zeros')],
  ['nfc', changed('Unicode NFC')],
  ['nfd', changed('Unicode NFD')],
  ['nfkc', changed('Unicode NFKC')],
  ['cut=40', { codes: { longest: { result: 'cut', to: 40 } } }],
  ['max=40', { codes: { longest: { result: 'refused' } } }],
  ['unique', { second: { items: refused } }],
  ['unique,collation=nocase', { second: { items: refused, itemsInOtherCase: refused } }],
  ['same-id', { second: { items: { result: 'same id' } } }],
  ['newest-first', { list: { order: 'first' } }],
  ['bare', { answers: { items: { fields: ['id'], code: 'absent' } } }],
  ['echo,upper', { ...changed('upper case'), answers: { items: { code: 'sent' } } }],
  ['delete=200', { deletes: { lines: { status: 200 }, groups: { status: 200 } } }],
  ['delete=202', { deletes: { lines: { status: 202 }, groups: { status: 202 } } }],
  ['delete=kept', { deletes: { lines: { gone: false }, groups: { gone: false } } }],
  ['empty=ignore', { parameters: { empty: 'ignored' } }],
  ['empty=zero', { parameters: { empty: 'zero' } }],
  ['repeated=first', { parameters: { repeated: 'first' } }],
  ['repeated=last', { parameters: { repeated: 'last' } }],
  // Pairs: one hides what shows the other, or both change the same code.
  [
    'upper,unique',
    { ...changed('upper case'), second: { items: refused, itemsInOtherCase: refused } },
  ],
  [
    'lower,same-id',
    {
      ...changed('lower case'),
      second: { items: { result: 'same id' }, itemsInOtherCase: { result: 'same id' } },
    },
  ],
  ['trim,no-zeros', changed('without leading zeros, without outer spaces')],
  ['no-dashes,nfc', changed('without dashes, Unicode NFC')],
  [
    'nfc,unique',
    { ...changed('Unicode NFC'), second: { items: refused, itemsInOtherForm: refused } },
  ],
  ['upper,trim', changed('upper case, without outer spaces')],
  [
    'lower,bare',
    { ...changed('lower case'), answers: { items: { fields: ['id'], code: 'absent' } } },
  ],
  ['upper,cut=40', changed('upper case', { longest: { result: 'cut', to: 40 } })],
  [
    'newest-first,delete=kept',
    { list: { order: 'first' }, deletes: { lines: { gone: false }, groups: { gone: false } } },
  ],
];

async function here(habits: string): Promise<{ world: World; service: LoggedSandbox }> {
  const service = await loggedSandbox({ habits });
  return { service, world: await freshWorld(service.target) };
}

describe('doctor --rehearse finds out', () => {
  it.each(HABITS)('with the habits "%s"', async (habits, found) => {
    const { service, world } = await here(habits);
    await using _ = service;
    const { exitCode, at, stderr } = await examine(world.env, '--rehearse', '--quick', '--yes');
    expect(exitCode, stderr).toBe(0);
    expect(at('rehearsal').traits).toMatchObject(with_(USUAL, found));
    // What is printed later is what was stored.
    const later = await examine(world.env, '--quick');
    expect(later.at('rehearsal').traits).toEqual(at('rehearsal').traits);
  });

  it('a lag of the list', async () => {
    const { service, world } = await here('lag=700ms');
    await using _ = service;
    const { at } = await examine(world.env, '--rehearse', '--quick', '--yes');
    expect(at('rehearsal').traits).toMatchObject({
      list: { order: 'last' },
      codes: { isKnown: true },
    });
    const { lagMs } = (at('rehearsal').traits as { list: { lagMs: number } }).list;
    expect(lagMs).toBeGreaterThanOrEqual(700);
    expect(at('rehearsed lists').finding).toMatch(/a new item appears after .* m?s, at the end/);
  });
});

const REHEARSE = ['doctor', '--rehearse', '--quick'];

/** The profile acme, with an environment for each service. */
async function acme(services: Readonly<Record<string, LoggedSandbox>>): Promise<World> {
  const world = await freshWorld();
  for (const [name, { baseUrl }] of Object.entries(services)) {
    const add = ['profile', 'add', 'acme', '-e', name, '--base-url', baseUrl, '--api-key-stdin'];
    const ran = await world.run(add, { input: 'proc-sandbox-key\n' });
    expect(ran.exitCode, ran.stderr).toBe(0);
  }
  return world;
}

async function protectedAcme(): Promise<{ world: World; service: LoggedSandbox }> {
  const service = await loggedSandbox();
  const world = await acme({ live: service });
  await world.run(['profile', 'set', 'acme', '-e', 'live', 'protected=true']);
  return { world, service };
}

describe('a protected environment', () => {
  it('is not rehearsed off a terminal, whatever the flags', async () => {
    const { world, service } = await protectedAcme();
    await using _ = service;
    const ran = await world.run([...REHEARSE, '-p', 'acme', '-e', 'live', '--yes']);
    expect(ran.exitCode).toBe(2);
    expect(errorOf(ran)).toMatchObject({
      code: 'confirmation_required',
      message: expect.stringContaining(
        'acme · live is protected: it is rehearsed only on a terminal',
      ),
    });
    expect(service.requests).toEqual([]);
  });

  it('is rehearsed where the name of its profile is typed, also with --yes', async () => {
    const { world, service } = await protectedAcme();
    await using _ = service;
    const args = [...REHEARSE, '-e', 'live', '--yes'];
    const declined = startTerminal(world, args, { cols: 120 });
    await declined.waitFor('Type acme to confirm:');
    declined.type('live\r');
    expect(await declined.exited, declined.text()).toBe(2);
    expect(service.writes()).toEqual([]);
    const agreed = startTerminal(world, args, { cols: 120 });
    await agreed.waitFor('The rehearsal creates on acme · live:');
    await agreed.waitFor('PROC-REHEARSAL-');
    await agreed.waitFor('Type acme to confirm:');
    agreed.type('acme\r');
    expect(await agreed.exited, agreed.text()).toBe(0);
    expect(agreed.text()).toContain('these stay: items itm-1');
    expect(service.writes().length).toBeGreaterThan(12);
  });

  it('and a read-only one is not rehearsed', async () => {
    const { world, service } = await protectedAcme();
    await using _ = service;
    const ran = await world.run([...REHEARSE, '--yes'], { env: { PROC_READ_ONLY: '1' } });
    expect([ran.exitCode, errorOf(ran).code]).toEqual([3, 'read_only']);
    expect(service.requests).toEqual([]);
  });
});

describe('a rehearsal', () => {
  it('needs --yes off a terminal, and --dry-run shows what it would create', async () => {
    const { service, world } = await here('');
    await using _ = service;
    const asked = await world.run(REHEARSE);
    expect([asked.exitCode, errorOf(asked).code]).toEqual([2, 'confirmation_required']);
    const { at, exitCode } = await examine(world.env, '--rehearse', '--quick', '--dry-run');
    expect(exitCode).toBe(0);
    expect(at('rehearsal')).toMatchObject({ status: 'skipped' });
    expect(at('rehearsal').evidence).toHaveLength(11);
    expect(service.writes()).toEqual([]);
  });

  it('creates at most twelve records, all recorded in the history, and touches no other', async () => {
    const { service, world } = await here('');
    await using _ = service;
    const { at } = await examine(world.env, '--rehearse', '--quick', '--yes');
    const { left } = at('rehearsal').traits as {
      left: { noun: string; id: string; name: string }[];
    };
    expect(left).toHaveLength(12);
    for (const { name } of left) expect(name).toMatch(/^PROC-REHEARSAL-/);
    const ran = await world.run(['history', 'list']);
    const entries = JSON.parse(ran.stdout) as { state: string; created: string | null }[];
    expect(new Set(entries.map(({ state }) => state))).toEqual(new Set(['done']));
    const created = new Set(entries.map((entry) => entry.created));
    expect(left.filter(({ id }) => !created.has(id))).toEqual([]);
    const paths = service.writes().map(({ method, path }) => `${method} ${path}`);
    const own = paths.filter((path) => path.startsWith('DELETE'));
    expect(own).toHaveLength(2);
    for (const path of own)
      expect(path).toContain(
        `/requisitions/${left.find(({ noun }) => noun === 'requisitions')!.id}/`,
      );
    // A second rehearsal has records of its own.
    const again = await examine(world.env, '--rehearse', '--quick', '--yes');
    expect(again.exitCode, again.stderr).toBe(0);
  });

  it('reads the lists by the names that it has detected', async () => {
    await using service = await loggedSandbox({
      dialect: 'limit=top,offset=skip',
      habits: 'upper',
    });
    const world = await acme({ test: service });
    const { at, exitCode, stderr } = await examine(world.env, '-p', 'acme', '--rehearse', '--yes');
    expect(exitCode, stderr).toBe(0);
    expect(at('rehearsed codes').finding).toBe('stored in upper case; 120 characters are kept');
    expect(at('rehearsed lists').finding).toContain('at once, at the end');
  });

  it('finds its records in a long list, and their place', async () => {
    const items = Array.from({ length: 2_400 }, (_, at) => ({
      code: `B-${at}`,
      name: `Bolt ${at}`,
    }));
    await using service = await loggedSandbox({ habits: 'no-dashes', seed: { items } });
    const world = await freshWorld(service.target);
    const { at } = await examine(world.env, '--rehearse', '--quick', '--yes');
    expect(at('rehearsal').traits).toMatchObject({
      codes: { change: { name: 'without dashes' } },
      list: { lagMs: 0, order: 'last' },
    });
    expect(service.requests.length).toBeLessThan(600);
  });

  it('that ends early names what it has created, and stores nothing', async () => {
    const service = await loggedSandbox({ faults: 'latency=30ms' });
    const world = await freshWorld(service.target);
    const running = world.run([...REHEARSE, '--yes']);
    await expect.poll(() => service.writes().length, { timeout: 30_000 }).toBeGreaterThan(2);
    await service.close();
    const ran = await running;
    expect(ran.exitCode, ran.stderr).toBeGreaterThanOrEqual(7);
    expect(ran.stderr).toContain('the rehearsal ended early. It has created: items itm-1');
    expect(existsSync(join(world.stateDir, 'rehearsals'))).toBe(false);
  });

  it('whose write has an unknown outcome exits 9, and the history shows it', async () => {
    await using service = await loggedSandbox({ faults: '500=100%' });
    const world = await freshWorld(service.target);
    const ran = await world.run([...REHEARSE, '--yes']);
    expect([ran.exitCode, errorOf(ran).code]).toEqual([9, 'outcome_unknown']);
    const unknown = await world.run(['history', 'list', '--state', 'unknown']);
    expect(JSON.parse(unknown.stdout)).toHaveLength(1);
    expect(service.writes()).toHaveLength(1);
  });

  it('needs an environment of a profile', async () => {
    await using service = await loggedSandbox();
    const world = await acme({ test: service });
    const env = {
      PROC_BASE_URL: 'http://127.0.0.1:9/api/v1',
      PROC_API_KEY: 'k',
      PROC_PROFILE: 'acme',
    };
    const elsewhere = await world.run([...REHEARSE, '--yes'], { env });
    expect([elsewhere.exitCode, errorOf(elsewhere).message]).toEqual([
      2,
      expect.stringContaining('PROC_BASE_URL is not the address of acme · test'),
    ]);
  });

  it('that somebody has changed by hand is refused, with the way out', async () => {
    const { service, world } = await here('');
    await using _ = service;
    await examine(world.env, '--rehearse', '--quick', '--yes');
    const file = join(world.stateDir, 'rehearsals/sandbox/local/traits.json');
    await writeFile(file, '{"codes": 7}');
    const { at, exitCode } = await examine(world.env, '--quick');
    expect(exitCode).toBe(3);
    expect(at('rehearsal')).toMatchObject({
      status: 'problem',
      hint: expect.stringContaining('proc doctor --rehearse'),
    });
  });
});
