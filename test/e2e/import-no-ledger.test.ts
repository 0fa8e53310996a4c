import { rm } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { startSandbox } from '../../src/sandbox/server/server.ts';
import { runHere } from '../support/in-process.ts';
import { errorOf, freshWorld, type RunOptions, type World } from '../support/run.ts';

/** Each noun that the service cannot list, with a file of two rows and its table. */
const NOUNS = [
  ['imputations', 'reference,amount,contractId\nR-1,5,a\nR-2,7,a\n', 'rows.csv', 'imputations'],
  [
    'requisition',
    [1, 2]
      .map((n) => {
        const items = [{ quantity: 1, item: { name: `Bolt ${n}` } }];
        return `${JSON.stringify({ title: `R-${n}`, groups: [{ deliveryMethod: 'pickup', items }] })}\n`;
      })
      .join(''),
    'rows.ndjson',
    'requisitions',
  ],
] as const;

async function place(text: string, file: string) {
  const sandbox = await startSandbox();
  const world = await freshWorld({ PROC_BASE_URL: sandbox.baseUrl });
  await world.file(file, text);
  return Object.assign(world, { sandbox, [Symbol.asyncDispose]: () => sandbox.close() });
}

const typed = (world: World, args: readonly string[], options: RunOptions = {}) =>
  world.run(args, options);

const runsIn = async (world: World) => JSON.parse((await typed(world, ['imports', 'list'])).stdout);

describe.each(NOUNS)('%s: an empty ledger, off a terminal', (noun, text, file) => {
  it.each([[[]], [['--on-sent', 'send']]])('stops the import with no_ledger: %j', async (flags) => {
    await using world = await place(text, file);
    const ran = await typed(world, [noun, 'import', file, '--yes', ...flags]);
    const { code, exitCode, hint, details } = errorOf(ran);
    expect({ code, exitCode }).toEqual({ code: 'no_ledger', exitCode: 2 });
    // Restoring comes first; the flag only for a person who knows.
    expect(hint).toMatch(
      /^Restore the ledger: .*PROC_STATE_DIR.* Only if nothing was ever imported here, run: /,
    );
    expect(await runsIn(world)).toEqual([]);
    const { command } = details as { command: string };
    expect(hint).toContain(command);
    const first = await typed(world, command.split(' ').slice(1));
    expect(first.exitCode, first.stderr).toBe(0);
  });

  it('lets a dry run pass, which says what would happen', async () => {
    await using world = await place(text, file);
    const ran = await typed(world, [noun, 'import', file, '--dry-run']);
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(JSON.parse(ran.stdout)).toMatchObject({ create: 2 });
    expect(ran.stderr).toContain('without a terminal the import will stop');
  });

  it('does not count a single create as an entry', async () => {
    await using world = await place(text, file);
    const create =
      noun === 'imputations'
        ? ['imputations', 'create', '--reference', 'X', '--amount', '5']
        : [
            'requisition',
            'create',
            '--title',
            'X',
            '--group',
            'delivery=pickup',
            '--new-item',
            'name=a,quantity=1',
            '--yes',
          ];
    expect((await typed(world, create)).exitCode).toBe(0);
    expect(errorOf(await typed(world, [noun, 'import', file, '--yes'])).code).toBe('no_ledger');
  });

  it('--first-run is refused once the ledger has an import, also a removed one', async () => {
    await using world = await place(text, file);
    const first = [noun, 'import', file, '--yes', '--first-run'];
    expect((await typed(world, first)).exitCode).toBe(0);
    const [{ run }] = await runsIn(world);
    const again = errorOf(await typed(world, first));
    expect(again).toMatchObject({ code: 'invalid_usage', exitCode: 2 });
    expect(again.message).toContain(`the ledger has the run ${run}`);
    const { command } = again.details as { command: string };
    expect(errorOf(await typed(world, command.split(' ').slice(1))).code).toBe('repeated_write');
    await typed(world, ['imports', 'prune', '--before', '0s', '--yes']);
    expect(errorOf(await typed(world, first)).message).toContain('not the first import');
    expect(errorOf(await typed(world, [noun, 'import', file, '--yes'])).code).toBe(
      'repeated_write',
    );
  });

  it('knows another organization and another noun as empty', async () => {
    await using world = await place(text, file);
    expect((await typed(world, [noun, 'import', file, '--yes', '--first-run'])).exitCode).toBe(0);
    const other = { PROC_API_KEY: 'proc-sandbox-key-2', PROC_ORGANIZATION: 'other' };
    const foreign = await typed(world, [noun, 'import', file, '--yes'], { env: other });
    expect(errorOf(foreign).code).toBe('no_ledger');
    const [second] = NOUNS.filter(([name]) => name !== noun);
    await world.file(second![2], second![1]);
    const ran = await typed(world, [second![0], 'import', second![2], '--yes']);
    expect(errorOf(ran).code).toBe('no_ledger');
  });

  it('after the state folder is lost, nothing is sent a second time', async () => {
    await using world = await place(text, file);
    expect((await typed(world, [noun, 'import', file, '--yes', '--first-run'])).exitCode).toBe(0);
    await rm(world.stateDir, { recursive: true });
    expect(errorOf(await typed(world, [noun, 'import', file, '--yes'])).code).toBe('no_ledger');
  });

  it('at a terminal it is a warning, and the plan asks', async () => {
    await using world = await place(text, file);
    const ran = await runHere([noun, 'import', file, '--yes'], world.env, {
      terminal: true,
      cwd: world.cwd,
    });
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(ran.stderr).toContain('cannot tell which rows were sent before');
  });
});

it('items need no flag: the list shows what exists', async () => {
  await using world = await place('code,name\nA-1,One\n', 'items.csv');
  expect((await typed(world, ['items', 'import', 'items.csv', '--yes'])).exitCode).toBe(0);
  const ran = await typed(world, ['items', 'import', 'items.csv', '--yes', '--first-run']);
  expect(errorOf(ran).code).toBe('unknown_flag');
});
