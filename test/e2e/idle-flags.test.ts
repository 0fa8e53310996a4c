import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { refuseUnfitting } from '../../src/cli/effects.ts';
import { NOUNS } from '../../src/cli/registry.ts';
import type { CommandSpec } from '../../src/core/command-spec.ts';
import type { GlobalFlags } from '../../src/core/global-flags.ts';
import { runHere } from '../support/in-process.ts';
import { errorOf, openWorld, type World } from '../support/run.ts';
import { type LoggedSandbox, loggedSandbox } from '../support/service.ts';
import { snapshot } from '../support/snapshot.ts';

const SPECS: readonly CommandSpec[] = (await Promise.all(NOUNS.map((noun) => noun.load()))).flat();

let sandbox: LoggedSandbox;
let world: World & AsyncDisposable;

beforeAll(async () => {
  sandbox = await loggedSandbox();
  world = await openWorld(sandbox.target);
});
afterAll(async () => {
  await sandbox.close();
  await world[Symbol.asyncDispose]();
});

function whole({ path, args = {}, flags = {} }: CommandSpec): string[] {
  const needed = Object.values(args).filter(({ optional }) => optional !== true);
  const required = Object.entries(flags).flatMap(([key, { required }]) =>
    required === true ? [`--${key.replace(/[A-Z]/g, (a) => `-${a.toLowerCase()}`)}=x`] : [],
  );
  return [...path, ...required, ...needed.map(() => 'x')];
}

const named = (kinds: readonly string[]) =>
  SPECS.filter(({ prints }) => kinds.includes(prints)).map(
    (spec) => [spec.path.join(' '), spec] as const,
  );

describe('an output flag without effect is refused before anything happens', () => {
  const refused = async (spec: CommandSpec, flags: readonly string[], name = flags[0]!) => {
    const before = snapshot(world.folder);
    const ran = await runHere([...flags, ...whole(spec)], world.env);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 2, stdout: '' });
    const text = ran.stderr.startsWith('{') ? errorOf(ran).message : ran.stderr;
    expect(text).toContain(`${name} has no effect on proc ${spec.path.join(' ')}`);
    expect(sandbox.requests).toEqual([]);
    expect(snapshot(world.folder)).toEqual(before);
  };

  it.each(named(['record', 'text', 'announcement', 'nothing']))('--where: %s', async (_, spec) => {
    await refused(spec, ['--where', 'a=1']);
  });

  it.each(named(['text', 'announcement', 'nothing']))('--fields, --query: %s', async (_, spec) => {
    await refused(spec, ['--fields', 'a']);
    await refused(spec, ['--query', 'a']);
  });

  it.each(named(['text', 'nothing']))('-o: %s', async (_, spec) => {
    await refused(spec, ['-o', 'ndjson'], '--output');
  });

  it.each(
    SPECS.filter(({ changes }) => changes === 'local').map(
      (spec) => [spec.path.join(' '), spec] as const,
    ),
  )('--curl: %s', async (_, spec) => {
    await refused(spec, ['--curl']);
  });

  it.each([
    [['orders', 'list', '--csv-dialect', 'excel'], '--csv-dialect has no effect on json output'],
    [['orders', 'list', '--csv-raw', '-o', 'json'], '--csv-raw has no effect on json output'],
    [['orders', 'list', '--no-headers'], '--no-headers has no effect on json output'],
    [
      ['orders', 'list', '--no-headers', '-o', 'ndjson'],
      '--no-headers has no effect on ndjson output',
    ],
    [['orders', 'list', '--no-headers', '-o', 'id'], '--no-headers has no effect on id output'],
    [
      ['orders', 'list', '--no-headers', '--out', 'o.xlsx'],
      '--no-headers has no effect on xlsx output',
    ],
    [['orders', 'list', '--fields', 'code', '-o', 'id'], '--fields has no effect on -o id'],
    [['orders', 'list', '--fields', ','], '--fields is empty'],
    [['orders', 'list', '--out', ''], '--out is empty, expected <file>'],
    [['orders', 'list', '--where', ''], '--where is empty, expected <condition>'],
    [['orders', 'list', '--offline'], '--offline works with --dry-run or --curl only'],
    [
      ['orders', 'get', 'PO-00001', '--where', 'a=1'],
      '--where applies to lists, not to a single record',
    ],
    [['sectors', 'delete', 'sec-1', '--where', 'a=1', '--yes'], '--where applies to lists'],
    [
      ['api', 'POST', '/items/', '-f', 'name=x', '--where', 'a=1'],
      '--where cannot be used with POST',
    ],
  ])('%j', async (args, message) => {
    const ran = await runHere(args, world.env);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr).toContain(message);
    expect(sandbox.requests).toEqual([]);
  });

  it('every command accepts the flags that a wrapper always passes', () => {
    const globals = {
      where: [],
      csvRaw: false,
      noHeaders: false,
      curl: false,
      offline: false,
      yes: true,
      quiet: true,
      verbose: true,
      noInput: true,
      timeoutMs: 5_000,
      retries: 1,
      color: 'never',
      profile: 'acme',
      env: 'staging',
      dryRun: true,
      again: false,
      allowUnknown: false,
    } as const satisfies GlobalFlags;
    for (const spec of SPECS) expect(() => refuseUnfitting(spec, globals)).not.toThrow();
  });
});

it.each(['rfc4180', 'excel', 'excel-es'])('--csv-dialect %s is accepted', async (dialect) => {
  const args = ['config', 'list', '-o', 'csv', '--csv-dialect', dialect];
  expect(await runHere(args, world.env)).toMatchObject({ exitCode: 0, stderr: '' });
});
