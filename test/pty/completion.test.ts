import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { completionScripts } from '../../src/completion/scripts.ts';
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

/** The typed text (`\t` is the Tab key), and the resulting words. */
const LINES: ReadonlyArray<readonly [string, readonly string[]]> = [
  ['proc ord\tli\t--di\tas\t', ['orders', 'list', '--dir', 'asc']],
  ['proc orders ls --di\tas\t', ['orders', 'ls', '--dir', 'asc']],
  ['proc requisitions gr\tad\t', ['requisitions', 'group', 'add']],
  ['proc -p ac\tit\tli\t', ['-p', 'acme', 'items', 'list']],
  ['proc -p acme -e st\t', ['-p', 'acme', '-e', 'staging']],
  ['proc orders list --dir=de\t', ['orders', 'list', '--dir=desc']],
  ['proc -o js\t', ['-o', 'json']],
  ['proc items create --file it\t', ['items', 'create', '--file', 'item.json']],
  ['proc items create --file=it\t', ['items', 'create', '--file=item.json']],
  ['proc items create --file sub/\t', ['items', 'create', '--file', 'sub/my item.json']],
  ['proc items create --file "sub/my\t', ['items', 'create', '--file', 'sub/my item.json']],
  ['proc help orders su\t', ['help', 'orders', 'summary']],
  ['proc completion po\t', ['completion', 'powershell']],
  ['proc api PO\t', ['api', 'POST']],
  ['proc "ord\t li\t', ['orders', 'list']],
];

const shells: readonly ShellName[] = ['bash', 'zsh', 'fish'];

describe.each(shells.filter(isInstalled))('completion in %s', (shell) => {
  it('completes commands, flags, values and names stored on this machine', async () => {
    const world = await inUse();
    const session = await startShell(shell, world, scripts[shell]);
    for (const [keys, words] of LINES) expect(await session.words(keys), keys).toEqual(words);
    await session.shows('proc orders \t\t', 'summary');
  });
});
