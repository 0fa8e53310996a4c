import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { errorOf, freshWorld, jsonLines, type Ran } from '../support/run.ts';
import { codes, type Fate, itemService, rowsOf } from './import-service.ts';

const SETTLE = ['PROC_SETTLE=200ms', '--timeout', '5s'];

function told(ran: Pick<Ran, 'stderr'>): string {
  return jsonLines(ran.stderr)
    .flatMap(({ warning, error }) => warning ?? [error?.message, error?.hint])
    .join('\n');
}

/** A service that answers 401 after `before` creates, which stops the import. */
async function locked(before: number, fate: (code: string) => Fate | undefined = () => undefined) {
  const state = { isLocked: true };
  const service = await itemService((code, nth) =>
    state.isLocked && nth > before ? { status: 401 } : fate(code),
  );
  const here = await freshWorld(service.target);
  return { here, service, state, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
}

describe('imports resume', () => {
  it('accepts --results and --rejected, also for a finished run', async () => {
    await using world = await locked(5, (code) =>
      code === 'X-0007' ? { status: 422, body: { message: 'no' } } : undefined,
    );
    const { here, state } = world;
    await here.file('rows.csv', rowsOf(codes(12)));
    await here.run(['items', 'import', 'rows.csv', '--yes', 'PROC_CONCURRENCY=1']);
    state.isLocked = false;
    const files = ['--results', 'told.ndjson', '--rejected', 'bad.csv'];
    const ran = await here.run(['imports', 'resume', ...SETTLE, ...files]);
    expect(ran.exitCode).toBe(8);
    const { run, rejectedFile, resultsFile } = JSON.parse(ran.stdout);
    expect(rejectedFile).toBe(join(here.cwd, 'bad.csv'));
    expect(resultsFile).toBe(join(here.cwd, 'told.ndjson'));
    const lines = (await readFile(resultsFile, 'utf8')).trimEnd().split('\n');
    expect(lines).toHaveLength(12);
    // Line 1 of the source is the header, so row 8 is in line 9.
    expect(lines.map((line) => JSON.parse(line))[7]).toMatchObject({
      row: 8,
      code: 'X-0007',
      id: null,
      state: 'rejected',
      name: 'Row X-0007',
      line: 9,
      reason: expect.stringContaining('no'),
    });
    expect(await readFile(rejectedFile, 'utf8')).toContain('X-0007');
    expect(JSON.parse((await here.run(['imports', 'show', run])).stdout)).toMatchObject({
      rejectedFile,
      resultsFile,
    });
    await here.run(['imports', 'resume', run, '--results', 'later.csv', '--rejected', 'again.csv']);
    expect(await readFile(join(here.cwd, 'later.csv'), 'utf8')).toContain(
      'created,X-0011,Row X-0011,i-11',
    );
    expect(await readFile(join(here.cwd, 'again.csv'), 'utf8')).toContain('X-0007');
  });

  it('with --dry-run sends nothing and shows what it would do', async () => {
    await using world = await locked(5);
    const { here, service, state } = world;
    await here.file('rows.csv', rowsOf(codes(12)));
    await here.run(['items', 'import', 'rows.csv', '--yes', 'PROC_CONCURRENCY=1']);
    state.isLocked = false;
    const requests = service.requests.length;
    const creates = service.creates();
    for (const flags of [[]]) {
      const ran = await here.run(['imports', 'resume', '--dry-run', ...flags]);
      expect(JSON.parse(ran.stdout)).toMatchObject({ dryRun: true, created: 5, toSend: 7 });
      if (flags.length > 0) expect(service.requests).toHaveLength(requests);
    }
    expect(service.creates()).toBe(creates);
    const resumed = await here.run(['imports', 'resume', ...SETTLE]);
    expect(JSON.parse(resumed.stdout)).toMatchObject({ created: 12 });
  });

  it('is the only hint while rows can still be looked up', async () => {
    await using world = await locked(8, (code) =>
      code === 'X-0003' ? { reset: true, stored: true } : undefined,
    );
    const { here, service, state } = world;
    await here.file('rows.csv', rowsOf(codes(12)));
    const flags = ['--yes', 'PROC_CONCURRENCY=1', 'PROC_SETTLE=1h'];
    const ran = await here.run(['items', 'import', 'rows.csv', ...flags]);
    expect(ran.exitCode).toBe(10);
    const { run, unconfirmed } = JSON.parse(ran.stdout);
    expect(unconfirmed).toBe(1);
    expect(told(ran)).toContain(
      `Resume it, to look up 1 unconfirmed row: proc imports resume ${run}`,
    );
    expect(told(ran)).not.toContain('imports resolve');
    state.isLocked = false;
    const resumed = await here.run(['imports', 'resume', ...SETTLE]);
    expect(JSON.parse(resumed.stdout)).toMatchObject({ created: 12, unconfirmed: 0 });
    expect(service.codes()).toEqual(codes(12));
  });

  it('comes before a decision about a row that can be looked up', async () => {
    await using world = await locked(2, (sent) =>
      sent === 'X-2' ? undefined : { reset: true, stored: true },
    );
    const { here, service, state } = world;
    await here.file('rows.csv', 'code,name\nX-1,Lost\nX-2,a\nX-3,b\nX-4,c\n');
    const flags = ['--yes', 'PROC_CONCURRENCY=1', 'PROC_SETTLE=1h'];
    const ran = await here.run(['items', 'import', 'rows.csv', ...flags]);
    const { run, unconfirmed } = JSON.parse(ran.stdout);
    expect(unconfirmed).toBe(1);
    for (const decision of [['--drop'], ['--resend'], ['--adopt', 'i-9']]) {
      const refused = await here.run(['imports', 'resolve', run, '1', ...decision, '--yes']);
      expect(errorOf(refused)).toMatchObject({
        code: 'invalid_usage',
        message: '1 row has not been looked up yet: 1',
        hint: `Look them up first: proc imports resume ${run}`,
      });
    }
    state.isLocked = false;
    await here.run(['imports', 'resume', ...SETTLE]);
    expect(service.items.map(({ name }) => name)).toEqual(['Lost', 'a', 'b', 'c']);
  });

  it('asks which run to resume if several are unfinished; -h and the hints lead to the page of imports resume', async () => {
    await using world = await locked(0);
    const { here } = world;
    for (const name of ['a', 'b']) {
      await here.file(`${name}.csv`, rowsOf([`${name}-1`]));
      await here.run(['items', 'import', `${name}.csv`, '--yes']);
    }
    const several = errorOf(await here.run(['imports', 'resume']));
    expect(several).toMatchObject({ code: 'ambiguous_reference', exitCode: 2 });
    expect((several.details as { candidates: string[] }).candidates).toHaveLength(2);
    expect(errorOf(await here.run(['imports', 'resume', '--nonsense'])).hint).toBe(
      'See the help: proc imports resume --help',
    );
    expect(errorOf(await here.run(['imports', 'show'])).hint).toBe(
      'To list them: proc imports list',
    );
    expect(errorOf(await here.run(['items', 'import'])).hint).toContain('proc items import --help');
    const { stdout } = await here.run(['imports', 'resume', '--help']);
    expect(stdout).toContain('\nExit codes: 0 2 3 4 5 6 7 8 9 10 11\n');
  });
});
