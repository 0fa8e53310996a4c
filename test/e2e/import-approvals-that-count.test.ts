import { execFileSync } from 'node:child_process';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { approvers } from '../support/approvers.ts';
import type { World } from '../support/run.ts';
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

describe('an environment that demands approvals', () => {
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
      says: 'has no key of the signer alice, so proc cannot tell which approvals are by alice',
    },
    {
      what: 'the file is gone',
      settings: ['approvals=1', 'signer=alice', 'approvers=/nonexistent'],
      by: ['bob'],
      says: 'cannot read the approvers in /nonexistent: it does not exist',
    },
    { what: 'the key is unknown', lines: ['carol'], by: ['bob'], says: ', which is not in ' },
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
      says: 'approval 1 is by the signer alice, who imports',
    },
    {
      what: 'the importer has the key on an expired line, and somebody else on another',
      lines: ['alice valid-before="20200101"', 'bob as alice'],
      by: ['alice'],
      says: 'approval 1 is by the signer alice, who imports',
    },
    {
      what: 'the importer signs with a second key, under a name that shares the first',
      lines: ['alice', 'bob as alice', 'bob'],
      by: ['bob'],
      says: 'approval 1 is by the signer alice, who imports',
    },
    {
      what: 'the importer is quoted in the file, and in other case',
      lines: ['"Alice" as alice'],
      by: ['alice'],
      says: 'approval 1 is by the signer alice, who imports',
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

  it('tells an approver how many persons have signed, not how many keys', async () => {
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

  it('sends once two persons have approved', async () => {
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
