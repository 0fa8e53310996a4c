import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { completionScripts } from '../../src/completion/scripts.ts';
import { keepSeen } from '../../src/completion/seen.ts';
import { scopeIn } from '../../src/completion/target.ts';
import { runHere } from '../support/in-process.ts';
import { isInstalled } from '../support/installed.ts';
import { freshWorld, type World } from '../support/run.ts';
import { startTestSandbox } from '../support/sandbox.ts';
import { type ShellName, startShell } from '../support/shell.ts';

const scripts = await completionScripts();

async function inUse(): Promise<World> {
  const sandbox = await startTestSandbox();
  const world = await freshWorld();
  await mkdir(world.configDir, { recursive: true, mode: 0o700 });
  const environment = { baseUrl: sandbox.baseUrl };
  const config = {
    profiles: {
      acme: {
        environments: { test: environment, staging: environment },
        defaultEnvironment: 'test',
      },
    },
  };
  await writeFile(join(world.configDir, 'config.json'), JSON.stringify(config), { mode: 0o600 });
  const env = { ...world.env, PROC_BASE_URL: sandbox.baseUrl };
  await runHere(['orders', 'list', '--limit', '1'], env, { terminal: true });
  await runHere(['items', 'create', '--name', 'Bolt'], env);
  await world.file('item.json', '{}');
  await mkdir(join(world.cwd, 'sub'));
  await world.file('sub/my item.json', '{}');
  return { ...world, env };
}

const CREATE = ['requisition', 'create'];

/** The typed text (`\t` is the Tab key), and the resulting words. */
const LINES: ReadonlyArray<readonly [string, readonly string[]]> = [
  ['proc ord\tli\t--so\tco\t', ['orders', 'list', '--sort', 'code']],
  ['proc orders ls --so\tco\t', ['orders', 'ls', '--sort', 'code']],
  ['proc requisitions gr\tad\t', ['requisitions', 'group', 'add']],
  ['proc -p ac\tit\tli\t', ['-p', 'acme', 'items', 'list']],
  ['proc -p acme -e st\t', ['-p', 'acme', '-e', 'staging']],
  ['proc orders list --dir=de\t', ['orders', 'list', '--dir=desc']],
  ['proc -o js\t', ['-o', 'json']],
  ['proc orders get PO\t', ['orders', 'get', 'PO-00001']],
  ['proc orders get po-7 PO\t', ['orders', 'get', 'po-7', 'PO-00001']],
  ['proc items create --file it\t', ['items', 'create', '--file', 'item.json']],
  ['proc items create --file=it\t', ['items', 'create', '--file=item.json']],
  ['proc items create --file sub/\t', ['items', 'create', '--file', 'sub/my item.json']],
  ['proc items create --file "sub/my\t', ['items', 'create', '--file', 'sub/my item.json']],
  ['proc help orders su\t', ['help', 'orders', 'summary']],
  ['proc api GET /or\t', ['api', 'GET', '/orders/']],
  ['proc api PATCH /se\t', ['api', 'PATCH', '/sectors/{id}']],
  ['proc completion po\t', ['completion', 'powershell']],
  ['proc api PO\t', ['api', 'POST']],
  ['proc config get ba\t', ['config', 'get', 'base-url']],
  ['proc config set ou\tjs\t', ['config', 'set', 'output', 'json']],
  ['proc config set profile ac\t', ['config', 'set', 'profile', 'acme']],
  ['proc config unset la\t', ['config', 'unset', 'lang']],
  ['proc profile set acme pro\tt\t', ['profile', 'set', 'acme', 'protected=true']],
  ['proc requisition create --group de\tpi\t', [...CREATE, '--group', 'delivery=pickup']],
  ['proc requisition create --group=de\tpi\t', [...CREATE, '--group=delivery=pickup']],
  [
    'proc requisition create --group name=Plant,del\tde\t',
    [...CREATE, '--group', 'name=Plant,delivery=delivery'],
  ],
  ['proc requisition wizard --from la\t', [...CREATE, '--from', 'last']],
  ['proc requisition wizard --from it\t', [...CREATE, '--from', 'item.json']],
  ['proc requisition wizard --from=it\t', [...CREATE, '--from=item.json']],
  ['proc "ord\t li\t', ['orders', 'list']],
];

const shells: readonly ShellName[] = ['bash', 'zsh', 'fish'];

describe.each(shells.filter(isInstalled))('completion in %s', (shell) => {
  it('completes commands, flags, values and names stored on this machine', async () => {
    const world = await inUse();
    const session = await startShell(shell, world, scripts[shell]);
    for (const [keys, words] of LINES) expect(await session.words(keys), keys).toEqual(words);
    const [, , id] = await session.words('proc history show h-\t');
    expect(id).toMatch(/^h-\w{6}$/);
    await session.shows('proc orders \t\t', 'summary');
  });

  it('inserts odd values unchanged, and runs nothing in them', async () => {
    const world = await inUse();
    const odd = [
      'Road bikes',
      "it's",
      'x$(touch pwned)',
      'y;touch pwned',
      'z`touch pwned`',
      'q"&*',
    ];
    const sectors = [
      ...odd.map((key) => [key, 'touch pwned']),
      ['w\u001b[31m', 'control'],
      ['ñandú', 'ñ'],
      ['k:v=w', 'split by bash'],
    ];
    const rows = sectors.map(([key, name]) => ({ key, name }));
    keepSeen(world.env, scopeIn([], world.env)!, new Map([['sectors', rows]]));
    const session = await startShell(shell, world, scripts[shell]);
    for (const key of odd) {
      const keys = `proc sectors get ${key[0]}\t`;
      expect(await session.words(keys)).toEqual(['sectors', 'get', key]);
    }
    expect(await session.words('proc sectors get ñ\t')).toEqual(['sectors', 'get', 'ñandú']);
    expect(await session.words('proc sectors get k:v=\t')).toEqual(['sectors', 'get', 'k:v=w']);
    expect(existsSync(join(world.cwd, 'pwned'))).toBe(false);
  });
});
