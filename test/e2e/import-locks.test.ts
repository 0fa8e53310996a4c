import { describe, expect, it } from 'vitest';
import { http, startHostile } from '../support/hostile-service.ts';
import { assumeFirstRuns } from '../support/in-process.ts';
import { errorOf, freshWorld } from '../support/run.ts';

assumeFirstRuns();

/** The service answers no create until it is released. `arrived` resolves at the first create. */
async function heldService() {
  const sent: string[] = [];
  const held: (() => void)[] = [];
  const arrived = Promise.withResolvers<void>();
  let isOpen = false;
  const service = await startHostile((socket, { body }) => {
    const { reference } = JSON.parse(body);
    sent.push(reference);
    const respond = () => socket.write(http(201, JSON.stringify({ id: `im-${reference}` })));
    if (isOpen) respond();
    else held.push(respond);
    arrived.resolve();
  });
  return {
    ...service,
    sent,
    arrived: arrived.promise,
    open() {
      isOpen = true;
      for (const respond of held) respond();
    },
  };
}

const FILE = 'reference,amount\nA,1\nB,2\n';
const importing = (file: string) => [
  'imputations',
  'import',
  file,
  '--set',
  'contractId=k-1',
  '--yes',
];

describe('two imports into one service at the same time', () => {
  it.each([
    ['other environments', { PROC_ENV: 'two' }, '127.0.0.1'],
    ['other spellings of the host', {}, 'localhost'],
  ])('run one after the other with %s', async (_, other, host) => {
    await using service = await heldService();
    const { port } = new URL(service.baseUrl);
    const world = await freshWorld({ PROC_API_KEY: 'k', PROC_ENV: 'one' });
    await world.file('c.csv', FILE);
    await world.file('d.csv', `${FILE}\n`);
    const env = { PROC_BASE_URL: service.baseUrl };
    const first = world.start([...importing('c.csv'), '--first-run'], { env });
    await service.arrived;
    const second = { env: { ...other, PROC_BASE_URL: service.baseUrl.replace('127.0.0.1', host) } };
    const refused = await world.run(importing('d.csv'), second);
    expect(refused, refused.stderr).toMatchObject({ exitCode: 2, stdout: '' });
    const running = JSON.parse((await world.run(['imports', 'list'])).stdout)[0].run;
    expect(errorOf(refused)).toMatchObject({
      message: `another import of imputations into ${host}:${port} is running (run ${running}, process ${first.pid})`,
      hint: expect.stringContaining('--wait-lock 5m'),
    });
    service.open();
    expect(await first).toMatchObject({ exitCode: 0 });
    const after = await world.run(importing('d.csv'), second);
    expect(errorOf(after).message).toContain('2 of 2 rows were already sent by run');
    expect(service.sent.sort()).toEqual(['A', 'B']);
  });
});

describe('the same file twice at once', () => {
  it('is reported as already running, and waits if asked to', async () => {
    await using service = await heldService();
    const world = await freshWorld({ PROC_API_KEY: 'k', PROC_BASE_URL: service.baseUrl });
    await world.file('a.csv', FILE);
    const first = world.start([...importing('a.csv'), '--first-run']);
    await service.arrived;
    const refused = await world.run(importing('a.csv'));
    expect(refused, refused.stderr).toMatchObject({ exitCode: 2, stdout: '' });
    const { run } = JSON.parse((await world.run(['imports', 'list'])).stdout)[0];
    expect(errorOf(refused)).toMatchObject({
      message: `a.csv is being imported by run ${run} (process ${first.pid})`,
      hint: 'Wait until it ends, or run: proc imputations import a.csv --set contractId=k-1 --yes --wait-lock 5m',
    });
    const resumed = await world.run(['imports', 'resume', run]);
    expect(errorOf(resumed).message).toBe(`${run} is already running (process ${first.pid})`);

    const waiting = world.start([...importing('a.csv'), '--wait-lock', '5m']);
    service.open();
    expect(await first).toMatchObject({ exitCode: 0 });
    const judged = await waiting;
    expect(judged.exitCode, judged.stderr).toBe(2);
    expect(errorOf(judged).message).toBe(
      `2 of 2 rows were already sent by run ${run}; nothing was sent now`,
    );
    expect(service.sent.sort()).toEqual(['A', 'B']);
  });

  it('continues if the other process was killed', async () => {
    await using service = await heldService();
    const world = await freshWorld({ PROC_API_KEY: 'k', PROC_BASE_URL: service.baseUrl });
    await world.file('a.csv', FILE);
    const first = world.start([...importing('a.csv'), '--first-run']);
    await service.arrived;
    first.kill('SIGKILL');
    await first;
    const refused = await world.run([...importing('a.csv'), '--wait-lock', '5m']);
    expect(errorOf(refused)).toMatchObject({
      message: expect.stringMatching(/^a\.csv has an unfinished import \(\d{8}-\d{6}-\w+\)$/),
      hint: expect.stringMatching(/^Resume it: proc imports resume /),
    });
  });
});
