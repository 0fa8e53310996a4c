import { cp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { beforeAll, describe, expect, it } from 'vitest';
import { commandsOf, NOUNS } from '../../src/registry.ts';
import { binary } from '../support/built.ts';
import { freshWorld, ROOT } from '../support/run.ts';

interface Packed {
  readonly size: number;
  readonly files: ReadonlyArray<{ readonly path: string }>;
}

const MOST_BYTES = 1_200_000;

/** With a cache of its own: the user may have no home. */
const npm = (cwd: string, ...words: readonly string[]) =>
  execa('npm', words, { cwd, env: { npm_config_cache: join(tmpdir(), 'npm-cache') } });

describe('the package', () => {
  let packed: Packed;
  beforeAll(async () => {
    const folder = join(tmpdir(), 'package');
    const { files } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
    for (const file of ['package.json', ...files.filter((one: string) => !one.startsWith('!'))]) {
      const from = file === 'dist' ? join(binary(), '../..') : ROOT;
      await cp(join(from, file), join(folder, file), { recursive: true });
    }
    const { stdout } = await npm(folder, 'pack', '--dry-run', '--json', '--ignore-scripts');
    const told = JSON.parse(stdout) as Packed[] | Record<string, Packed>;
    packed = Object.values(told)[0]!;
  });

  it('is at most 1.2 MB, depends on nothing and runs nothing when installed', async () => {
    expect(packed.size).toBeLessThanOrEqual(MOST_BYTES);
    const own = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
    expect(own).not.toHaveProperty('dependencies');
    // npm asks people whether these scripts may run.
    for (const script of ['preinstall', 'install', 'postinstall', 'prepare']) {
      expect(own.scripts).not.toHaveProperty(script);
    }
  });

  it('installs globally as a command', async () => {
    const folder = join(tmpdir(), 'package');
    const prefix = join(tmpdir(), 'global');
    const { stdout } = await npm(folder, 'pack', '--json', '--ignore-scripts');
    const told = Object.values(JSON.parse(stdout) as Record<string, { filename: string }>)[0]!;
    const flags = ['--global', '--offline', '--no-audit', '--no-fund', '--prefix', prefix];
    await npm(folder, 'install', ...flags, join(folder, told.filename));
    const page = await execa(join(prefix, 'bin/proc'), ['items', '--help']);
    expect(page.stdout).toContain('proc items');
  });

  it('has a README with working links', async () => {
    const held = packed.files.map(({ path }) => path);
    const text = await readFile(join(ROOT, 'README.md'), 'utf8');
    const links = [...text.matchAll(/\]\(([^)#]+)/g)].map(([, to = '']) => to);
    expect(links.filter((to) => !/^https?:/.test(to) && !held.includes(to))).toEqual([]);
  });

  it('contains the files that the examples of help name, and help says where they are', async () => {
    const specs = (await Promise.all(NOUNS.map(commandsOf))).flat();
    const named = specs
      .flatMap(({ examples }) => examples)
      .flatMap(({ run }) => run.match(/\bexamples\/[\w.-]+/g) ?? []);
    const held = packed.files.map(({ path }) => path);
    expect(named.length).toBeGreaterThan(3);
    for (const file of named) expect(held).toContain(file);
    const world = await freshWorld();
    const { stdout } = await world.run(['items', 'create', '--help']);
    expect(stdout).toMatch(/^Example files: \/.*\/examples$/m);
    expect((await world.run(['orders', 'list', '--help'])).stdout).not.toContain('examples/');
  });

  it('answers a Tab without loading commands, and prints the completion scripts of the package', async () => {
    const world = await freshWorld();
    const sizes = join(world.folder, 'sizes');
    const hook = await world.file(
      'hook.cjs',
      `process.on('exit', () => {
        const { statSync, writeFileSync } = require('node:fs');
        const loaded = Object.keys(require.cache).map((file) => statSync(file).size);
        writeFileSync(${JSON.stringify(sizes)}, String(loaded.reduce((sum, size) => sum + size)));
      });`,
    );
    const env = { NODE_OPTIONS: `--require=${hook}` };
    const { stdout } = await world.spawn(['__complete', 'fish', 'orders', 'get', ''], { env });
    expect(stdout).toBe('');
    // The size would double with commander or the client.
    expect(Number(await readFile(sizes, 'utf8'))).toBeLessThan(150_000);
    const printed = await world.spawn(['completion', 'bash']);
    expect(printed.stdout).toBe(await readFile(join(ROOT, 'completions/proc.bash'), 'utf8'));
  });

  it('contains the built program and the completion scripts', async () => {
    const held = packed.files.map(({ path }) => path);
    expect(held).toContain('dist/third-party-licenses.txt');
    for (const file of ['proc.bash', '_proc', 'proc.fish', 'proc.ps1']) {
      expect(held).toContain(`completions/${file}`);
    }
  });
});
