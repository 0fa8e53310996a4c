import { rm } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { startSandbox } from '../../src/sandbox/server.ts';
import { runHere } from '../support/in-process.ts';
import { errorOf, freshWorld, type World } from '../support/run.ts';
import { until } from '../support/until.ts';

/** Each noun that the service cannot list, with a file of two rows. */
const NOUNS = [
  ['imputations', 'reference,account,amount,contractId\nR-1,1,5,a\nR-2,1,7,a\n', 'rows.csv'],
  [
    'requisition',
    [1, 2]
      .map((n) => {
        const items = [{ quantity: 1, item: { name: `Bolt ${n}` } }];
        return `${JSON.stringify({ title: `R-${n}`, groups: [{ deliveryMethod: 'pickup', items }] })}\n`;
      })
      .join(''),
    'rows.ndjson',
  ],
] as const;

async function place(text: string, file: string) {
  const sandbox = await startSandbox();
  const world = await freshWorld({ PROC_BASE_URL: sandbox.baseUrl });
  await world.file(file, text);
  return Object.assign(world, { [Symbol.asyncDispose]: () => sandbox.close() });
}

const codeOf = async (world: World, args: readonly string[], env = {}) =>
  errorOf(await world.run(args, { env })).code;

describe.each(NOUNS)('%s: an empty ledger, off a terminal', (noun, text, file) => {
  const importing = [noun, 'import', file, '--yes'];
  const first = [...importing, '--first-run'];

  it('stops the import with no_ledger; only a person knows that it is the first one', async () => {
    await using world = await place(text, file);
    // An empty variable counts as unset.
    const ran = await world.run(importing, { env: { PROC_SANDBOX_DB: '' } });
    const { code, exitCode, hint, details } = errorOf(ran);
    expect({ code, exitCode }).toEqual({ code: 'no_ledger', exitCode: 3 });
    expect(hint).toMatch(/^Restore the ledger: .*PROC_STATE_DIR/);
    expect(JSON.parse((await world.run(['imports', 'list'])).stdout)).toEqual([]);
    const dry = await world.run([noun, 'import', file, '--dry-run']);
    expect(JSON.parse(dry.stdout), dry.stderr).toMatchObject({ create: 2, next: [] });
    // A program must not send it blindly.
    expect(details).not.toHaveProperty('command');
    const sent = await world.run(first);
    expect(sent, sent.stderr).toMatchObject({ exitCode: 0 });
    // From then on the flag is a mistake, also after the run was pruned.
    expect(await codeOf(world, first)).toBe('invalid_usage');
    await world.run(['imports', 'prune', '--before', '0s', '--yes']);
    expect(await codeOf(world, first)).toBe('invalid_usage');
    const again = await world.run(importing);
    expect(JSON.parse(again.stdout), again.stderr).toMatchObject({ created: 0, sentBefore: 2 });
  });

  it('another organization, another noun and a lost state folder are empty too', async () => {
    await using world = await place(text, file);
    expect((await world.run(first)).exitCode).toBe(0);
    const other = { PROC_API_KEY: 'proc-sandbox-key-2', PROC_ORGANIZATION: 'other' };
    expect(await codeOf(world, importing, other)).toBe('no_ledger');
    const [second] = NOUNS.filter(([name]) => name !== noun);
    await world.file(second![2], second![1]);
    expect(await codeOf(world, [second![0], 'import', second![2], '--yes'])).toBe('no_ledger');
    await rm(world.stateDir, { recursive: true });
    expect(await codeOf(world, importing)).toBe('ledger_changed');
    // Without memory, an empty ledger tells nothing.
    await rm(world.configDir, { recursive: true });
    expect(await codeOf(world, importing)).toBe('no_ledger');
  });

  it('after a kill the same command goes on, with --first-run too', async () => {
    await using world = await place(text, file);
    const slow = world.start([...first, '--rate', '1/s']);
    await until(
      async () => (await world.run(['imports', 'list', '--open', '-o', 'id'])).stdout !== '',
    );
    slow.kill('SIGKILL');
    await slow;
    const again = await world.run(first);
    expect([0, 9], again.stderr).toContain(again.exitCode);
  });

  it('at a terminal it is a warning', async () => {
    await using world = await place(text, file);
    const ran = await runHere(importing, world.env, { terminal: true, cwd: world.cwd });
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(ran.stderr).toContain('cannot tell which rows were sent before');
  });
});
