import { describe, expect, it } from 'vitest';
import { http, startHostile } from '../support/hostile-service.ts';
import { assumeFirstRuns } from '../support/in-process.ts';
import { startPty } from '../support/pty.ts';
import { errorOf, freshWorld, type World } from '../support/run.ts';

assumeFirstRuns();

/** The service answers creates with 500 until it is repaired, then with 201. */
async function lossyService() {
  const sent: string[] = [];
  let isBroken = true;
  const service = await startHostile((socket, { body }) => {
    const { reference } = JSON.parse(body);
    sent.push(reference);
    socket.write(isBroken ? http(500, '{}') : http(201, JSON.stringify({ id: `im-${reference}` })));
  });
  return {
    sent,
    mend() {
      isBroken = false;
    },
    target: { PROC_BASE_URL: service.baseUrl, PROC_API_KEY: 'k' },
    [Symbol.asyncDispose]: () => service.close(),
  };
}

const ROWS = 'A,1\nB,2\nC,3\n';
const skip = (file: string) => [
  'imputations',
  'import',
  file,
  '--set',
  'contractId=k-1',
  '--yes',
  '--on-sent',
  'skip',
];

async function imported(world: World, file: string, rows: string): Promise<string> {
  await world.file(file, `reference,amount\n${rows}`);
  const ran = await world.run(skip(file));
  expect(ran.exitCode, ran.stderr).toBe(9);
  return JSON.parse(ran.stdout).run;
}

/**
 * Run A leaves three rows unconfirmed. In run B, the first is adopted, the second dropped, the third resent.
 */
async function answeredInB(world: World, service: Awaited<ReturnType<typeof lossyService>>) {
  const a = await imported(world, 'a.csv', ROWS);
  service.mend();
  const b = await imported(world, 'b.csv', `${ROWS}D,4\n`);
  expect(service.sent).toEqual(expect.arrayContaining(['A', 'B', 'C', 'D']));
  await world.run(['imports', 'resolve', b, '1', '--adopt', 'im-7']);
  await world.run(['imports', 'resolve', b, '2', '--drop']);
  await world.run(['imports', 'resolve', b, '3', '--resend']);
  const resumed = await world.run(['imports', 'resume', b]);
  expect(resumed, resumed.stderr).toMatchObject({ exitCode: 0 });
  expect(JSON.parse(resumed.stdout)).toMatchObject({ created: 3, dropped: 1, unconfirmed: 0 });
  expect(service.sent.sort()).toEqual(['A', 'B', 'C', 'C', 'D']);
  return { a, b };
}

describe('unconfirmed rows with an outcome in a later run', () => {
  it.each([
    ['resolve', ['--resend', '--all', '--yes']],
    ['resume', []],
  ])('are inherited by %s of the earlier one, and not sent again', async (verb, flags) => {
    await using service = await lossyService();
    const world = await freshWorld(service.target);
    const { a, b } = await answeredInB(world, service);
    const done = await world.run(['imports', verb, a, ...flags]);
    expect(done, done.stderr).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(done.stdout)).toMatchObject({ created: 2, dropped: 1, pending: 0 });
    expect(done.stderr).toContain(`3 unconfirmed rows were resolved in run ${b}`);
    expect((await world.run(['imports', 'resume', a])).exitCode).toBe(0);
    expect(service.sent).toHaveLength(5);
  });

  it('are not sent again by the later run if the earlier run resends them', async () => {
    await using service = await lossyService();
    const world = await freshWorld(service.target);
    const a = await imported(world, 'a.csv', 'A,1\n');
    service.mend();
    const b = await imported(world, 'b.csv', 'A,1\nD,4\n');
    await world.run(['imports', 'resolve', b, '1', '--resend']);
    await world.run(['imports', 'resolve', a, '--resend', '--all', '--yes']);
    expect((await world.run(['imports', 'resume', a])).exitCode).toBe(0);
    const late = await world.run(['imports', 'resume', b]);
    expect(late, late.stderr).toMatchObject({ exitCode: 0 });
    expect(late.stderr).toContain(`sent in the meantime by run ${a}`);
    expect(service.sent.sort()).toEqual(['A', 'A', 'D']);
  });
});

it('an outcome for an unconfirmed single command counts for that command', async () => {
  await using service = await lossyService();
  const world = await freshWorld(service.target);
  const body = await world.file('a.json', JSON.stringify({ reference: 'A', amount: 1 }));
  const single = ['imputations', 'create', '--contract', 'k-1', '--file', body, '--yes'];
  const lost = await world.run(single);
  expect(lost.exitCode, lost.stderr).toBe(9);
  service.mend();
  const run = await imported(world, 'a.csv', 'A,1\n');
  await world.run(['imports', 'resolve', run, '1', '--resend']);
  expect(await world.run(['imports', 'resume', run])).toMatchObject({ exitCode: 0 });
  expect(service.sent).toEqual(['A', 'A']);
  const listed = JSON.parse((await world.run(['history', 'list'])).stdout);
  expect(listed.map(({ state }: { state: string }) => state)).toContain('not-applied');
  expect(listed.map(({ state }: { state: string }) => state)).not.toContain('unknown');
});

it('a pending row is not sent if another run has sent the same in the meantime', async () => {
  const sent: string[] = [];
  let isLimited = true;
  await using service = await startHostile((socket, { body }) => {
    const { reference } = JSON.parse(body);
    if (isLimited && sent.length > 0) return void socket.write(http(401, '{}'));
    sent.push(reference);
    socket.write(http(201, JSON.stringify({ id: `im-${reference}` })));
  });
  const world = await freshWorld({ PROC_BASE_URL: service.baseUrl, PROC_API_KEY: 'k' });
  await world.file('a.csv', `reference,amount\n${ROWS}`);
  const ran = await world.run([...skip('a.csv'), 'PROC_CONCURRENCY=1']);
  expect(ran.exitCode, ran.stderr).toBe(10);
  isLimited = false;
  await world.file('b.csv', `reference,amount\n${ROWS}D,4\n`);
  expect(await world.run(skip('b.csv'))).toMatchObject({ exitCode: 0 });
  const resumed = await world.run(['imports', 'resume', JSON.parse(ran.stdout).run]);
  expect(resumed, resumed.stderr).toMatchObject({ exitCode: 0 });
  expect(JSON.parse(resumed.stdout)).toMatchObject({ created: 1, existing: 2, pending: 0 });
  expect(sent.sort()).toEqual(['A', 'B', 'C', 'D']);
  expect(
    errorOf(await world.run(['imputations', 'import', 'b.csv', '--set', 'contractId=k-1', '--yes']))
      .message,
  ).toContain('4 of 4 rows were already sent');
});

describe('a single create of a row that an import sent', () => {
  it('is refused while the row is unconfirmed, and once it is created', async () => {
    await using service = await lossyService();
    const world = await freshWorld(service.target);
    const run = await imported(world, 'a.csv', 'A,1\n');
    service.mend();
    const single = [
      'imputations',
      'create',
      '--contract',
      'k-1',
      '--reference',
      'A',
      '--amount',
      '1',
      '--yes',
    ];
    const doubtful = await world.run(single);
    expect(doubtful, doubtful.stderr).toMatchObject({ exitCode: 2, stdout: '' });
    expect(errorOf(doubtful)).toMatchObject({
      code: 'repeated_write',
      message: expect.stringContaining(`its outcome is unknown (row 1 of the import ${run})`),
      hint: expect.stringContaining(`proc imports resolve ${run} 1 --adopt ID`),
    });
    await world.run(['imports', 'resolve', run, '1', '--adopt', 'im-7']);
    const created = await world.run(single);
    expect(errorOf(created).message).toContain(`created im-7 (row 1 of the import ${run})`);
    expect(service.sent).toHaveLength(1);
    expect(await world.run([...single, '--again'])).toMatchObject({ exitCode: 0 });
    expect(service.sent).toHaveLength(2);
  });

  it('is sent if the import provably did not send it, or it was rejected', async () => {
    const sent: string[] = [];
    await using service = await startHostile((socket, { body }) => {
      sent.push(body);
      socket.write(sent.length === 1 ? http(422, '{}') : http(201, JSON.stringify({ id: 'im-1' })));
    });
    const world = await freshWorld({ PROC_BASE_URL: service.baseUrl, PROC_API_KEY: 'k' });
    await world.file('a.csv', 'reference,amount\nA,1\n');
    expect(await world.run(skip('a.csv'))).toMatchObject({ exitCode: 8 });
    const single = [
      'imputations',
      'create',
      '--contract',
      'k-1',
      '--reference',
      'A',
      '--amount',
      '1',
      '--yes',
    ];
    expect(await world.run(single)).toMatchObject({ exitCode: 0 });
    expect(sent).toHaveLength(2);
  });
});

it('runs with only unconfirmed rows are not offered for resume, and the hint names imports resolve', async () => {
  await using service = await lossyService();
  const world = await freshWorld(service.target);
  const runs = [await imported(world, 'a.csv', 'A,1\n'), await imported(world, 'b.csv', 'B,2\n')];
  const resumed = await world.run(['imports', 'resume']);
  expect(resumed, resumed.stderr).toMatchObject({ exitCode: 2, stdout: '' });
  const { message, hint, details } = errorOf(resumed);
  expect(message).toBe('there is no unfinished import, but 2 imports have unconfirmed rows');
  expect(hint).toMatch(/proc imports resolve \d{8}-\d{6}-[0-9a-f]{4}$/);
  expect((details as { candidates: string[] }).candidates.sort()).toEqual(runs.sort());

  for (const cols of [80, 180]) {
    const terminal = startPty(world, ['imports', 'list'], { cols });
    expect(await terminal.exited).toBe(0);
    for (const run of runs) expect(terminal.text()).toContain(`proc imports resolve ${run}`);
  }
});
