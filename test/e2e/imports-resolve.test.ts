import { describe, expect, it } from 'vitest';
import { http, startHostile } from '../support/hostile-service.ts';
import { assumeFirstRuns } from '../support/in-process.ts';
import { errorOf, freshWorld, type Ran, type World } from '../support/run.ts';
import { until } from '../support/until.ts';
import { itemService, rowsOf } from './import-service.ts';

assumeFirstRuns();

const SETTLE = ['PROC_SETTLE=1ms', '--timeout', '5s'];
const summaryOf = (ran: Ran) => JSON.parse(ran.stdout) as Record<string, number & string>;

/**
 * A service of imputations that loses its answer to the first create of each reference that begins with LOST, and to the
 * second of TWICE.
 */
async function forgetful() {
  const sent: string[] = [];
  const service = await startHostile((socket, { body }) => {
    const { reference } = JSON.parse(body) as { reference: string };
    const isAgain = sent.includes(reference);
    const isLost = isAgain ? reference === 'TWICE' : reference.startsWith('LOST');
    sent.push(reference);
    socket.write(isLost ? http(500, '{"message":"full"}') : http(201, `{"id":"im-${reference}"}`));
  });
  return {
    sent,
    target: { PROC_BASE_URL: service.baseUrl, PROC_API_KEY: 'k' },
    [Symbol.asyncDispose]: () => service.close(),
  };
}

const FILE = `reference,account,amount,contractId\n${[
  'A',
  'LOST-1',
  'LOST-2',
  'LOST-3',
  'LOST-4',
  'B',
]
  .map((reference, at) => `${reference},6100,${at + 1},k-1\n`)
  .join('')}`;
const IMPORT = ['imputations', 'import', 'a.csv', '--yes'];

async function unconfirmedRun(world: World): Promise<string> {
  await world.file('a.csv', FILE);
  const ran = await world.run(IMPORT);
  expect(ran, ran.stderr).toMatchObject({ exitCode: 9 });
  expect(summaryOf(ran)).toMatchObject({ created: 2, unconfirmed: 4, pending: 0 });
  return String(summaryOf(ran).run);
}

describe('unconfirmed rows that no list shows', () => {
  it('are unconfirmed in the summary of the next import, then in their own run alone', async () => {
    await using service = await forgetful();
    const world = await freshWorld(service.target);
    const run = await unconfirmedRun(world);
    await world.file('a.csv', `${FILE}C,6100,1,k-1\n`);
    const next = await world.run(IMPORT);
    expect(next, next.stderr).toMatchObject({ exitCode: 9 });
    expect(summaryOf(next)).toMatchObject({ created: 1, sentBefore: 2, unconfirmed: 4 });
    const counts = { created: 1, sentBefore: 6, unconfirmed: 0 };
    const later = String(summaryOf(next).run);
    const resumed = await world.run(['imports', 'resume', later, '--yes']);
    expect(resumed, resumed.stderr).toMatchObject({ exitCode: 0 });
    expect(summaryOf(resumed)).toMatchObject(counts);
    expect(summaryOf(await world.run(['imports', 'show', later]))).toMatchObject(counts);
    const open = await world.run(['imports', 'list', '--open']);
    expect(JSON.parse(open.stdout)).toMatchObject([{ run, unconfirmed: 4 }]);
  });

  it.each([
    ['equal', 5],
    ['other', 6],
  ])(
    'of an --again with %s values are unconfirmed, whatever was created before',
    async (_, amount) => {
      await using service = await forgetful();
      const world = await freshWorld(service.target);
      const write = (value: number) =>
        world.file('a.csv', `reference,account,amount,contractId\nTWICE,6100,${value},k-1\n`);
      await write(5);
      expect(await world.run(IMPORT)).toMatchObject({ exitCode: 0 });
      await write(amount);
      const again = await world.run([...IMPORT, '--again']);
      expect(again, again.stderr).toMatchObject({ exitCode: 9 });
      const plain = await world.run(IMPORT);
      expect(plain, plain.stderr).toMatchObject({ exitCode: 9 });
      expect(summaryOf(plain)).toMatchObject({ rejected: 0, sentBefore: 0, unconfirmed: 1 });
      const planned = await world.run([...IMPORT, '--again', '--dry-run']);
      const { run } = summaryOf(again);
      expect(summaryOf(planned)).toMatchObject({
        resent: { rows: 1, unconfirmed: 1, last: { run } },
      });
      expect(service.sent).toEqual(['TWICE', 'TWICE']);
    },
  );

  it('that a person gave up hold back a single create, whose error says so', async () => {
    await using service = await forgetful();
    const world = await freshWorld(service.target);
    const run = await unconfirmedRun(world);
    expect(await world.run(['imports', 'resolve', run, '2', '--drop', '--yes'])).toMatchObject({
      exitCode: 9,
    });
    const fields = '--reference LOST-1 --account 6100 --amount 2 --contract k-1'.split(' ');
    const refused = await world.run(['imputations', 'create', ...fields]);
    const details = { run, row: 2, state: 'dropped' };
    expect(errorOf(refused)).toMatchObject({ code: 'repeated_write', details });
  });

  it('are named with the answer of the service, and decided one by one', async () => {
    await using service = await forgetful();
    const world = await freshWorld(service.target);
    const run = await unconfirmedRun(world);
    const resolve = (...args: string[]) => world.run(['imports', 'resolve', run, ...args]);
    const asked = errorOf(await resolve());
    expect(asked.exitCode).toBe(2);
    expect(asked.message).toContain('row 2 (LOST-1)');
    expect(asked.message).toContain('full');
    expect((await resolve('1', '--drop')).exitCode).toBe(2);
    expect((await resolve('2', '3', '--adopt', 'im-9')).exitCode).toBe(2);

    expect(summaryOf(await resolve('LOST-1', '--adopt', 'im-9'))).toMatchObject({
      ...{ created: 3, unconfirmed: 3 },
    });
    const taken = await resolve('3', '--adopt', 'im-9');
    expect(taken, taken.stderr).toMatchObject({ exitCode: 2, stdout: '' });
    await resolve('3', '--drop');
    const rest = await resolve('4=im-4', '5=im-5');
    expect(rest, rest.stderr).toMatchObject({ exitCode: 0 });
    expect(summaryOf(rest)).toMatchObject({ created: 5, unconfirmed: 0, pending: 0 });
    expect(errorOf(await resolve('--resend', '--all')).code).toBe('reference_not_found');
    // What was given up counts as sent.
    const again = await world.run(IMPORT);
    expect(again, again.stderr).toMatchObject({ exitCode: 0 });
    expect(summaryOf(again)).toMatchObject({ created: 0, sentBefore: 6 });
    expect(service.sent).toHaveLength(6);
  });

  it('are sent again if a person says so, by resume or by the next import', async () => {
    await using service = await forgetful();
    const world = await freshWorld(service.target);
    const run = await unconfirmedRun(world);
    const state = async () => JSON.parse((await world.run(['imports', 'list'])).stdout)[0];
    expect(await state()).toMatchObject({
      state: 'unconfirmed',
      next: [{ command: `proc imports resolve ${run}` }],
    });
    const resent = await world.run(['imports', 'resolve', run, '2', '3', '--resend', '--yes']);
    expect(summaryOf(resent), resent.stderr).toMatchObject({ pending: 2, unconfirmed: 2 });
    // --again leaves out what an unfinished run has sent.
    const plan = JSON.parse((await world.run([...IMPORT, '--again', '--dry-run'])).stdout);
    expect([plan.create, plan.resent]).toEqual([2, undefined]);
    const resumed = await world.run(['imports', 'resume', run, '--yes']);
    expect(resumed, resumed.stderr).toMatchObject({ exitCode: 9 });
    expect(summaryOf(resumed)).toMatchObject({ created: 4, unconfirmed: 2, pending: 0 });
    await world.run(['imports', 'resolve', run, '--resend', '--all', '--yes']);
    const taken = await world.run(IMPORT);
    expect(taken, taken.stderr).toMatchObject({ exitCode: 0 });
    expect(summaryOf(taken)).toMatchObject({ created: 2, sentBefore: 4, unconfirmed: 0 });
    expect(service.sent.filter((one) => one === 'LOST-4')).toHaveLength(2);
    expect(service.sent).toHaveLength(10);
    expect(await state()).toMatchObject({ state: 'finished' });
  });
});

describe('unconfirmed rows of a noun with a list', () => {
  /** The list leaves out what was lost, and everything else that the run created. */
  async function hiding() {
    let isHiding = true;
    const service = await itemService(
      (code) => (code.startsWith('LOST') ? { reset: true, stored: true } : undefined),
      (item) => (isHiding && item.code !== 'OLD' ? undefined : item),
    );
    service.items.push({ id: 'old-1', code: 'OLD', name: 'Old' });
    const show = () => {
      isHiding = false;
    };
    return { ...service, show };
  }

  it('are looked up again by a resume', async () => {
    await using service = await hiding();
    const world = await freshWorld(service.target);
    await world.file('a.csv', rowsOf(['A-1', 'LOST-1', 'C-1']));
    const ran = await world.run(['items', 'import', 'a.csv', '--yes', ...SETTLE]);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 9 });
    expect(summaryOf(ran)).toMatchObject({ created: 2, unconfirmed: 1 });
    service.show();
    const resumed = await world.run(['imports', 'resume', '--yes', ...SETTLE]);
    expect(resumed, resumed.stderr).toMatchObject({ exitCode: 0 });
    expect(summaryOf(resumed)).toMatchObject({ created: 3, unconfirmed: 0 });
    expect(service.creates()).toBe(3);
  });

  it('are sent by the next import after they were given up, if the list does not show them', async () => {
    await using service = await itemService((_code, nth) => {
      if (nth === 2) return { reset: true, stored: false };
      return nth === 3 ? { reset: true, stored: true } : undefined;
    });
    const world = await freshWorld(service.target);
    await world.file('a.csv', rowsOf(['A-1', 'B-1', 'C-1']));
    const argv = ['items', 'import', 'a.csv', '--yes'];
    const running = world.start([...argv, 'PROC_SETTLE=1h', 'PROC_CONCURRENCY=1']);
    await until(() => service.creates() === 3);
    running.kill('SIGINT');
    const { run } = JSON.parse((await running).stdout) as { run: string };
    const given = await world.run(['imports', 'resolve', run, '--drop', '--all', '--yes']);
    expect(summaryOf(given), given.stderr).toMatchObject({ created: 1, dropped: 2 });
    const again = await world.run([...argv, ...SETTLE]);
    expect(again, again.stderr).toMatchObject({ exitCode: 0 });
    expect(summaryOf(again)).toMatchObject({ created: 1, existing: 2 });
    expect(service.items.map(({ code }) => code).sort()).toEqual(['A-1', 'B-1', 'C-1']);
  });

  it('adopt only an id that the list has, with their code, and that no other row has', async () => {
    await using service = await hiding();
    const world = await freshWorld(service.target);
    await world.file('a.csv', rowsOf(['A-1', 'LOST-1', 'LOST-2']));
    const ran = await world.run(['items', 'import', 'a.csv', '--yes', ...SETTLE]);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 9 });
    const run = String(summaryOf(ran).run);
    service.show();
    const idOf = (code: string) => service.items.find((item) => item.code === code)!.id;
    const resolve = (...args: string[]) =>
      world.run(['imports', 'resolve', run, ...args, '--yes', ...SETTLE]);
    for (const id of ['i-404', 'old-1', idOf('LOST-2'), idOf('A-1')]) {
      const refused = await resolve('2', '--adopt', id);
      expect(refused, refused.stderr).toMatchObject({ exitCode: 2, stdout: '' });
      expect(errorOf(refused).message).toContain(id);
    }
    // A row that the list shows is not sent again.
    const resent = await resolve('2', '--resend');
    expect(resent, resent.stderr).toMatchObject({ exitCode: 2, stdout: '' });
    expect(errorOf(resent).message).toContain(idOf('LOST-1'));
    const adopted = await resolve(`2=${idOf('LOST-1')}`, `3=${idOf('LOST-2')}`);
    expect(adopted, adopted.stderr).toMatchObject({ exitCode: 0 });
    expect(summaryOf(adopted)).toMatchObject({ created: 3, unconfirmed: 0 });
    expect(service.creates()).toBe(3);
  });

  it('are decided by an id that a person gives if the list proves nothing, and by nothing else', async () => {
    await using service = await hiding();
    const world = await freshWorld(service.target);
    await world.file('a.csv', rowsOf(['A-1', 'LOST-1']));
    const ran = await world.run(['items', 'import', 'a.csv', '--yes', ...SETTLE]);
    const resolve = (...args: string[]) =>
      world.run(['imports', 'resolve', String(summaryOf(ran).run), '2', ...args, ...SETTLE]);
    for (const decision of ['--adopt', '--resend'])
      expect(errorOf(await resolve(decision)), decision).toMatchObject({ code: 'incomplete' });
    const adopted = await resolve('--adopt', 'i-9');
    expect(adopted, adopted.stderr).toMatchObject({ exitCode: 0 });
    expect(adopted.stderr).toContain('i-9 was not verified');
    expect(summaryOf(adopted)).toMatchObject({ created: 2, unconfirmed: 0 });
  });

  it('are sent again with all their values if they have no code, after their run has ended', async () => {
    let requests = 0;
    await using service = await itemService(() =>
      ++requests === 2 ? { reset: true, stored: false } : undefined,
    );
    const world = await freshWorld(service.target);
    await world.file('a.csv', 'code,name\nA-1,Bolt\n,Nut\n');
    const importing = ['items', 'import', 'a.csv', '--allow-missing', 'code', '--yes', ...SETTLE];
    const ran = await world.run(importing);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 9 });
    const run = String(summaryOf(ran).run);
    const asked = errorOf(await world.run(['imports', 'resolve', run, ...SETTLE]));
    expect(asked.details).toMatchObject({ rows: [{ row: 2, body: { name: 'Nut' } }] });
    const resent = await world.run(['imports', 'resolve', run, '2', '--resend', ...SETTLE]);
    expect(summaryOf(resent), resent.stderr).toMatchObject({ pending: 1, unconfirmed: 0 });
    const resumed = await world.run(['imports', 'resume', run, '--yes', ...SETTLE]);
    expect(resumed, resumed.stderr).toMatchObject({ exitCode: 0 });
    expect(summaryOf(resumed)).toMatchObject({ created: 2, pending: 0 });
    expect(service.items.map(({ name }) => name)).toEqual(['Bolt', 'Nut']);
  });
});
