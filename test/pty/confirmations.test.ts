import { describe, expect, it } from 'vitest';
import { startPty } from '../support/pty.ts';
import { freshWorld, type World } from '../support/run.ts';
import { startTestSandbox } from '../support/sandbox.ts';
import { startTerminal } from '../support/terminal.ts';

type Kind = 'create' | 'patch' | 'delete';

interface Situation {
  readonly name: string;
  readonly on: 'terminal' | 'pipe';
  readonly flags: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** `sent`: the command runs. `refused`: it exits 2. `y/N` and `name`: it asks for this answer. */
type Result = 'sent' | 'refused' | 'y/N' | 'name';

const COMMANDS: Readonly<Record<Kind, readonly string[]>> = {
  create: ['items', 'create', '--name', 'Bolt'],
  patch: ['sectors', 'patch', 'sec-1', '--name', 'Other'],
  delete: ['addresses', 'delete', 'adr-1'],
};

const QUESTIONS: Readonly<Record<Kind, string>> = {
  create: 'Create item "Bolt" on acme · live',
  patch: 'Change name of sector mountain-bikes "Mountain Bikes" on acme · live',
  delete: 'Delete address adr-1 "Alpine, California, United States" on acme · live',
};

const named = ['--profile', 'acme', '--env', 'live'];
const MATRIX: readonly (readonly [
  Situation,
  {
    readonly open: Readonly<Record<Kind, Result>>;
    readonly protected: Readonly<Record<Kind, Result>>;
  },
])[] = [
  [
    { name: 'terminal', on: 'terminal', flags: [] },
    {
      open: { create: 'y/N', patch: 'sent', delete: 'y/N' },
      protected: { create: 'y/N', patch: 'y/N', delete: 'name' },
    },
  ],
  [
    { name: 'terminal, --yes', on: 'terminal', flags: ['--yes', ...named] },
    {
      open: { create: 'sent', patch: 'sent', delete: 'sent' },
      protected: { create: 'sent', patch: 'sent', delete: 'name' },
    },
  ],
  [
    { name: 'terminal, --no-input', on: 'terminal', flags: ['--no-input'] },
    {
      open: { create: 'sent', patch: 'sent', delete: 'refused' },
      protected: { create: 'refused', patch: 'refused', delete: 'refused' },
    },
  ],
  [
    { name: 'pipe', on: 'pipe', flags: named },
    {
      open: { create: 'sent', patch: 'sent', delete: 'refused' },
      protected: { create: 'refused', patch: 'refused', delete: 'refused' },
    },
  ],
  [
    { name: 'pipe, --yes without an environment', on: 'pipe', flags: ['--yes'] },
    {
      open: { create: 'sent', patch: 'sent', delete: 'sent' },
      protected: { create: 'refused', patch: 'refused', delete: 'refused' },
    },
  ],
  [
    { name: 'pipe, --yes, both named', on: 'pipe', flags: ['--yes', ...named] },
    {
      open: { create: 'sent', patch: 'sent', delete: 'sent' },
      protected: { create: 'sent', patch: 'sent', delete: 'sent' },
    },
  ],
];

const CASES = MATRIX.flatMap(([situation, expected]) =>
  (['open', 'protected'] as const).flatMap((mark) =>
    (['create', 'patch', 'delete'] as const).map((kind) => ({
      situation,
      mark,
      kind,
      result: expected[mark][kind],
      name: situation.name,
    })),
  ),
);

async function acme(isProtected: boolean): Promise<{ world: World; requests: string[] }> {
  const requests: string[] = [];
  const sandbox = await startTestSandbox({
    onRequest: ({ method, path }) => requests.push(`${method} ${path}`),
  });
  const world = await freshWorld();
  const env = ['-e', 'live'];
  await succeeds(
    world.run(
      ['profile', 'add', 'acme', ...env, '--base-url', sandbox.baseUrl, '--api-key-stdin'],
      { input: 'proc-sandbox-key\n' },
    ),
  );
  await succeeds(world.run(['profile', 'set', 'acme', ...env, `protected=${isProtected}`]));
  await succeeds(world.run(['profile', 'use', 'acme']));
  return { world, requests };
}

async function succeeds(run: ReturnType<World['run']>): Promise<void> {
  const { exitCode, stderr } = await run;
  expect(exitCode, stderr).toBe(0);
}

const isWrite = (line: string) => !line.startsWith('GET');

describe('on a terminal', () => {
  const cases = CASES.filter(({ situation }) => situation.on === 'terminal');

  it.each(cases)('$name: $kind, $mark: $result', async ({ situation, mark, kind, result }) => {
    const { world, requests } = await acme(mark === 'protected');
    const { env = {}, flags } = situation;
    const pty = startTerminal(world, [...COMMANDS[kind], ...flags], { env, cols: 120 });
    if (result === 'y/N') {
      await pty.waitFor(`${QUESTIONS[kind]}?`);
      expect(requests.filter(isWrite)).toEqual([]);
      pty.type('y\r');
    } else if (result === 'name') {
      await pty.waitFor(`${QUESTIONS[kind]}. Type acme to confirm:`);
      expect(requests.filter(isWrite)).toEqual([]);
      pty.type('acme\r');
    }
    expect(await pty.exited, pty.text()).toBe(result === 'refused' ? 2 : 0);
    expect(requests.filter(isWrite)).toHaveLength(result === 'refused' ? 0 : 1);
    if (result === 'refused') expect(requests).toEqual([]);
    else expect(pty.text().includes('▸ acme · live')).toBe(mark === 'protected');
    const isAsked = result === 'y/N' || result === 'name';
    expect(pty.text().includes(QUESTIONS[kind])).toBe(isAsked);
    expect(pty.text().includes('Nothing can undo this.')).toBe(isAsked && kind !== 'patch');
  });

  it.each([
    ['create', 'n\r'],
    ['create', '\r'],
    ['patch', 'n\r'],
    ['delete', 'yes\r'],
    ['delete', 'live\r'],
    ['delete', '\r'],
  ] as const)('%s, protected, answered %j: nothing is sent', async (kind, keys) => {
    const { world, requests } = await acme(true);
    const pty = startTerminal(world, COMMANDS[kind], { cols: 120 });
    await pty.waitFor(QUESTIONS[kind]);
    pty.type(keys);
    expect(await pty.exited, pty.text()).toBe(2);
    expect(pty.text()).toContain('Nothing was sent.');
    expect(pty.text()).not.toContain('error:');
    expect(requests.filter(isWrite)).toEqual([]);
    const { stdout } = await world.run(['history', 'list']);
    expect(JSON.parse(stdout)).toEqual([]);
  });

  it('keys typed before a question appears never answer it', async () => {
    const { world, requests } = await acme(false);
    // A shell that is busy first, as a terminal where a person types ahead.
    const pty = startPty(world, [], {
      cols: 120,
      shell: 'echo ready; sleep 1; "$NODE" "$PROC" addresses delete adr-1; echo "exit $?"',
    });
    await pty.waitFor('ready');
    pty.type('y\ry\ry');
    await pty.waitFor('Delete address adr-1');
    pty.type('n\r');
    expect(await pty.exited).toBe(0);
    expect(pty.text()).toContain('Nothing was sent.');
    expect(pty.text()).toContain('exit 2');
    expect(requests.filter(isWrite)).toEqual([]);
  });

  it('shows what is deleted before it asks', async () => {
    const { world } = await acme(true);
    const pty = startTerminal(world, COMMANDS.delete, { cols: 120 });
    await pty.waitFor('FORMATTED ADDRESS');
    await pty.waitFor('Type acme to confirm:');
    pty.type('acme\r');
    expect(await pty.exited).toBe(0);
  });

  it('of several deletes, says what was done before a no', async () => {
    const { world, requests } = await acme(false);
    const pty = startTerminal(world, ['addresses', 'delete', 'adr-1', 'adr-2', 'adr-3'], {
      cols: 120,
    });
    await pty.waitFor('Delete address adr-1');
    pty.type('y\r');
    await pty.waitFor('Delete address adr-2');
    pty.type('n\r');
    expect(await pty.exited, pty.text()).toBe(10);
    expect(pty.text()).toContain('1 of 3 done');
    expect(requests.filter(isWrite)).toEqual([expect.stringMatching(/DELETE .*adr-1$/)]);
  });

  it('shows what changes before it asks', async () => {
    const { world } = await acme(true);
    const pty = startTerminal(world, COMMANDS.patch, { cols: 120 });
    await pty.waitFor(' → Other');
    await pty.waitFor(`${QUESTIONS.patch}?`);
    pty.type('y\r');
    expect(await pty.exited).toBe(0);
  });
});

describe('in a pipe', () => {
  const cases = CASES.filter(({ situation }) => situation.on === 'pipe');

  it.each(cases)('$name: $kind, $mark: $result', async ({ situation, mark, kind, result }) => {
    const { world, requests } = await acme(mark === 'protected');
    const { env = {}, flags } = situation;
    const ran = await world.run([...COMMANDS[kind], ...flags], { env });
    expect(ran.exitCode, ran.stderr).toBe(result === 'refused' ? 2 : 0);
    if (result === 'refused') {
      expect(ran.stderr).toContain('confirmation_required');
      expect(requests).toEqual([]);
    } else {
      expect(requests.filter(isWrite)).toHaveLength(1);
    }
  });

  it('names the missing flags, and they work', async () => {
    const { world, requests } = await acme(true);
    const first = await world.run(COMMANDS.create);
    const { hint } = JSON.parse(first.stderr.split('\n').at(-2)!).error as { hint: string };
    const [, flags, command] = /^Add (.*): proc (.*)$/.exec(hint)!;
    expect(flags).toBe('--yes --profile acme --env live');
    const second = await world.shell(`"$NODE" "$PROC" ${command}`);
    expect(second.exitCode, second.stderr).toBe(0);
    expect(requests.filter(isWrite)).toHaveLength(1);
  });
});
