import { describe, expect, it } from 'vitest';
import { errorOf, freshWorld, type World } from '../support/run.ts';
import { loggedSandbox } from '../support/service.ts';

interface Next {
  readonly command: string;
  readonly why: string;
}

const wordsOf = (command: string): string[] =>
  command
    .match(/'[^']*'|\S+/g)!
    .map((word) => word.replace(/^'|'$/g, ''))
    .slice(1);

async function nextOf(world: World, words: readonly string[]): Promise<readonly Next[]> {
  const ran = await world.run([...words, '-o', 'json']);
  return JSON.parse(ran.stdout).next;
}

describe('next', () => {
  it.each([
    ['items create --name Bolt --dry-run', 'items create --name Bolt -o json --yes'],
    ['items create --name Nut --dry-run -q @', 'items create --name Nut -o json --yes'],
    [
      'items import items.csv --dry-run --results plan.csv',
      'items import items.csv -o json --yes --digest ce37359133a17beab2186c704e41ddc5',
    ],
    ['sectors delete sec-3 --dry-run', 'sectors delete sec-3 -o json --yes'],
  ])('of %s is the command that does it', async (typed, meant) => {
    await using service = await loggedSandbox();
    const world = await freshWorld(service.target);
    await world.file('items.csv', 'name,code\nBolt,B-1\n');
    const next = await nextOf(world, typed.split(' '));
    expect(next).toEqual([{ command: `proc ${meant}`, why: 'Send it; --yes confirms it' }]);
    const done = await world.run(wordsOf(next[0]!.command));
    expect(done, done.stderr).toMatchObject({ exitCode: 0 });
  });
});

describe('next of a dry run', () => {
  const create = ['items', 'create', '--name', 'Bolt', '--dry-run'];

  it('on a protected target has what confirms it', async () => {
    await using service = await loggedSandbox();
    const world = await freshWorld();
    const at = ['acme', '-e', 'staging'];
    const add = ['profile', 'add', ...at, '--base-url', service.baseUrl, '--api-key-stdin'];
    await world.run(add, { input: 'proc-sandbox-key\n' });
    await world.run(['profile', 'set', ...at, 'protected=true']);
    const [next] = await nextOf(world, create);
    expect(next?.command).toBe(
      'proc items create --name Bolt -o json --yes --profile acme --env staging',
    );
    expect(await world.run(wordsOf(next!.command))).toMatchObject({ exitCode: 0 });
  });

  it('is empty if it would be refused, was done or read standard input', async () => {
    await using service = await loggedSandbox();
    const world = await freshWorld(service.target);
    const readOnly = await freshWorld({ ...service.target, PROC_READ_ONLY: '1' });
    expect(await nextOf(readOnly, create)).toEqual([]);
    const once = ['items', 'create', '--name', 'Bolt', '--once', 'k-1'];
    await world.run(once);
    expect(await nextOf(world, [...once, '--dry-run'])).toEqual([]);
    for (const words of ['items create --file -', 'api POST /items/ --input -']) {
      const typed = [...words.split(' '), '--dry-run', '-o', 'json'];
      const ran = await world.run(typed, { input: '{"name":"Bolt"}' });
      expect(JSON.parse(ran.stdout)).toMatchObject({ dryRun: true, next: [] });
    }
  });
});

describe('the exit code of a dry run', () => {
  it('is 8 if rows would be rejected; what would be created is in the output', async () => {
    await using service = await loggedSandbox();
    const world = await freshWorld(service.target);
    await world.file('items.csv', 'name,code\nBolt,B-1\n,B-2\n');
    const dry = ['items', 'import', 'items.csv', '--dry-run', '-o', 'json'];
    const checked = await world.run(dry);
    expect(JSON.parse(checked.stdout)).toMatchObject({ dryRun: true, create: 1, rejected: 1 });
    expect(errorOf(checked)).toMatchObject({
      code: 'rows_rejected',
      exitCode: 8,
      message: '1 of 2 rows would be rejected',
    });
    await world.file('items.csv', 'name,code\nBolt,B-1\n');
    expect(await world.run(dry)).toMatchObject({ exitCode: 0 });
    expect(service.writes()).toEqual([]);
  });
});
