import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { approvers } from '../support/approvers.ts';
import { http, startHostile } from '../support/hostile-service.ts';
import { errorOf, freshWorld, jsonLines, type World } from '../support/run.ts';
import { type LoggedSandbox, loggedSandbox } from '../support/service.ts';

const people = approvers();
afterAll(() => people[Symbol.dispose]());

const ITEMS = 'code,name\nAP-1,Bolt\nAP-2,Nut\n';

async function done(world: World, args: readonly string[], exitCode = 0) {
  const ran = await world.run(args);
  expect(ran, ran.stderr).toMatchObject({ exitCode });
  return ran.stdout === '' ? {} : JSON.parse(ran.stdout);
}

async function refused(world: World, args: readonly string[], exitCode: number) {
  const ran = await world.run(args);
  expect(ran, ran.stderr).toMatchObject({ exitCode });
  return errorOf(ran);
}

/** A world with a staged run. Its profile acme demands approvals. */
async function demanding(
  sandbox: LoggedSandbox,
  settings: readonly string[],
): Promise<{ world: World; run: string }> {
  const world = await freshWorld({
    PROC_API_KEY: sandbox.target.PROC_API_KEY,
    PROC_PROFILE: 'acme',
    PROC_ENV: 'here',
  });
  await done(world, ['profile', 'add', 'acme', '-e', 'here', '--base-url', sandbox.baseUrl]);
  if (settings.length > 0) {
    await done(world, ['profile', 'set', 'acme', '-e', 'here', ...settings]);
  }
  await world.file('a.csv', ITEMS);
  const { run } = await done(world, ['items', 'import', 'a.csv', '--stage']);
  return { world, run };
}

const approve = (run: string, person: string, ...more: string[]) => [
  ...['imports', 'approve', run, '--key', people.key(person), '--yes', ...more],
];

let sandbox: LoggedSandbox;
beforeAll(async () => {
  sandbox = await loggedSandbox();
});
afterAll(() => sandbox[Symbol.asyncDispose]());

describe('an environment that demands an approval', () => {
  it('sends no import without an approval, and with an approval exactly the approved import', async () => {
    await using own = await loggedSandbox();
    const file = people.file('bob', ['bob', 'alice']);
    const { world, run } = await demanding(own, [
      'approvals=1',
      `approvers=${file}`,
      'signer=alice',
    ]);
    const toApprove = `proc imports approve ${run} --key FILE`;
    const shown = await done(world, ['imports', 'show', run]);
    expect(shown).toMatchObject({ next: toApprove, rejectedFile: null });
    const repeated = await refused(world, ['items', 'import', 'a.csv', '--yes', '--stage'], 2);
    expect(repeated.hint).toContain(`Approve it: ${toApprove}. To stage`);
    await world.file('b.csv', 'code,name\nAP-9,Other\n');
    const plain = await refused(
      world,
      ['items', 'import', 'b.csv', '--map', 'code=code', '--map', 'name=name', '--yes'],
      3,
    );
    expect(plain).toMatchObject({
      code: 'approval_required',
      message: 'acme/here demands 1 approval of each import; nothing was sent',
      hint: 'Stage the import: proc items import b.csv --map code=code --map name=name --yes --stage. Then have it approved: proc imports approve RUN --key FILE',
    });
    const unapproved = await refused(world, ['imports', 'send', run, '--yes'], 3);
    expect(unapproved).toMatchObject({
      code: 'approval_required',
      message: `acme/here demands 1 approval of each import, but ${run} has none that counts; nothing was sent`,
      hint: `Let an approver run: proc imports approve ${run} --key FILE`,
    });
    await world.file('sectors.csv', 'key,name\nsec-1,Renamed\n');
    const sectors = await refused(world, ['sectors', 'apply', 'sectors.csv', '--yes'], 3);
    expect(sectors).toMatchObject({
      code: 'approval_required',
      hint: 'Change one sector at a time: proc sectors patch ID',
    });
    expect(own.writes()).toEqual([]);

    const before = await done(world, ['imports', 'show', run]);
    const dry = await done(world, [...approve(run, 'bob'), '--dry-run']);
    expect(dry.statement).toContain(`digest: sha256:${before.digest}\n`);
    expect(dry.statement).toContain(`service: ${own.baseUrl}\n`);
    expect(dry.statement).toContain('rows: 2 to create, 0 existing, 0 duplicate, 0 rejected\n');
    const unconfirmed = approve(run, 'bob').filter((word) => word !== '--yes');
    expect(await refused(world, unconfirmed, 2)).toMatchObject({ code: 'confirmation_required' });
    expect(await done(world, ['imports', 'show', run])).toMatchObject({ approvals: [] });

    const byImporter = await world.run(approve(run, 'alice'));
    expect(JSON.parse(byImporter.stdout)).toMatchObject({ approvals: 0, counts: 'own' });
    expect(byImporter.stderr).toContain(
      'the approval does not count: it is by alice, who imports (the setting signer)',
    );
    const byAlice = await refused(world, ['imports', 'send', run, '--yes'], 3);
    expect(byAlice.message).toContain('approval 1 is by alice, who imports');
    expect(await done(world, approve(run, 'bob'))).toMatchObject({
      approved: true,
      approvals: 1,
      counts: 'yes',
      key: expect.stringMatching(/^ED25519 SHA256:/),
    });
    await done(world, approve(run, 'bob', '--valid-for', '1s'));
    await done(world, approve(run, 'mallory'));
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const report = async (...flags: string[]) => {
      const { stdout } = await world.run(['imports', 'report', run, ...flags]);
      return stdout.split('\n').filter((line) => line.includes('SHA256:'));
    };
    const time = String.raw`\d{4}-\d\d-\d\d \d\d:\d\d [+-]\d\d:\d\d`;
    const line = (by: string, counts: string) =>
      expect.stringMatching(
        new RegExp(
          `^\\| ${by} \\| .ED25519 SHA256:[^|]+ \\| ${time} \\| ${time} \\| ${counts} \\|$`,
        ),
      );
    const approvals = [
      line('alice', 'no: by the person who imports'),
      line('bob', 'yes'),
      line('bob', 'no: expired'),
      line('', 'no: not valid'),
    ];
    expect(await report()).toEqual(approvals);
    expect(await report('--lang', 'es')).toEqual([
      line('alice', 'no: de quien importa'),
      line('bob', 'sí'),
      line('bob', 'no: vencida'),
      line('', 'no: no es válida'),
    ]);
    const [listed] = await done(world, ['imports', 'list']);
    expect(listed.next).toBe(`proc imports send ${run} -p acme -e here --yes`);
    const sent = await done(world, ['imports', 'send', run, '--yes']);
    expect(sent).toMatchObject({ created: 2, verified: true });
    expect(own.writes()).toHaveLength(2);

    expect(await report()).toEqual(approvals);
    await done(world, [
      'profile',
      'set',
      'acme',
      '-e',
      'here',
      'approvals=',
      'approvers=',
      'signer=',
    ]);
    expect(await report()).toEqual([
      line('', 'not known on this machine'),
      line('bob', 'yes'),
      line('', 'no: expired'),
      line('', 'not known on this machine'),
    ]);

    const again = await refused(world, approve(run, 'bob'), 2);
    expect(again.message).toContain('has been sent, so it cannot be approved');
    const [entry] = await done(world, ['history', 'export', '-o', 'json']);
    expect(entry.payload).toMatchObject({
      digest: before.digest,
      approvals: [{ principals: ['bob'], statement: expect.stringContaining(run) }],
    });
  });

  it('resumes an approved run without a new approval, also after it has expired', async () => {
    const service = await startHostile((socket, { method }) =>
      socket.write(http(method === 'GET' ? 200 : 401, '[]')),
    );
    const { port, baseUrl } = service;
    const file = people.file('bob', ['bob', 'alice']);
    const at = { ...sandbox, baseUrl };
    const settings = ['approvals=1', `approvers=${file}`, 'signer=alice'];
    const { world, run } = await demanding(at, settings);
    await done(world, approve(run, 'bob', '--valid-for', '1h'));
    await done(world, ['imports', 'send', run, '--yes'], 10);
    await service.close();
    // During sending, the file of approvers may change, as long as it still allows the approval.
    people.file('bob', ['bob valid-before="29991231"', 'alice']);
    await using own = await loggedSandbox({ port });
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * 3600_000 });
    onTestFinished(() => void vi.useRealTimers());
    expect(await done(world, ['imports', 'resume', run, '--yes'])).toMatchObject({ created: 2 });
    expect(own.writes()).toHaveLength(2);
  });

  it('refuses to resume a run that was not staged', async () => {
    const service = await startHostile((socket, { method }) =>
      socket.write(http(method === 'GET' ? 200 : 401, '[]')),
    );
    const at = { ...sandbox, baseUrl: service.baseUrl };
    const { world, run: staged } = await demanding(at, []);
    await done(world, ['imports', 'discard', staged, '--yes']);
    const { run } = await done(world, ['items', 'import', 'a.csv', '--yes'], 10);
    await done(world, ['profile', 'set', 'acme', '-e', 'here', 'approvals=1']);
    const error = await refused(world, ['imports', 'resume', run, '--yes'], 3);
    expect(error).toMatchObject({
      code: 'approval_required',
      message: `acme/here demands 1 approval of each import, and ${run} was not staged; nothing was sent`,
    });
    await service.close();
  });

  it.each([
    {
      what: 'no signer is set',
      settings: ['approvals=1'],
      by: ['bob'],
      says: 'the setting signer is missing',
    },
    {
      what: 'no file is set',
      settings: ['approvals=1', 'signer=alice'],
      by: ['bob'],
      says: 'the setting approvers is missing',
    },
    {
      what: 'the file has no key of the importer',
      lines: [],
      by: ['bob'],
      says: 'has no key of alice (the setting signer), so proc cannot tell which approvals are by alice',
    },
    {
      what: 'the file is gone',
      settings: ['approvals=1', 'signer=alice', 'approvers=/nonexistent'],
      by: ['bob'],
      says: 'cannot read the approvers in /nonexistent: it does not exist',
    },
    { what: 'the key is unknown', lines: ['carol'], by: ['bob'], says: 'is not one of' },
    {
      what: 'the key has expired in the file',
      lines: ['bob valid-before="20200101"'],
      by: ['bob'],
      says: 'key has expired',
    },
    {
      what: 'the file allows another namespace',
      lines: ['bob namespaces="git"'],
      by: ['bob'],
      says: 'is not valid for bob',
    },
    {
      what: 'the key belongs to a pattern',
      lines: ['*@acme'],
      owner: 'bob',
      by: ['bob'],
      says: 'for a pattern such as *, not for one person',
    },
    {
      what: 'the importer has the key under another name',
      lines: ['bob', 'alice as bob'],
      by: ['bob'],
      says: 'approval 1 is by alice, who imports',
    },
    {
      what: 'the importer has the key on an expired line, and somebody else on another',
      lines: ['alice valid-before="20200101"', 'bob as alice'],
      by: ['alice'],
      says: 'approval 1 is by alice, who imports',
    },
    {
      what: 'the importer signs with a second key, under a name that shares the first',
      lines: ['alice', 'bob as alice', 'bob'],
      by: ['bob'],
      says: 'approval 1 is by alice, who imports',
    },
    {
      what: 'the importer is quoted in the file, and in other case',
      lines: ['"Alice" as alice'],
      by: ['alice'],
      says: 'approval 1 is by alice, who imports',
    },
    {
      what: 'two persons have the same key',
      required: 2,
      lines: ['bob', 'Bob as bob', 'carol as bob'],
      by: ['bob', 'bob'],
      says: 'approval 2 is by the same person as approval 1 (',
    },
    {
      what: 'two names differ only in case',
      required: 2,
      lines: ['bob', 'Bob as bob2'],
      by: ['bob', 'bob2'],
      says: 'approval 2 is by the same person as approval 1 (',
    },
    {
      what: 'one person also has the key of the other',
      required: 2,
      lines: ['bob', 'carol as bob', 'carol'],
      by: ['bob', 'carol'],
      says: 'approval 2 is by the same person as approval 1 (',
    },
    {
      what: 'one person signs twice',
      required: 2,
      lines: ['bob'],
      by: ['bob', 'bob'],
      says: 'approval 2 is by the same person as approval 1 (',
    },
    {
      what: 'one person has two keys',
      required: 2,
      lines: ['bob', 'bob as bob2'],
      by: ['bob', 'bob2'],
      says: 'approval 2 is by the same person as approval 1 (',
    },
    {
      what: 'the approval has expired',
      lines: ['bob'],
      by: ['bob'],
      validFor: '1ms',
      says: 'approval 1 expired at',
    },
  ])(
    'refuses if $what',
    async ({ settings, lines: others = [], owner, by, required = 1, validFor, says }) => {
      const namesImporter = others.length === 0 || others.some((line) => /^"?alice/i.test(line));
      const lines = namesImporter ? others : [...others, 'alice'];
      const file = people.file(
        'approvers',
        lines.map((line) => (owner === undefined ? line : `${line} as ${owner}`)),
      );
      const rule = settings ?? [`approvals=${required}`, `approvers=${file}`, 'signer=alice'];
      const { world, run } = await demanding(sandbox, rule);
      const writes = sandbox.writes().length;
      const more = validFor === undefined ? [] : ['--valid-for', validFor];
      for (const person of by) await done(world, approve(run, person, ...more));
      const error = await refused(world, ['imports', 'send', run, '--yes'], 3);
      expect(error.code).toBe('approval_required');
      expect(error.message).toContain(says);
      expect(sandbox.writes()).toHaveLength(writes);
      await done(world, ['imports', 'discard', run, '--yes']);
    },
  );

  it('says to the approver how many persons have signed, not how many keys', async () => {
    const file = people.file('keys', ['bob', 'Bob as bob2', 'carol', 'alice']);
    const rule = ['approvals=2', `approvers=${file}`, 'signer=alice'];
    const { world, run } = await demanding(sandbox, rule);
    const counted: unknown[] = [];
    for (const person of ['bob', 'bob2', 'carol']) {
      counted.push((await done(world, approve(run, person))).approvals);
    }
    expect(counted).toEqual([1, 1, 2]);
    await done(world, ['imports', 'discard', run, '--yes']);
  });

  it('counts two persons', async () => {
    await using own = await loggedSandbox();
    const file = people.file('two', ['"bob" as bob', '"carol,c.adams" as carol', 'alice']);
    const rule = ['approvals=2', `approvers=${file}`, 'signer=alice'];
    const { world, run } = await demanding(own, rule);
    await done(world, approve(run, 'bob'));
    const one = await refused(world, ['imports', 'send', run, '--yes'], 3);
    expect(one.message).toContain('demands 2 approvals of each import');
    expect(one.message).toContain('has 1 that counts');
    await done(world, approve(run, 'carol'));
    expect(await done(world, ['imports', 'send', run, '--yes'])).toMatchObject({ created: 2 });
  });
});

it('--stage names the command of an approver, here and on another machine', async () => {
  const { world, run: first } = await demanding(sandbox, ['approvals=2']);
  await done(world, ['imports', 'discard', first, '--yes']);
  const ran = await world.run(['items', 'import', 'a.csv', '--stage']);
  const { run, next } = JSON.parse(ran.stdout);
  expect(next).toBe(`proc imports approve ${run} --key FILE`);
  expect(jsonLines(ran.stderr)).toContainEqual({
    notice: `acme/here demands 2 approvals before this import is sent. An approver runs: ${next}. For an approver on another machine: proc imports export ${run} --out FILE`,
  });
});

describe('an approval that was changed', () => {
  function rewrite(world: World, run: string, change: (text: string) => string): void {
    const database = new DatabaseSync(`${world.stateDir}/imports/${run}.db`);
    const { value } = database.prepare("SELECT value FROM run WHERE key = 'approvals'").get()!;
    database
      .prepare("UPDATE run SET value = ? WHERE key = 'approvals'")
      .run(change(value as string));
    database.close();
  }

  it('is refused if any line of the statement or any byte of the signature was changed', async () => {
    await using own = await loggedSandbox();
    const file = people.file('bob', ['bob', 'alice']);
    const { world, run } = await demanding(own, [
      'approvals=1',
      `approvers=${file}`,
      'signer=alice',
    ]);
    await done(world, approve(run, 'bob'));
    const { approvals } = await done(world, ['imports', 'show', run]);
    const { statement, signature }: { statement: string; signature: string } = approvals[0];
    const lines = statement.split('\n');
    const cases: [string, string, string][] = lines.slice(0, -1).map((line, at) => {
      // In a line with a time, changes the digit before `Z`, so that the time stays valid.
      const place = line.endsWith('Z') ? -2 : -1;
      const other = line.at(place) === '0' ? '1' : '0';
      const changed = line.slice(0, place) + other + (place === -2 ? 'Z' : '');
      const text = lines.with(at, changed).join('\n');
      return [line.split(':')[0]!, text, signature];
    });
    const armor = signature.split('\n');
    for (const at of [3, 20, 45, 69]) {
      const old = armor[2]![at]!;
      const changed = armor.with(
        2,
        armor[2]!.slice(0, at) + (old === 'A' ? 'B' : 'A') + armor[2]!.slice(at + 1),
      );
      cases.push(['signature', statement, changed.join('\n')]);
    }
    const elsewhere = execFileSync(
      'ssh-keygen',
      ['-Y', 'sign', '-n', 'git', '-f', people.key('bob')],
      { input: statement, stdio: ['pipe', 'pipe', 'ignore'] },
    ).toString();
    cases.push(['namespace', statement, elsewhere]);
    for (const [what, text, signed] of cases) {
      rewrite(world, run, () => JSON.stringify([{ statement: text, signature: signed }]));
      const error = await refused(world, ['imports', 'send', run, '--yes'], 3);
      expect(error.code, what).toBe('approval_required');
      const says: Record<string, string> = {
        'proc import approval, version 1': 'signs a text that this version of proc does not know',
        place: 'approves another profile and environment',
        import: 'approves another noun',
        approved: 'has no valid signature',
        expires: 'has no valid signature',
        signature: 'has no valid signature',
        namespace: 'namespace does not match',
      };
      expect(error.message, what).toContain(says[what] ?? `approves another ${what}: `);
    }
    expect(own.writes()).toEqual([]);
    rewrite(world, run, () => JSON.stringify(approvals));
    expect(await done(world, ['imports', 'send', run, '--yes'])).toMatchObject({ created: 2 });
  });

  it('is refused if it is the approval of another run', async () => {
    const file = people.file('bob', ['bob', 'alice']);
    const rule = ['approvals=1', `approvers=${file}`, 'signer=alice'];
    const first = await demanding(sandbox, rule);
    const second = await demanding(sandbox, rule);
    await done(first.world, approve(first.run, 'bob'));
    const { approvals } = await done(first.world, ['imports', 'show', first.run]);
    const path = `${second.world.stateDir}/imports/${second.run}.db`;
    const database = new DatabaseSync(path);
    database
      .prepare("INSERT INTO run (key, value) VALUES ('approvals', ?)")
      .run(JSON.stringify(approvals));
    database.close();
    const error = await refused(second.world, ['imports', 'send', second.run, '--yes'], 3);
    expect(error.message).toContain(`approves another run: ${first.run}, not ${second.run}`);
  });
});

it('a preview of imports send names missing approvals too, and changes nothing', async () => {
  await using own = await loggedSandbox();
  const file = people.file('bob', ['bob', 'alice']);
  const rule = ['approvals=1', `approvers=${file}`, 'signer=alice'];
  const { world, run } = await demanding(own, rule);
  const preview = ['imports', 'send', run, '--dry-run'];
  const error = await refused(world, preview, 3);
  expect(error).toMatchObject({
    code: 'approval_required',
    message: `acme/here demands 1 approval of each import, but ${run} has none that counts; nothing was sent`,
  });
  await done(world, approve(run, 'alice'));
  await done(world, approve(run, 'bob', '--valid-for', '1ms'));
  const { message } = await refused(world, preview, 3);
  expect(message).toContain(
    'has none that counts: approval 1 is by alice, who imports (the setting signer); approval 2 expired at 20',
  );
  await done(world, approve(run, 'bob'));
  const before = await done(world, ['imports', 'show', run]);
  expect(await done(world, preview)).toMatchObject({ dryRun: true, toSend: 2 });
  expect(await done(world, ['imports', 'show', run])).toEqual(before);
  expect(own.writes()).toEqual([]);
});

it('imports show says who has approved, and imports approve says how many', async () => {
  const file = people.file('bob', ['bob', 'alice']);
  const rule = ['approvals=1', `approvers=${file}`, 'signer=alice'];
  const { world, run } = await demanding(sandbox, rule);
  await done(world, approve(run, 'bob', '--valid-for', '1ms'));
  expect(await done(world, approve(run, 'alice'))).toMatchObject({ approvals: 0 });
  const stranger = await world.run(approve(run, 'carol'));
  expect(JSON.parse(stranger.stdout)).toMatchObject({ approvals: 0, counts: 'invalid' });
  expect(stranger.stderr).toContain('the approval does not count: it has a key (');
  const { key } = await done(world, approve(run, 'bob'));
  expect(await done(world, approve(run, 'bob'))).toMatchObject({ approvals: 1 });
  const { stdout } = await world.run(['imports', 'show', run, '-o', 'table']);
  const shown = stdout.slice(stdout.indexOf('\n  - ')).split('\n  - ').slice(1);
  const by = (person: string) => `by: ${person}\n    key: ED25519 `;
  for (const [at, start] of [
    by('bob'),
    by('alice'),
    'key: ED25519 ',
    by('bob'),
    by('bob'),
  ].entries()) {
    expect(shown[at]).toMatch(new RegExp(`^${start}`));
    expect(shown[at]).toMatch(/\n {4}signed: \d{4}-.*\n {4}validUntil: \d{4}-.*\n {4}counts: .+/);
  }
  expect(shown[0]).toContain('expired');
  expect(shown[3]).toContain(`key: ${key}\n`);
  expect(stdout).not.toMatch(/SIGNATURE|statement/);
  await done(world, ['imports', 'discard', run, '--yes']);
});

describe('imports approve', () => {
  it('refuses a --valid-for without a unit or out of range', async () => {
    const { world, run } = await demanding(sandbox, []);
    for (const typed of ['3', '0', '0d', '-1d', '11y', '4000d']) {
      const error = await refused(world, approve(run, 'bob', `--valid-for=${typed}`), 2);
      expect(error.message).toMatch(
        /^--valid-for "?[^ ]+"?: expected a time with a unit, such as 7d or 12h, at most 10 years$/,
      );
    }
    const { expires } = await done(world, approve(run, 'bob', '--valid-for', '30d'));
    expect(Date.parse(expires) - Date.now()).toBeGreaterThan(29 * 86_400_000);
  });

  it('names what is missing', async () => {
    const { world, run } = await demanding(sandbox, []);
    expect(
      await refused(world, ['imports', 'approve', run, '--key', 'nosuch', '--yes'], 2),
    ).toMatchObject({
      code: 'unreadable_file',
    });
    await world.file('key', readFileSync(people.key('bob'), 'utf8').slice(0, 60));
    const bad = await refused(world, ['imports', 'approve', run, '--key', 'key', '--yes'], 3);
    expect(bad).toMatchObject({ code: 'signing_failed' });
    const ran = await world.run(approve(run, 'bob'), { env: { PATH: '/nonexistent' } });
    expect(ran.exitCode).toBe(3);
    expect(errorOf(ran)).toMatchObject({
      code: 'signing_failed',
      message: 'ssh-keygen is not found',
    });
  });
});

it('profile set names an example of a value that it does not accept', async () => {
  const world = await freshWorld();
  const at = ['acme', '-e', 'here'];
  await done(world, ['profile', 'add', ...at, '--base-url', sandbox.baseUrl]);
  expect(await refused(world, ['profile', 'set', ...at, 'approvals=-1'], 2)).toMatchObject({
    message: 'approvals must be a number from 0 to 9, got "-1"',
    hint: 'Example: approvals=1',
  });
});

describe('profile set warns of approvals that could never count', () => {
  it.each([
    [
      ['approvals=1'],
      'No import can be sent until these are set: proc profile set acme -e here approvers=FILE signer=PERSON',
    ],
    [
      ['approvals=1', 'approvers=/nonexistent', 'signer=alice'],
      'cannot read the approvers in /nonexistent: it does not exist. Check the path',
    ],
    [
      ['approvals=1', 'approvers=FILE', 'signer=allice'],
      'FILE has no key of allice, who imports, so no approval counts. Add a line: allice ssh-ed25519 AAAA…',
    ],
    [
      ['approvals=2', 'approvers=FILE', 'signer=alice'],
      'FILE has keys of 1 approver (alice, who imports, does not count), but 2 must approve. Add a line for each missing approver: NAME ssh-ed25519 AAAA…',
    ],
    [['approvals=1', 'approvers=FILE', 'signer=alice'], undefined],
    [['approvers=/nonexistent'], undefined],
  ])('%j', async (settings, warning) => {
    const file = people.file('settings', ['bob', 'alice']);
    const world = await freshWorld();
    const at = ['acme', '-e', 'here'];
    await done(world, ['profile', 'add', ...at, '--base-url', sandbox.baseUrl]);
    const given = settings.map((one) => one.replace('FILE', file));
    const ran = await world.run(['profile', 'set', ...at, ...given]);
    expect(ran).toMatchObject({ exitCode: 0 });
    expect(jsonLines(ran.stderr)).toEqual(
      warning === undefined ? [] : [{ warning: warning.replace(/^FILE|(?<=in )FILE/, file) }],
    );
  });

  it('names the lines of the file that are no approvers', async () => {
    const file = people.file('settings', ['bob', 'alice']);
    writeFileSync(file, `# ours\n\ncarol\n${readFileSync(file, 'utf8')}`);
    const world = await freshWorld();
    const at = ['acme', '-e', 'here'];
    await done(world, ['profile', 'add', ...at, '--base-url', sandbox.baseUrl]);
    const set = ['profile', 'set', ...at, 'approvals=1', `approvers=${file}`, 'signer=alice'];
    expect(jsonLines((await world.run(set)).stderr)).toEqual([
      { warning: `${file}, line 3: expected a name and an SSH public key` },
    ]);
  });
});
