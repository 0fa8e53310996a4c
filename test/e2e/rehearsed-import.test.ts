import { describe, expect, it } from 'vitest';
import { raw } from '../support/raw-http.ts';
import { errorOf, freshWorld, type Ran, type World } from '../support/run.ts';
import { type LoggedSandbox, loggedSandbox } from '../support/service.ts';

interface Acme extends AsyncDisposable {
  readonly world: World;
  readonly staging: LoggedSandbox;
  readonly production: LoggedSandbox;
  rehearse(): Promise<void>;
  /** Imports items with these codes into production. */
  import(codes: readonly string[], ...flags: readonly string[]): Promise<Ran>;
  /** The codes of the items in production, in the order of their creation. */
  codes(): Promise<readonly string[]>;
}

async function acme(onStaging: string, onProduction = onStaging): Promise<Acme> {
  const staging = await loggedSandbox({ habits: onStaging, empty: true });
  const production = await loggedSandbox({ habits: onProduction, empty: true });
  const world = await freshWorld();
  for (const [name, { baseUrl }] of Object.entries({ staging, production })) {
    const add = ['profile', 'add', 'acme', '-e', name, '--base-url', baseUrl, '--api-key-stdin'];
    const ran = await world.run(add, { input: 'proc-sandbox-key\n' });
    expect(ran.exitCode, ran.stderr).toBe(0);
    await world.run(['profile', 'set', 'acme', '-e', name, 'settle=1s']);
  }
  return {
    world,
    staging,
    production,
    async rehearse() {
      const ran = await world.run('doctor --rehearse --quick -p acme -e staging --yes'.split(' '));
      expect(ran.exitCode, ran.stderr).toBe(0);
    },
    async import(codes, ...flags) {
      const rows = codes.map((code, at) => `${code},Part ${at}`).join('\n');
      await world.file('items.csv', `code,name\n${rows}\n`);
      const where = ['-p', 'acme', '-e', 'production'];
      return world.run(['items', 'import', 'items.csv', ...where, '--yes', ...flags]);
    },
    async codes() {
      const { json } = await raw(production.baseUrl, 'GET', '/items/');
      return (json as { code: string }[]).map(({ code }) => code);
    },
    async [Symbol.asyncDispose]() {
      await staging.close();
      await production.close();
    },
  };
}

describe('the plan of an import names the rehearsal', () => {
  it('as JSON and as a notice, on every environment of the profile', async () => {
    await using at = await acme('upper,unique');
    const before = await at.import(['A-1'], '--dry-run');
    expect(JSON.parse(before.stdout)).not.toHaveProperty('rehearsed');
    await at.rehearse();
    const { stdout, stderr, exitCode } = await at.import(['A-1'], '--dry-run');
    expect(exitCode).toBe(0);
    const says =
      'rehearsed on staging today: codes are stored in upper case; a second create with the same code is refused; lists show new records at once';
    expect(JSON.parse(stdout)).toMatchObject({
      rehearsed: {
        environment: 'staging',
        says,
        codesChange: { name: 'upper case' },
        codesKnown: true,
        second: 'refused',
        lagMs: 0,
      },
    });
    expect(stderr).toContain(says);
  });

  it('of other nouns with what concerns them', async () => {
    await using at = await acme('');
    await at.rehearse();
    await at.world.file('i.csv', 'reference,account,amount,contractId\nR-1,6100,5,c-1\n');
    const where = ['-p', 'acme', '-e', 'production', '--dry-run'];
    const imputations = await at.world.run(['imputations', 'import', 'i.csv', ...where]);
    expect(JSON.parse(imputations.stdout).rehearsed.says).toBe(
      'rehearsed on staging today: a second, equal create creates another record',
    );
    const create = ['imputations', 'create', '--reference', 'R-1', '--amount', '5', ...where];
    expect((await at.world.run(create)).stderr).toContain('a second, equal create creates another');
  });
});

/** Codes that differ in a file, but not in a service with the habits. */
const EQUAL: readonly (readonly [habits: string, codes: readonly string[]])[] = [
  ['upper,unique', ['ab-1', 'AB-1', 'AB-2']],
  ['lower', ['ab-1', 'AB-1', 'AB-2']],
  ['no-dashes', ['AB-1', 'AB1', 'AB-2']],
  ['plain-dashes', ['AB–1', 'AB-1', 'AB-2']],
  ['no-zeros', ['007', '7', '8']],
  ['nfkc', ['A²', 'A2', 'A3']],
  ['upper,no-dashes', ['ab-1', 'AB1', 'AB-2']],
  ['no-zeros,no-dashes', ['0-AB-1', 'AB1', 'AB2']],
];

describe('codes that a service stores as one', () => {
  it.each(EQUAL)('with %s: sent before the rehearsal, refused after it', async (habits, codes) => {
    await using at = await acme(habits);
    const before = await at.import(codes, '--dry-run');
    expect(before.exitCode, before.stderr).toBe(0);
    await at.rehearse();
    const after = await at.import(codes);
    expect(after.exitCode, after.stderr).toBe(2);
    expect(errorOf(after).message).toMatch(
      /^1 code becomes equal to another, because codes are stored .*, as rehearsed on staging: .*; nothing was sent$/,
    );
    expect(at.production.writes()).toEqual([]);
    const apart = await at.import(codes.slice(1));
    expect(apart.exitCode, apart.stderr).toBe(0);
    expect(await at.codes()).toHaveLength(2);
  });

  it('with an existing record: the run stops before, and is refused after the rehearsal', async () => {
    const existing = async (at: Acme) =>
      raw(at.production.baseUrl, 'POST', '/items/', { body: { code: 'AB1', name: 'Other' } });
    await using before = await acme('no-dashes');
    await existing(before);
    const stopped = await before.import(['AB-1', 'AB-2']);
    expect(stopped.exitCode).toBe(10);
    expect(await before.codes()).toEqual(['AB1', 'AB1']);
    await using after = await acme('no-dashes');
    await after.rehearse();
    await existing(after);
    const refused = await after.import(['AB-1', 'AB-2']);
    expect(refused.exitCode).toBe(2);
    expect(errorOf(refused).message).toContain('AB-1 (row 1) and AB1 (existing) are both AB1');
    expect(await after.codes()).toEqual(['AB1']);
  });

  it('and codes that it cuts off are refused', async () => {
    await using at = await acme('cut=40');
    await at.rehearse();
    const long = `AB-${'X'.repeat(50)}`;
    const refused = await at.import([long, 'AB-2']);
    expect(refused.exitCode).toBe(2);
    expect(errorOf(refused).message).toContain('1 code is longer than the 40 characters');
    expect(at.production.writes()).toEqual([]);
  });
});

describe('an import that could not be understood before', () => {
  it.each([
    ['no-zeros,no-dashes', ['0-AB-1', '0-AB-2', '0-AB-3'], ['AB1', 'AB2', 'AB3']],
    ['echo,no-dashes', ['AB-1', 'AB-2', 'AB-3'], ['AB1', 'AB2', 'AB3']],
  ])('%s: is complete after the rehearsal', async (habits, codes, stored) => {
    await using before = await acme(habits);
    const unclear = await before.import(codes);
    expect(unclear.exitCode).not.toBe(0);
    await using after = await acme(habits);
    await after.rehearse();
    const ran = await after.import(codes);
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(JSON.parse(ran.stdout)).toMatchObject({ created: 3, verified: true });
    expect(await after.codes()).toEqual(stored);
  });

  it('a list that lags is waited for', async () => {
    await using at = await acme('lag=600ms');
    await at.rehearse();
    const ran = await at.import(['AB-1', 'AB-2']);
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(ran.stderr).toMatch(/rehearsed on staging today: .*; lists lag .*m?s/);
    expect(JSON.parse(ran.stdout)).toMatchObject({ created: 2, verified: true });
  });
});

/** What staging does, what production does, what the stop says, and how the resume ends. */
const DIFFERENT: readonly (readonly [
  staging: string,
  production: string,
  says: RegExp,
  exitCode: 0 | 9 | 10,
])[] = [
  [
    'upper',
    '',
    /stored "ab-1" as "ab-1", but in the rehearsal on staging .* codes are stored in upper case/,
    0,
  ],
  [
    '',
    'upper',
    /stored "ab-1" as "AB-1", but in the rehearsal on staging .* codes are stored as sent/,
    0,
  ],
  ['upper', 'lower,no-dashes', /stored "ab-1" as "ab1", but in the rehearsal/, 0],
  [
    '',
    'bare',
    /the answer to "ab-1" has no name, but in the rehearsal on staging .* answers had it/,
    0,
  ],
  ['bare', '', /the answer to "ab-1" has the name, but in the rehearsal .* answers had none/, 0],
  ['no-dashes,no-zeros', 'no-dashes', /stored "0-ab-4" as "0ab4", but in the rehearsal/, 0],
  [
    '',
    'lag=4s',
    /the list does not show records .*, but in the rehearsal .* showed them at once/,
    0,
  ],
  ['upper,unique', 'upper,lag=4s', /the list does not show records .* in the rehearsal/, 0],
];

describe('an answer that contradicts the rehearsal', () => {
  it.each(DIFFERENT)(
    'rehearsed with "%s", imported with "%s": stops with exit 10',
    async (a, b, says, exitCode) => {
      await using at = await acme(a, b);
      await at.rehearse();
      const codes = ['ab-1', 'ab-2', 'ab-3', '0-ab-4'];
      const stopped = await at.import(codes, 'PROC_SETTLE=6s');
      expect(stopped.exitCode, stopped.stderr).toBe(10);
      expect(errorOf(stopped)).toMatchObject({
        code: 'incomplete',
        message: expect.stringMatching(says),
      });
      const { run } = JSON.parse(stopped.stdout) as { run: string };
      // The traits no longer count here, and the run goes on without them.
      const plan = await at.import(['zz-1'], '--dry-run');
      expect(JSON.parse(plan.stdout)).not.toHaveProperty('rehearsed');
      const resumed = await at.world.run([
        'imports',
        'resume',
        run,
        '-p',
        'acme',
        '-e',
        'production',
        '--yes',
        'PROC_SETTLE=6s',
      ]);
      expect(resumed.exitCode, resumed.stderr).toBe(exitCode);
      await expect.poll(at.codes, { timeout: 10_000 }).toHaveLength(codes.length);
      expect(new Set(await at.codes()).size).toBe(codes.length);
      const doctor = await at.world.run('doctor --quick -p acme -e production -o json'.split(' '));
      const rows = JSON.parse(doctor.stdout) as {
        check: string;
        status: string;
        finding: string;
      }[];
      expect(rows.find(({ check }) => check === 'rehearsal')).toMatchObject({
        status: 'warning',
        finding: expect.stringMatching(says),
      });
      // On the rehearsed environment they count.
      const staging = await at.world.run('doctor --quick -p acme -e staging -o json'.split(' '));
      expect(staging.stdout).toContain('rehearsed codes');
    },
  );
});

/** What both do with the second record of a file that has two with the same code. */
const SECOND: readonly (readonly [staging: string, production: string, says: RegExp])[] = [
  ['', 'unique', /a second create of the same record was refused, but .* it created another one/],
  ['unique', '', /a second create of the same record created another record .* it was refused/],
];

describe('a second create with the same code that contradicts the rehearsal', () => {
  it.each(SECOND)('rehearsed with "%s", imported with "%s"', async (a, b, says) => {
    await using at = await acme(a, b);
    await at.rehearse();
    const stopped = await at.import(['A-1', 'A-1', 'A-2'], '--on-duplicate', 'all');
    expect(stopped.exitCode, stopped.stderr).toBe(10);
    expect(errorOf(stopped).message).toMatch(says);
    const { run } = JSON.parse(stopped.stdout) as { run: string };
    const resume = ['imports', 'resume', run, '-p', 'acme', '-e', 'production', '--yes'];
    const resumed = await at.world.run(resume);
    expect(resumed.exitCode, resumed.stderr).toBe(0);
  });
});

describe('a list that shows new records elsewhere than in the rehearsal', () => {
  it.each([
    ['newest-first', '', /new records at its end, but .* it showed them at its beginning/],
    ['', 'newest-first', /new records not at its end, but .* it showed them at its end/],
  ])('rehearsed with "%s", imported with "%s"', async (a, b, says) => {
    await using at = await acme(a, b);
    await at.rehearse();
    for (let n = 0; n < 110; n++) {
      const body = { code: `OLD-${n}`, name: `Old ${n}` };
      await raw(at.production.baseUrl, 'POST', '/items/', { body });
    }
    const stopped = await at.import(['A-1', 'A-2']);
    expect(stopped.exitCode, stopped.stderr).toBe(10);
    expect(errorOf(stopped).message).toMatch(says);
    const { run } = JSON.parse(stopped.stdout) as { run: string };
    const resume = ['imports', 'resume', run, '-p', 'acme', '-e', 'production', '--yes'];
    const resumed = await at.world.run(resume);
    expect(resumed.exitCode, resumed.stderr).toBe(0);
    expect(JSON.parse(resumed.stdout)).toMatchObject({ created: 2, verified: true });
  });
});

/** A line that defines an item in place. */
const line = (code: string) => ({ quantity: 1, item: { code, name: `Part ${code}` } });
const requisition = (...codes: readonly string[]) => ({
  title: 'Spare parts',
  groups: [{ name: 'Plant', deliveryMethod: 'pickup', items: codes.map(line) }],
});

describe('items that a requisition defines in place', () => {
  const CASES = [
    ['upper', ['ab-1', 'AB-1'], [], /"ab-1" and "AB-1" will both be stored as "AB-1"/, /ab-1|AB-1/],
    [
      'no-dashes',
      ['AB-1'],
      ['AB1'],
      /"AB-1" will be stored as "AB1".*exists: itm-1/,
      /AB1 \(existing\)/,
    ],
  ] as const;

  it.each(CASES)('with %s: create refuses %j', async (habits, codes, existing, says) => {
    await using at = await acme(habits);
    for (const code of existing) {
      await raw(at.production.baseUrl, 'POST', '/items/', { body: { code, name: 'Other' } });
    }
    await at.world.file('r.json', JSON.stringify(requisition(...codes)));
    const where = ['-p', 'acme', '-e', 'production'];
    const create = ['requisition', 'create', '--file', 'r.json', ...where];
    const before = await at.world.run([...create, '--dry-run']);
    expect(before.exitCode, before.stderr).toBe(0);
    await at.rehearse();
    const refused = await at.world.run(create);
    expect([refused.exitCode, errorOf(refused).message]).toEqual([2, expect.stringMatching(says)]);
    expect(at.production.writes().filter(({ path }) => path.includes('requisitions'))).toEqual([]);
    const agreed = await at.world.run([...create, '--again']);
    expect(agreed.exitCode, agreed.stderr).toBe(0);
  });

  it.each(CASES)('with %s: import refuses %j', async (habits, codes, existing, _, which) => {
    await using at = await acme(habits);
    for (const code of existing) {
      await raw(at.production.baseUrl, 'POST', '/items/', { body: { code, name: 'Other' } });
    }
    await at.rehearse();
    const rows = codes.map((code) => JSON.stringify(requisition(code)));
    await at.world.file('r.ndjson', `${rows.join('\n')}\n`);
    const where = ['-p', 'acme', '-e', 'production', '--first-run', '--yes'];
    const send = ['requisition', 'import', 'r.ndjson', ...where];
    const refused = await at.world.run(send);
    expect(refused.exitCode, refused.stderr).toBe(2);
    expect(errorOf(refused).message).toMatch(/^1 code becomes equal to another, because codes are/);
    expect(errorOf(refused).message).toMatch(which);
    const agreed = await at.world.run([...send]);
    expect(agreed.exitCode, agreed.stderr).toBe(0);
  });
});

describe('a single write', () => {
  const where = '-p acme -e production';
  const WRITES = [
    ['', 'delete=200', `requisition group remove REQ GRP ${where}`, /answered 200 to the delete/],
    [
      'delete=kept',
      '',
      `requisition item remove REQ GRP LINE ${where}`,
      /is gone after the delete/,
    ],
    ['', 'bare', `imputations create --reference R --amount 5 ${where}`, /the answer has no/],
  ] as const;

  it.each(WRITES)('rehearsed with "%s", sent with "%s": %s warns', async (a, b, typed, says) => {
    await using at = await acme(a, b);
    await at.rehearse();
    const post = async (path: string, body: object) =>
      (await raw(at.production.baseUrl, 'POST', path, { body })).json as Record<string, string>;
    const made = await post('/requisitions/', requisition('A-1'));
    const ids = { REQ: made.requisitionId!, GRP: '', LINE: '' };
    ids.GRP = (await post(`/requisitions/${ids.REQ}/groups`, { name: 'G' })).id!;
    const { id: itemId } = await post('/items/', { name: 'Nut' });
    const item = { quantity: 1, itemId };
    ids.LINE = (await post(`/requisitions/${ids.REQ}/groups/${ids.GRP}/items`, item)).id!;
    const words = typed.split(' ').map((word) => ids[word as keyof typeof ids] ?? word);
    const ran = await at.world.run([...words, '--yes']);
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(ran.stderr).toMatch(says);
    // It is said once: from now on, nothing relies on the rehearsal here.
    const doctor = await at.world.run(`doctor --quick ${where} -o json`.split(' '));
    expect(doctor.stdout).toMatch(says);
  });
});

describe('items create', () => {
  it('compares the code as it will be stored', async () => {
    await using at = await acme('no-dashes');
    await at.rehearse();
    await raw(at.production.baseUrl, 'POST', '/items/', { body: { code: 'AB1', name: 'Other' } });
    const where = ['-p', 'acme', '-e', 'production'];
    const create = ['items', 'create', '--name', 'Part', '--code', 'AB-1', ...where];
    const refused = await at.world.run(create);
    expect([refused.exitCode, errorOf(refused)]).toEqual([
      2,
      expect.objectContaining({
        code: 'code_exists',
        message: expect.stringContaining(
          'the code "AB-1" will be stored as "AB1", which exists: itm-1',
        ),
      }),
    ]);
    const plan = await at.world.run([...create.slice(0, -5), 'AB-7', ...where, '--dry-run']);
    expect(plan.stderr).toContain('rehearsed on staging today: codes are stored without dashes');
  });

  it('warns if the answer contradicts the rehearsal', async () => {
    await using at = await acme('upper', '');
    await at.rehearse();
    const ran = await at.world.run(
      'items create --name Part --code ab-1 -p acme -e production'.split(' '),
    );
    expect(ran.exitCode).toBe(0);
    expect(JSON.parse(ran.stderr.trim())).toMatchObject({
      warning: expect.stringContaining(
        'the rehearsal does not hold here: the service stored "ab-1"',
      ),
    });
  });
});
