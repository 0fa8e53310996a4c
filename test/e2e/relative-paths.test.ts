import { cp, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { binary, builtMain } from '../support/built.ts';
import { openWorld, type World } from '../support/run.ts';
import { type LoggedSandbox, loggedSandbox } from '../support/service.ts';
import { memoryStreams } from '../support/streams.ts';

const PLACE = process.cwd();

let service: LoggedSandbox;
let world: World & AsyncDisposable;
/** An empty folder. The process changes to it as soon as a command has begun. */
let elsewhere: string;

beforeAll(async () => {
  service = await loggedSandbox();
  world = await openWorld(service.target);
  elsewhere = join(world.folder, 'elsewhere');
  await mkdir(elsewhere);
  await cp(join(PLACE, 'examples'), join(world.cwd, 'examples'), { recursive: true });
  await world.file('map.json', '{"map": {"code": "SKU", "name": "Model"}}');
});
afterAll(async () => {
  process.chdir(PLACE);
  await service.close();
  await world[Symbol.asyncDispose]();
});

/** Starts a command in the folder of the world. While it runs, the process changes to another folder. */
async function ranFromHere(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const streams = memoryStreams({ stdin: '' });
  const script = process.argv[1] ?? '';
  process.argv[1] = binary();
  process.chdir(world.cwd);
  const running = builtMain(args)(args, streams, { ...world.env, ...env });
  process.chdir(elsewhere);
  process.argv[1] = script;
  const exitCode = await running;
  return { exitCode, stdout: streams.stdoutText(), stderr: streams.stderrText() };
}

describe('relative paths start from the folder in which the command started', () => {
  it.each([
    ['--file', 'items create --file examples/item.json --dry-run'],
    ['a source', 'items import examples/items.csv --dry-run'],
    ['--map-file', 'items import examples/stock.csv --map-file map.json --dry-run'],
    ['--save-map', 'items import examples/items.csv --save-map saved.json --dry-run'],
    ['--input', 'api POST /items/ --input examples/item.json --dry-run'],
    ['--out', 'sectors list --out sectors.json'],
    [
      '--rejected, --results',
      'items import examples/items.csv --yes --rejected r.csv --results all.csv',
    ],
  ])('%s', async (_, line) => {
    const ran = await ranFromHere(line.split(' '));
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect(await readdir(elsewhere)).toEqual([]);
  });

  it('PROC_CA_FILE', async () => {
    await world.file('ca.pem', 'no certificate');
    const ran = await ranFromHere(['sectors', 'list'], { PROC_CA_FILE: 'ca.pem' });
    expect(ran.stderr).toContain('PROC_CA_FILE ca.pem');
    expect(ran.stderr).not.toContain('ENOENT');
  });

  it('PROC_CONFIG_DIR and PROC_STATE_DIR', async () => {
    const own = { PROC_CONFIG_DIR: 'own-config', PROC_STATE_DIR: 'own-state' };
    await ranFromHere(['items', 'create', '--name', 'Bolt', '--yes'], own);
    expect(await readdir(world.cwd)).toContain('own-state');
    expect(await readdir(elsewhere)).toEqual([]);
  });
});
