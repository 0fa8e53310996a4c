import { existsSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadTree } from '../../src/cli/tree.ts';
import { kebab } from '../../src/core/text/kebab.ts';
import { always, http, startHostile, targetOf } from '../support/hostile-service.ts';
import { assumeFirstRuns, runHere } from '../support/in-process.ts';
import { freshWorld, ROOT, type World } from '../support/run.ts';

assumeFirstRuns();

async function asked(world: Pick<World, 'env'>, ...argv: readonly string[]): Promise<string[]> {
  const ran = await runHere(['__complete', ...argv], world.env);
  expect([ran.exitCode, ran.stderr]).toEqual([0, '']);
  return ran.stdout.split('\n').slice(0, -1);
}

/** Candidates as fish receives them: value, tab, description. fish selects those that match the typed text. */
async function answers(world: Pick<World, 'env'>, line: string): Promise<readonly string[]> {
  return (await asked(world, 'fish', ...line.split(' '))).slice(1);
}

async function withConfig(config: string): Promise<World> {
  const world = await freshWorld();
  await mkdir(world.configDir, { recursive: true });
  await writeFile(join(world.configDir, 'config.json'), config, { mode: 0o600 });
  return world;
}

const CONFIG = JSON.stringify({
  profile: 'acme',
  profiles: {
    acme: { environments: { staging: { baseUrl: 'http://127.0.0.1:1/api/v1' }, production: {} } },
    'beta.org': { environments: { local: {} } },
  },
});

async function values(world: Pick<World, 'env'>, line: string): Promise<readonly string[]> {
  return (await answers(world, line)).map((found) => found.split('\t')[0]!);
}

describe('the command line in completion', async () => {
  const tree = await loadTree();

  it('has every command and flag, with a description', async () => {
    const world = await freshWorld();
    expect(await values(world, '')).toEqual(tree.nouns.map(({ name }) => name));
    for (const { name, aliases, commands } of tree.nouns) {
      const alias = aliases.at(-1) ?? name;
      for (const { path, flags = {}, summary } of commands) {
        const [noun, ...verbs] = path;
        for (const [depth, verb] of verbs.entries()) {
          const typed = [alias, ...verbs.slice(0, depth), ''].join(' ');
          const doc = depth === verbs.length - 1 ? `\t${summary}` : '\t';
          expect((await answers(world, typed)).join('\n')).toContain(`${verb}${doc}`);
        }
        const offered = await values(world, [noun, ...verbs, '--'].join(' '));
        for (const key of [...Object.keys(flags), 'profile', 'verbose', 'help'])
          expect(offered).toContain(`--${kebab(key)}`);
        expect(new Set(offered).size, offered.join(' ')).toBe(offered.length);
      }
    }
  });

  it.each([
    ['orders list', ['where', 'out', 'query'], ['dry-run', 'again']],
    ['items create', ['dry-run', 'again', 'yes'], ['where']],
    ['imports list', ['where'], ['dry-run']],
  ])('offers after "%s" the flags %j, and not %j', async (line, some, none) => {
    const offered = await values(await freshWorld(), `${line} --`);
    for (const flag of some) expect(offered).toContain(`--${flag}`);
    for (const flag of none) expect(offered).not.toContain(`--${flag}`);
  });

  it.each([
    ['-p acme --output json orders li', ['list', 'get', 'wait', 'changes', 'summary']],
    ['--dry-run orders li', ['list', 'get', 'wait', 'changes', 'summary']],
    ['orders list --dir ', ['asc', 'desc']],
    ['orders list --dir=', ['--dir=asc', '--dir=desc']],
    ['orders list --all --dir=d', ['--dir=asc', '--dir=desc']],
    ['orders list -o ', ['table', 'json', 'ndjson', 'csv', 'xlsx', 'id']],
    ['requisitions item ', ['add', 'list', 'remove']],
    ['completion ', ['bash', 'zsh', 'fish', 'powershell']],
    ['help ', expect.arrayContaining(['orders', 'items'])],
    ['help orders ', ['list', 'get', 'wait', 'changes', 'summary']],
    ['help orders list --', expect.not.arrayContaining(['--dir'])],
    ['--vers', expect.arrayContaining(['--version', '--profile'])],
    // No candidates: free text, a number, too many arguments, an unknown command.
    ['orders list --limit ', []],
    ['items list extra --dir desc ', []],
    ['nosuch ', []],
    ['constructor ', []],
    ['orders list --nosuch=', []],
    ['orders -- --dir ', []],
  ])('offers candidates after "%s"', async (line, expected) => {
    expect(await values(await freshWorld(), line)).toEqual(expected);
  });

  it.each([
    ['items create --file ', 'files\t\t'],
    ['items create --file=x', 'files\t--file=\tx'],
    ['items import "a', 'files\t\ta'],
    ['orders list --out ', 'files\t\t'],
    ['orders get ', ''],
    ['orders list --limit ', ''],
  ])('knows whether a file may follow "%s"', async (line, options) => {
    const world = await freshWorld();
    expect((await asked(world, 'fish', ...line.split(' ')))[0]).toBe(options);
    expect((await asked(world, 'zsh', ...line.split(' ')))[0]!.includes('files')).toBe(
      options !== '',
    );
  });
});

describe('look-ups of completion', () => {
  it('have profiles, and the environments of the selected one', async () => {
    const world = await withConfig(CONFIG);
    expect(await answers(world, '-p ')).toEqual(['acme', 'beta.org']);
    expect(await answers(world, '-e ')).toEqual(['staging', 'production']);
    expect(await answers(world, '-p beta.org -e ')).toEqual(['local']);
  });

  it.each(['{"profiles": [', '[]', '{"profiles": 7, "profile": {}}', '{"profiles": {"a": null}}'])(
    'never fail: a configuration of %s',
    async (config) => {
      const world = await withConfig(config);
      await mkdir(world.stateDir, { recursive: true });
      for (const file of ['ledger.db']) {
        await writeFile(join(world.stateDir, file), '{"broken');
      }
      for (const line of [
        '-p ',
        '-e ',
        'orders get ',
        'history show ',
        'addresses get ',
        'nosuch ',
      ]) {
        await answers(world, `-p a ${line}`);
      }
      for (const argv of [[], ['bash'], ['zsh'], ['fish'], ['powershell'], ['nosuch', '--']]) {
        await asked(world, ...argv);
      }
    },
  );

  it('make no connection and write no file', async () => {
    await using service = await startHostile(always(http(200, '[]')));
    const world = await freshWorld(targetOf(service));
    for (const line of ['orders get ', 'addresses get ', 'history show ', 'imports show ']) {
      await answers(world, line);
    }
    expect([service.connections(), existsSync(world.stateDir)]).toEqual([0, false]);
  });

  it('run no credential command', async () => {
    const folder = (await freshWorld()).folder;
    const argv = ['touch', join(folder, 'ran')];
    const credentialCommand = { argv, origin: 'http://127.0.0.1:1' };
    const environments = { test: { baseUrl: 'http://127.0.0.1:1/api/v1', credentialCommand } };
    const world = await withConfig(JSON.stringify({ profiles: { acme: { environments } } }));
    await answers(world, '-p acme orders get ');
    expect(existsSync(join(folder, 'ran'))).toBe(false);
  });
});

describe('the answer to each shell', () => {
  it('zsh: the text to insert and the text to show', async () => {
    const world = await freshWorld();
    const [options, ...lines] = await asked(world, 'zsh', 'orders', 'list', '--dir=');
    expect([options, lines]).toEqual(['joined', ['asc\tasc', 'desc\tdesc']]);
    expect(await asked(world, 'zsh', 'orders', '')).toEqual([
      'list',
      'list\tlist     -- List purchase orders',
      'get\tget      -- Show orders by code or id',
      'wait\twait     -- Wait until orders meet conditions',
      'changes\tchanges  -- Show new and changed orders since a snapshot',
      'summary\tsummary  -- Total orders by status, currency or month',
    ]);
  });

  it('PowerShell: the text to insert, quoted if needed, the text to show, and a tool tip', async () => {
    const world = await withConfig(JSON.stringify({ profiles: { "it's": {}, 'a b': {} } }));
    expect(await asked(world, 'powershell', '-p', '=')).toEqual([
      '',
      "'it''s'\tit's\tit's",
      "'a b'\ta b\ta b",
    ]);
    expect(await asked(world, 'powershell', 'orders', 'list', '=--dir=d')).toEqual([
      '',
      '--dir=desc\tdesc\tdesc',
    ]);
  });

  it.each([
    ['bash', 'proc.bash'],
    ['zsh', '_proc'],
    ['fish', 'proc.fish'],
    ['powershell', 'proc.ps1'],
  ])('%s: the script equals the one in completions/', async (shell, file) => {
    const { stdout, exitCode } = await runHere(['completion', shell], (await freshWorld()).env);
    expect(exitCode).toBe(0);
    expect(stdout).toBe(readFileSync(join(ROOT, 'completions', file), 'utf8'));
  });
});
