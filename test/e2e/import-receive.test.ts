import { createHash } from 'node:crypto';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { approvers } from '../support/approvers.ts';
import { errorOf, openWorld, type World } from '../support/run.ts';
import { type LoggedSandbox, loggedSandbox } from '../support/service.ts';
import { done, refused } from './approvals.ts';

const people = approvers();
afterAll(() => people[Symbol.dispose]());

let sandbox: LoggedSandbox;
beforeAll(async () => {
  sandbox = await loggedSandbox();
});
afterAll(() => sandbox[Symbol.asyncDispose]());

/**
 * The machine of a person, with the profile acme. Only alice, the importer, has a key and demands approvals.
 */
async function machineOf(
  person: string,
  at: LoggedSandbox,
  approversFile?: string,
): Promise<World & AsyncDisposable> {
  const world = await openWorld({ PROC_PROFILE: 'acme', PROC_ENV: 'here' });
  await done(world, ['profile', 'add', 'acme', '-e', 'here', '--base-url', at.baseUrl]);
  if (person === 'alice') {
    const input = `${at.target.PROC_API_KEY}\n`;
    const ran = await world.run(['auth', 'login', '--api-key-stdin'], { input });
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
  }
  if (approversFile !== undefined) {
    const rule = ['approvals=1', `approvers=${approversFile}`, 'signer=alice'];
    await done(world, ['profile', 'set', 'acme', '-e', 'here', ...rule]);
  }
  return world;
}

const KINDS = {
  items: ['items', 'import', 'rows.csv'],
  imputations: ['imputations', 'import', 'rows.csv', '--map', 'order=PO', '--map', 'amount=amount'],
} as const;

const CSV = {
  items: 'code,name,description\nRC-1,"Bolt ""M8""",ñandú\nRC-2,,\nRC-3,Washer,=1+1\n,No code,\n',
  imputations: 'PO,amount\nPO-00001,10.50\nPO-00002,3\n',
} as const;

async function staged(world: World, kind: keyof typeof KINDS): Promise<string> {
  await world.file('rows.csv', CSV[kind]);
  const { run } = await done(world, [...KINDS[kind], '--stage'], kind === 'items' ? 8 : 0);
  return run;
}

async function exported(world: World, run: string, file: string): Promise<string> {
  const path = join(world.folder, file);
  const ran = await world.run(['imports', 'export', run, '--out', path]);
  expect(ran, ran.stderr).toMatchObject({ exitCode: 0, stdout: '' });
  return path;
}

describe('a staged run on another machine', () => {
  it.each(['items', 'imputations'] as const)(
    'is shown, approved and sent back: %s',
    async (kind) => {
      await using own = await loggedSandbox();
      await using alice = await machineOf('alice', own, people.file('bob', ['bob', 'alice']));
      await using bob = await machineOf('bob', own);
      const run = await staged(alice, kind);
      const before = await done(alice, ['imports', 'show', run]);
      const there = await exported(alice, run, 'there.ndjson');

      const dry = await done(bob, ['imports', 'receive', there, '--dry-run']);
      expect(dry).toMatchObject({ dryRun: true, run, digest: before.digest });
      expect(await done(bob, ['imports', 'list'])).toEqual([]);
      expect(await done(bob, ['imports', 'receive', there])).toMatchObject({
        ...{ run, received: true, from: hostname(), approvals: 0, added: 0 },
        digest: before.digest,
      });
      const { hash, mapping, choices, rows, pending, rejected, approvals } = before;
      expect(await done(bob, ['imports', 'show', run])).toMatchObject({
        ...{ hash, mapping, choices, rows, pending, rejected, approvals },
        ...{ state: 'staged', receivedFrom: hostname(), digest: before.digest },
      });
      expect(await done(bob, ['imports', 'rows', run])).toEqual(
        await done(alice, ['imports', 'rows', run]),
      );
      expect((await done(bob, ['imports', 'show', run])).next).toBe(
        `proc imports approve ${run} --key FILE`,
      );
      await done(bob, ['imports', 'approve', run, '--key', people.key('bob'), '--yes']);
      expect((await done(bob, ['imports', 'show', run])).next).toBe(
        `proc imports export ${run} --out FILE`,
      );
      const back = await exported(bob, run, 'back.ndjson');

      expect(await done(alice, ['imports', 'receive', back])).toMatchObject({
        ...{ run, received: false, approvals: 1, added: 1 },
      });
      expect(await done(alice, ['imports', 'receive', back])).toMatchObject({ added: 0 });
      const writes = kind === 'items' ? 2 : 2;
      const sent = await done(alice, ['imports', 'send', run, '--yes'], kind === 'items' ? 8 : 0);
      expect(sent).toMatchObject({ created: writes });
      expect(own.writes()).toHaveLength(writes);
      expect(await done(alice, ['imports', 'receive', back])).toMatchObject({ added: 0 });
      const late = await refused(alice, ['imports', 'export', run], 2);
      expect(late.message).toBe(`${run} has begun to send, so it cannot be exported`);
    },
  );

  it('is not sent by the machine that received it, unless a person says so', async () => {
    await using own = await loggedSandbox();
    await using alice = await machineOf('alice', own);
    await using carol = await machineOf('alice', own);
    const run = await staged(alice, 'items');
    const file = await exported(alice, run, 'run.ndjson');
    await done(carol, ['imports', 'receive', file]);
    const error = await refused(carol, ['imports', 'send', run, '--yes'], 2);
    expect(error).toMatchObject({ code: 'repeated_write' });
    expect(error.message).toContain(`was staged on ${hostname()}: if both machines send it`);
    expect(own.writes()).toEqual([]);
    const sent = await done(carol, ['imports', 'send', run, '--yes', '--again'], 8);
    expect(sent).toMatchObject({ created: 2 });
    // Alice's proc finds in the list what the other machine has sent.
    expect(await done(alice, ['imports', 'send', run, '--yes'], 8)).toMatchObject({
      created: 0,
      existing: 2,
    });
    expect(own.writes()).toHaveLength(2);
  });

  it('is refused if this machine has another plan under the same name, or has sent and discarded the run', async () => {
    await using alice = await machineOf('alice', sandbox);
    await using bob = await machineOf('bob', sandbox);
    const run = await staged(alice, 'imputations');
    const file = await exported(alice, run, 'run.ndjson');
    await done(bob, ['imports', 'receive', file]);
    const database = new DatabaseSync(`${bob.stateDir}/imports/${run}.db`);
    database.exec("UPDATE records SET body = replace(body, '10.5', '99.5')");
    database.close();
    expect(await refused(bob, ['imports', 'receive', file], 2)).toMatchObject({
      code: 'plan_changed',
    });
    await done(alice, ['imports', 'send', run, '--yes']);
    await done(alice, ['imports', 'discard', run, '--yes']);
    const again = await refused(alice, ['imports', 'receive', file], 2);
    expect(again.message).toBe(`${run} was sent from this machine and discarded`);
  });
});

describe('receive accepts what export writes', () => {
  let alice: World & AsyncDisposable;
  let bob: World & AsyncDisposable;
  beforeAll(async () => {
    alice = await machineOf('alice', sandbox);
    bob = await machineOf('bob', sandbox);
    for (const folder of ['data', 'a b', '..up']) await mkdir(join(alice.cwd, folder));
  });
  afterAll(async () => {
    await alice[Symbol.asyncDispose]();
    await bob[Symbol.asyncDispose]();
  });

  it.each([
    ['data/s.csv'],
    ['./a.csv'],
    ['../a.csv'],
    ['ABSOLUTE/a.csv'],
    ['data/../data/./b.csv'],
    ['./-g.csv'],
    ['a b/c d.csv'],
    ['..up/..'.concat('.csv')],
    ['back\\slash.csv'],
    ['quo"te\'s.csv'],
    ['new\nline\ttab.csv'],
    ['$(touch x);`y`|.csv'],
    ['ñandú 日本 🚀.csv'],
    ['e\u0301.csv'],
    ['\u202Egpj.csv'],
    ['__proto__.csv'],
    ['C:rows.csv'],
    ['-'],
  ])('from a source named %j', async (typed) => {
    const name = typed.replace('ABSOLUTE', alice.cwd);
    const input = `code,name\nN-${Buffer.from(typed).toString('hex').slice(0, 40)},Bolt\n`;
    if (typed !== '-') await writeFile(resolve(alice.cwd, name), input);
    const args = ['items', 'import', name, '--map', 'code=code', '--map', 'name=name', '--stage'];
    const ran = await alice.run(args, { input });
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    const { run, digest } = JSON.parse(ran.stdout);
    const file = await exported(alice, run, 'named.ndjson');
    const source = typed === '-' ? 'standard input' : name;
    // The receiving machine has a file with the same name, which must not matter.
    if (!/[/]/.test(source)) await bob.file(source, 'other');
    expect(await done(bob, ['imports', 'receive', file])).toMatchObject({
      received: true,
      source,
      digest,
    });
    await done(bob, ['imports', 'approve', run, '--key', people.key('bob'), '--yes']);
    const back = await exported(bob, run, 'back.ndjson');
    expect(await done(alice, ['imports', 'receive', back])).toMatchObject({ added: 1, digest });
    await done(bob, ['imports', 'report', run, '-o', 'json']);
    await done(bob, ['imports', 'discard', run, '--yes']);
    if (!/[/]/.test(source)) expect(await readFile(join(bob.cwd, source), 'utf8')).toBe('other');
    await done(alice, ['imports', 'discard', run, '--yes']);
  });
});

it('receive reads standard input, and names a file that does not exist', async () => {
  await using alice = await machineOf('alice', sandbox);
  await using bob = await machineOf('bob', sandbox);
  const run = await staged(alice, 'imputations');
  const { stdout: input } = await alice.run(['imports', 'export', run]);
  for (const [more, received] of [
    [['--dry-run'], true],
    [[], true],
    [[], false],
  ] as const) {
    const ran = await bob.run(['imports', 'receive', '-', ...more], { input });
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(ran.stdout)).toMatchObject({ run, received });
  }
  const cut = await bob.run(['imports', 'receive', '-'], { input: input.slice(0, -9) });
  expect(errorOf(cut).message).toMatch(/^standard input, line \d+: /);
  expect((await refused(bob, ['imports', 'receive', 'gone.ndjson'], 2)).message).toBe(
    'cannot read gone.ndjson: the file does not exist',
  );
});

it('export does not overwrite the source', async () => {
  await using alice = await machineOf('alice', sandbox);
  const run = await staged(alice, 'imputations');
  await symlink(join(alice.cwd, 'rows.csv'), join(alice.cwd, 'link.csv'));
  for (const out of ['rows.csv', './rows.csv', 'link.csv']) {
    expect(await alice.run(['imports', 'export', run, '--out', out])).toMatchObject({
      exitCode: 2,
      stderr: `error: --out ${out} is the source of ${run}; proc has not changed it\nhint: Name another file: proc imports export ${run} --out ${run}.ndjson\n`,
    });
  }
  expect(await readFile(join(alice.cwd, 'rows.csv'), 'utf8')).toBe(CSV.imputations);
});

it('imports send names the machine that sends a received run, also without the profile of the run', async () => {
  await using alice = await machineOf('alice', sandbox);
  await using bob = await openWorld();
  const run = await staged(alice, 'imputations');
  await done(bob, ['imports', 'receive', await exported(alice, run, 'run.ndjson')]);
  for (const more of [['--yes'], ['--dry-run']]) {
    const error = await refused(bob, ['imports', 'send', run, ...more], 2);
    expect(error).toMatchObject({ code: 'repeated_write' });
    expect(error.hint).toContain(`Send it on ${hostname()}.`);
  }
});

it('a run that was received only in part says how to receive it again', async () => {
  await using alice = await machineOf('alice', sandbox);
  await using bob = await machineOf('bob', sandbox);
  const run = await staged(alice, 'imputations');
  const file = await exported(alice, run, 'it is here.ndjson');
  await done(bob, ['imports', 'receive', file]);
  const whole = await done(bob, ['imports', 'show', run]);
  // Makes the run look as if `receive` had been killed after some rows.
  const database = new DatabaseSync(`${bob.stateDir}/imports/${run}.db`);
  database.exec(`UPDATE run SET value = '"staging"' WHERE key = 'phase';
    DELETE FROM run WHERE key = 'sealed'; DELETE FROM records WHERE row = 2`);
  database.close();
  const again = `proc imports receive '${file}'`;
  expect(await done(bob, ['imports', 'list'])).toMatchObject([
    { state: 'unfinished', next: again },
  ]);
  const { steps } = await done(bob, ['imports', 'report', run, '-o', 'json']);
  expect(steps).toMatchObject([{ what: 'receive', command: again }]);
  for (const verb of [['resume'], ['send'], ['export'], ['approve', '--key', people.key('bob')]]) {
    const [name = '', ...more] = verb;
    const error = await refused(bob, ['imports', name, run, ...more, '--yes'], 2);
    expect(error).toMatchObject({
      message: `${run} was received only in part`,
      hint: `Receive it again: ${again}`,
    });
  }
  expect((await refused(bob, ['imports', 'resume', '--yes'], 2)).code).toBe('reference_not_found');
  await done(bob, ['imports', 'receive', file]);
  expect(await done(bob, ['imports', 'show', run])).toEqual(whole);
});

/** Makes a valid checksum for changed lines of an exported run. */
function resealed(lines: readonly string[]): string {
  const content = lines
    .slice(0, -2)
    .map((line) => `${line}\n`)
    .join('');
  const end = createHash('sha256').update(content).digest('hex');
  return `${content}${JSON.stringify({ end })}\n`;
}

/** Forges the digest and the checksum of an exported run, as an expert could. */
function redigested(lines: readonly string[]): string {
  const at = lines.findIndex((line) => line.startsWith('{"digest"'));
  const content = lines
    .slice(0, at)
    .map((line) => `${line}\n`)
    .join('');
  const digest = createHash('sha256').update(content).digest('hex');
  return resealed(lines.with(at, JSON.stringify({ digest })));
}

describe('an exported run that was changed', () => {
  let file: string;
  let text: string;
  let lines: string[];
  let run: string;
  let bob: World & AsyncDisposable;

  afterAll(() => bob[Symbol.asyncDispose]());
  beforeAll(async () => {
    await using alice = await machineOf('alice', sandbox);
    bob = await machineOf('bob', sandbox);
    run = await staged(alice, 'imputations');
    await done(alice, ['imports', 'approve', run, '--key', people.key('bob'), '--yes']);
    text = await readFile(await exported(alice, run, 'run.ndjson'), 'utf8');
    lines = text.split('\n');
    file = join(bob.folder, 'changed.ndjson');
  });

  async function receiving(content: string | Uint8Array) {
    await writeFile(file, content);
    return refused(bob, ['imports', 'receive', file], 2);
  }

  it('is refused wherever one byte differs', async () => {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += 23) {
      const changed = Buffer.from(bytes);
      changed[at] = changed[at]! ^ (at % 2 === 0 ? 1 : 0x20);
      const error = await receiving(changed);
      expect(error.message, `byte ${at}`).toMatch(/, line \d+: |ends after line|: /);
      expect(['invalid_input', 'plan_changed'], `byte ${at}`).toContain(error.code);
    }
    expect(await done(bob, ['imports', 'list'])).toEqual([]);
  });

  it('is refused even with a new checksum and digest, because the approval is for another digest', async () => {
    const header = JSON.parse(lines[0]!);
    const changes: [string, string[]][] = [
      ...['noun', 'service', 'organization', 'profile', 'environment', 'version'].map(
        (key): [string, string[]] => {
          const value = { service: 'https://example.com/api/v1', noun: 'items' }[key] ?? 'other';
          return [key, lines.with(0, JSON.stringify({ ...header, [key]: value }))];
        },
      ),
      ['mapping', lines.with(0, lines[0]!.replace('"column":"PO"', '"column":"P0"'))],
      ['choices', lines.with(0, lines[0]!.replace('"noCode":"reject"', '"noCode":"send"'))],
      ['source', lines.with(0, lines[0]!.replace(/"hash":"./, '"hash":"x'))],
      ['dialect', lines.with(0, lines[0]!.replace('"limit":"limit"', '"limit":"max"'))],
      ...Object.keys(JSON.parse(lines[1]!)).map((key): [string, string[]] => {
        const row = JSON.parse(lines[1]!);
        const value = {
          row: row.row,
          line: 77,
          state: 'rejected',
          payload: row.payload.replace('10.5', '99.5'),
        }[key as 'line'];
        return [`row ${key}`, lines.with(1, JSON.stringify({ ...row, [key]: value ?? 'other' }))];
      }),
      ...Object.keys(JSON.parse(lines[3]!)).map((key): [string, string[]] => {
        const one = JSON.parse(lines[3]!);
        const value = typeof one[key] === 'number' ? one[key] + 1 : `${one[key]} `;
        return [`reference ${key}`, lines.with(3, JSON.stringify({ ...one, [key]: value }))];
      }),
    ];
    for (const [what, changed] of changes) {
      if (changed.join('\n') === text) continue;
      const error = await receiving(redigested(changed));
      expect(error.message, what).toMatch(/approval 1 approves another |line \d: |not a reference/);
    }
    expect(await done(bob, ['imports', 'list'])).toEqual([]);
    expect(changes.filter(([, changed]) => changed.join('\n') !== text).length).toBeGreaterThan(12);
  });

  it.each<[string, () => string | Uint8Array, string]>([
    ['cut off after a line', () => `${lines.slice(0, 3).join('\n')}\n`, 'it is not complete'],
    ['cut off within a line', () => text.slice(0, text.length - 40), 'not valid JSON'],
    ['empty', () => '', 'it is not complete'],
    ['another file', () => 'code,name\nA,B\n', 'line 1: this is not an exported run'],
    [
      'a row twice',
      () => redigested(lines.toSpliced(1, 0, lines[1]!)),
      'line 3: row 1 is out of order or appears twice',
    ],
    [
      'a member twice',
      () => redigested(lines.with(1, lines[1]!.replace('{', '{"row":1,'))),
      'line 2: the line was changed: proc writes it in another form',
    ],
    [
      'an unknown member',
      () => redigested(lines.with(1, lines[1]!.replace('}', ',"x":1}'))),
      'line 2: it is not',
    ],
    [
      'a source without a name',
      () => redigested(lines.with(0, lines[0]!.replace('"name":"rows.csv"', '"name":7'))),
      'line 1: the name of the source is missing',
    ],
    [
      'a run with a path',
      () => redigested(lines.with(0, lines[0]!.replace(run, '../../etc'))),
      'is not the name of a run',
    ],
    [
      'a payload that is none',
      () => redigested(lines.with(1, JSON.stringify({ ...JSON.parse(lines[1]!), payload: '[1]' }))),
      'line 2: the payload of row 1 is not a JSON object',
    ],
    [
      'a state that is none',
      () =>
        redigested(lines.with(1, JSON.stringify({ ...JSON.parse(lines[1]!), state: 'created' }))),
      'line 2: the state of row 1 is not known',
    ],
    [
      'a line that is too long',
      () => `${lines[0]}\n${'x'.repeat(17 << 20)}`,
      'line 2: it is longer than 16 MiB',
    ],
    [
      'lines that end with CR LF',
      () => text.replaceAll('\n', '\r\n'),
      'line 1: the file was changed: its lines end with CR LF, not with LF',
    ],
    [
      'a byte order mark',
      () => `\uFEFF${text}`,
      'line 1: the file was changed: it begins with a byte order mark (BOM)',
    ],
    ['bytes that are not UTF-8', () => Buffer.from([0xff, 0xfe, 10]), 'line 1: it is not UTF-8'],
    ['more after its end', () => `${text}{"end":"x"}\n`, 'this line is unexpected'],
    [
      'a newer format',
      () => redigested(lines.with(0, lines[0]!.replace('"formatVersion":1', '"formatVersion":2'))),
      'it is from another version of proc',
    ],
  ])('is refused: %s', async (_, content, says) => {
    expect((await receiving(content())).message).toContain(says);
    expect(await done(bob, ['imports', 'list'])).toEqual([]);
  });
});
