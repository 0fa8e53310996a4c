import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { http, startHostile } from '../support/hostile-service.ts';
import { assumeFirstRuns } from '../support/in-process.ts';
import { errorOf, freshWorld, jsonLines, type World } from '../support/run.ts';

assumeFirstRuns();

/** The service answers creates with 201, but with 500 if the reference begins with LOST. */
async function forgetful() {
  const sent: string[] = [];
  const service = await startHostile((socket, { body }) => {
    const { reference } = JSON.parse(body);
    sent.push(reference);
    const isLost = reference.startsWith('LOST');
    socket.write(isLost ? http(500, '{}') : http(201, JSON.stringify({ id: `im-${reference}` })));
  });
  return {
    sent,
    baseUrl: service.baseUrl,
    target: { PROC_BASE_URL: service.baseUrl, PROC_API_KEY: 'k' },
    [Symbol.asyncDispose]: () => service.close(),
  };
}

const FILE = 'reference,amount\nA,1\nLOST-1,2\nLOST-2,3\nB,4\n';

async function firstRun(world: World): Promise<string> {
  await world.file('a.csv', FILE);
  const ran = await world.run([
    'imputations',
    'import',
    'a.csv',
    '--set',
    'contractId=k-1',
    '--yes',
  ]);
  expect(ran, ran.stderr).toMatchObject({ exitCode: 9 });
  return JSON.parse(ran.stdout).run;
}

const AGAIN = ['imputations', 'import', 'a.csv', '--set', 'contractId=k-1', '--yes'];

async function warningsOf(stderr: string): Promise<string> {
  return jsonLines(stderr)
    .flatMap(({ warning, error }) => warning ?? [error?.message, error?.hint])
    .join('\n');
}

describe('unconfirmed rows of an earlier run', () => {
  it('stay unconfirmed, and can be resolved in the new run', async () => {
    await using service = await forgetful();
    const world = await freshWorld(service.target);
    const run = await firstRun(world);

    await world.file('a.csv', `${FILE}\n`);
    const refused = await world.run(AGAIN);
    expect(refused.exitCode).toBe(2);
    expect(errorOf(refused).message).toBe(
      `4 of 4 rows were already sent by run ${run}: 2 created, 2 unconfirmed; nothing was sent now`,
    );
    const dry = await world.run([...AGAIN, '--dry-run', '--on-sent', 'skip']);
    expect(JSON.parse(dry.stdout)).toMatchObject({ create: 0, existing: 2, unconfirmed: 2 });

    const skipped = await world.run([...AGAIN, '--on-sent', 'skip']);
    expect(skipped.exitCode).toBe(9);
    const summary = JSON.parse(skipped.stdout);
    expect(summary).toMatchObject({ rows: 4, created: 0, existing: 2, unconfirmed: 2 });
    expect(summary.unconfirmedRows[0].reason).toBe(
      `already sent by run ${run}, where it is unconfirmed`,
    );
    expect(await warningsOf(skipped.stderr)).toContain('2 created, 2 unconfirmed');
    expect(service.sent).toHaveLength(4);

    const adopted = await world.run(['imports', 'resolve', summary.run, '2', '--adopt', 'im-7']);
    expect(JSON.parse(adopted.stdout)).toMatchObject({ created: 1, unconfirmed: 1 });
    const resent = await world.run(['imports', 'resolve', summary.run, '3', '--resend']);
    expect(JSON.parse(resent.stdout)).toMatchObject({ pending: 1, unconfirmed: 0 });
    const resumed = await world.run(['imports', 'resume', summary.run]);
    expect(resumed.exitCode, 'the service loses its response again').toBe(9);
    expect(service.sent.filter((one) => one === 'LOST-2')).toHaveLength(2);
    expect(service.sent.filter((one) => one === 'LOST-1')).toHaveLength(1);
  });

  it('follow the outcomes recorded in the run that sent them', async () => {
    await using service = await forgetful();
    const world = await freshWorld(service.target);
    const run = await firstRun(world);
    await world.file('b.csv', `${FILE}C,5\n`);
    const skipped = await world.run([
      'imputations',
      'import',
      'b.csv',
      '--set',
      'contractId=k-1',
      '--yes',
      '--on-sent',
      'skip',
    ]);
    expect(JSON.parse(skipped.stdout)).toMatchObject({ created: 1, existing: 2, unconfirmed: 2 });
    expect(await warningsOf(skipped.stderr)).toContain(`proc imports resolve ${run}`);
    const next = JSON.parse(skipped.stdout).run;

    await world.run(['imports', 'resolve', run, '2', '--adopt', 'im-7']);
    await world.run(['imports', 'resolve', run, '3', '--drop']);
    const resumed = await world.run(['imports', 'resume', next]);
    expect(JSON.parse(resumed.stdout)).toMatchObject({
      created: 1,
      existing: 3,
      dropped: 1,
      unconfirmed: 0,
    });
    expect(resumed.exitCode).toBe(0);
    expect(service.sent).toHaveLength(5);
  });

  it('are resolved at the target that was typed, in every hint', async () => {
    await using service = await forgetful();
    const world = await freshWorld();
    const add = ['profile', 'add', 'acme', '-e', 'live', '--base-url', service.baseUrl];
    await world.run([...add, '--api-key-stdin'], { input: 'k' });
    const there = ['-p', 'acme', '-e', 'live'];
    await world.file('a.csv', FILE);
    const run = JSON.parse((await world.run([...AGAIN, ...there])).stdout).run;
    const resolve = `proc imports resolve ${run}`;

    const single = [
      'imputations',
      'create',
      '--contract',
      'k-1',
      '--reference',
      'LOST-1',
      '--amount',
      '2',
      '--yes',
    ];
    const repeated = errorOf(await world.run([...single, ...there]));
    expect(repeated.hint).toContain(`${resolve} 2 -p acme -e live --adopt ID`);
    await world.file('b.csv', `${FILE}C,5\n`);
    const skipping = [
      'imputations',
      'import',
      'b.csv',
      '--set',
      'contractId=k-1',
      '--yes',
      '--on-sent',
      'skip',
      ...there,
    ];
    const skipped = await world.run(skipping);
    expect(await warningsOf(skipped.stderr)).toContain(`Next step: ${resolve} -p acme -e live`);
  });

  it('keep their outcomes after the file of their run is lost', async () => {
    await using service = await forgetful();
    const world = await freshWorld(service.target);
    const run = await firstRun(world);
    await rm(join(world.stateDir, 'imports', `${run}.db`));
    const skipped = await world.run([...AGAIN, '--on-sent', 'skip']);
    expect(skipped.exitCode).toBe(9);
    expect(JSON.parse(skipped.stdout)).toMatchObject({ existing: 2, unconfirmed: 2 });
    expect(service.sent).toHaveLength(4);
    const [first, second] = JSON.parse((await world.run(['imports', 'list'])).stdout);
    expect([first, second]).toMatchObject([{ state: 'unconfirmed' }, { run, state: 'damaged' }]);
  });
});

/** More rows than proc looks up at once. */
const SENT = 5_600;

it('of a long file, exactly the rows that were sent before are left out, and the others keep their order', async () => {
  await using service = await forgetful();
  const world = await freshWorld(service.target);
  const rows = Array.from({ length: SENT }, (_, n) => `R-${n},${n}\n`);
  await world.file('a.csv', `reference,amount\n${rows.join('')}`);
  expect(await world.spawn([...AGAIN, '--first-run'])).toMatchObject({ exitCode: 0 });
  await world.file('a.csv', `reference,amount\nNEW-1,1\n${rows.join('')}NEW-2,2\n`);
  const refused = await world.run(AGAIN);
  expect(errorOf(refused).message).toContain(
    `${SENT} of ${SENT + 2} rows were already sent by run `,
  );
  const skipped = await world.run([...AGAIN, '--on-sent', 'skip']);
  expect(skipped, skipped.stderr).toMatchObject({ exitCode: 0 });
  expect(JSON.parse(skipped.stdout)).toMatchObject({ rows: SENT + 2, created: 2, existing: SENT });
  expect(service.sent).toHaveLength(SENT + 2);
  expect(service.sent.slice(-2).sort()).toEqual(['NEW-1', 'NEW-2']);
});
