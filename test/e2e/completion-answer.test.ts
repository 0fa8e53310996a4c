import { existsSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { kebab } from '../../src/core/wording.ts';
import { loadTree } from '../../src/registry.ts';
import { always, http, startHostile, targetOf } from '../support/hostile-service.ts';
import { assumeFirstRuns, runHere } from '../support/in-process.ts';
import { freshWorld, ROOT, type World } from '../support/run.ts';

assumeFirstRuns();

async function asked(world: Pick<World, 'env'>, ...argv: readonly string[]): Promise<string[]> {
  const ran = await runHere(['__complete', ...argv], world.env);
  expect([ran.exitCode, ran.stderr]).toEqual([0, '']);
  return ran.stdout.split('\n').slice(0, -1);
}

/** Candidates as fish receives them: value, tab, description. */
async function answers(world: Pick<World, 'env'>, line: string): Promise<readonly string[]> {
  return asked(world, 'fish', ...line.split(' '));
}

async function withConfig(config: string): Promise<World> {
  const world = await freshWorld();
  await mkdir(world.configDir, { recursive: true });
  await writeFile(join(world.configDir, 'config.json'), config, { mode: 0o600 });
  return world;
}

const SERVICE = { baseUrl: 'http://127.0.0.1:1/api/v1' };
const CONFIG = JSON.stringify({
  profile: 'acme',
  profiles: {
    acme: { environments: { staging: SERVICE, production: SERVICE } },
    'beta.org': { environments: { local: SERVICE } },
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
    ['-p acme --output json orders li', ['list']],
    ['--dry-run orders ', ['list', 'get', 'wait', 'changes', 'summary']],
    ['orders list --dir ', ['asc', 'desc']],
    ['orders list --dir=', ['--dir=asc', '--dir=desc']],
    ['orders list --all --dir=d', ['--dir=desc']],
    ['orders list -o ', ['table', 'json', 'ndjson', 'csv', 'xlsx', 'id']],
    ['requisitions item ', ['add', 'list', 'remove']],
    ['completion ', ['bash', 'zsh', 'fish', 'powershell']],
    ['help ', expect.arrayContaining(['orders', 'items'])],
    ['help orders ', ['list', 'get', 'wait', 'changes', 'summary']],
    ['--ver', ['--version', '--verbose']],
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
});

describe('look-ups of completion', () => {
  it('have profiles, and the environments of the selected one', async () => {
    const world = await withConfig(CONFIG);
    expect(await values(world, '-p ')).toEqual(['acme', 'beta.org']);
    expect(await values(world, '-e ')).toEqual(['staging', 'production']);
    expect(await values(world, '-p beta.org -e ')).toEqual(['local']);
    const env = { ...world.env, PROC_PROFILE: 'beta.org' };
    expect(await values({ env }, '-e ')).toEqual(['local']);
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
  it('is a candidate a line, with its description; bash gets the rest of the word', async () => {
    const world = await freshWorld();
    const dir = ['--dir=asc\t', '--dir=desc\t'];
    expect(await asked(world, 'zsh', 'orders', 'list', '--dir=')).toEqual(dir);
    expect(await asked(world, 'powershell', 'orders', 'list', '=--dir=')).toEqual(dir);
    expect(await asked(world, 'bash', 'proc orders list --dir=d')).toEqual(['desc']);
    expect(await asked(world, 'bash', 'proc  orders su')).toEqual(['summary']);
    expect(await asked(world, 'fish', 'orders', 'su')).toEqual([
      'summary\tTotal orders by status, currency or month',
    ]);
    expect(await asked(world, 'bash', 'proc items import ')).toEqual([]);
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
