import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { approvers } from '../support/approvers.ts';
import { http, startHostile } from '../support/hostile-service.ts';
import { errorOf, freshWorld, jsonLines } from '../support/run.ts';
import { type LoggedSandbox, loggedSandbox } from '../support/service.ts';
import { demanding, done, refused } from './approvals.ts';

const people = approvers();
afterAll(() => people[Symbol.dispose]());

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
      'the approval does not count: it is by the signer alice, who imports',
    );
    const byAlice = await refused(world, ['imports', 'send', run, '--yes'], 3);
    expect(byAlice.message).toContain('approval 1 is by the signer alice, who imports');
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
    'has none that counts: approval 1 is by the signer alice, who imports; approval 2 expired at 20',
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
  expect(stranger.stderr).toContain('the approval does not count: it has the key ');
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
      'FILE has no key of the signer allice, so no approval counts. Add a line: allice ssh-ed25519 AAAA…',
    ],
    [
      ['approvals=2', 'approvers=FILE', 'signer=alice'],
      'FILE has keys of 1 approver, but 2 must approve. The signer alice does not count. Add a line for each missing approver: NAME ssh-ed25519 AAAA…',
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
