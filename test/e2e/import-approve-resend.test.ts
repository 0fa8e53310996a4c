import { afterAll, expect, it, onTestFinished, vi } from 'vitest';
import { approvers } from '../support/approvers.ts';
import { errorOf, freshWorld, type World } from '../support/run.ts';
import { itemService, rowsOf } from './import-service.ts';

const people = approvers();
afterAll(() => people[Symbol.dispose]());

const HOUR = 3600_000;

async function done(world: World, args: readonly string[], exitCode = 0) {
  const ran = await world.run(args);
  expect(ran, ran.stderr).toMatchObject({ exitCode });
  return JSON.parse(ran.stdout);
}

async function refused(world: World, args: readonly string[]) {
  const ran = await world.run(args);
  expect(ran, ran.stderr).toMatchObject({ exitCode: 3 });
  return errorOf(ran);
}

function hoursLater(hours: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + hours * HOUR });
  onTestFinished(() => void vi.useRealTimers());
}

it('rows that a person sends again need approvals that are valid at that time', async () => {
  // The first response is lost. Meanwhile another client creates the same item.
  await using service = await itemService((code, nth) => {
    if (nth > 1) return undefined;
    service.items.push({ id: 'other', code, name: 'Meanwhile' });
    return { reset: true, stored: true };
  });
  const world = await freshWorld({
    PROC_API_KEY: service.target.PROC_API_KEY,
    PROC_PROFILE: 'acme',
    PROC_ENV: 'here',
  });
  const { baseUrl } = service;
  await done(world, ['profile', 'add', 'acme', '-e', 'here', '--base-url', baseUrl]);
  const rule = ['approvals=1', `approvers=${people.file('a', ['bob', 'alice'])}`, 'signer=alice'];
  await done(world, ['profile', 'set', 'acme', '-e', 'here', ...rule]);
  await world.file('a.csv', rowsOf(['LOST']));
  const { run } = await done(world, ['items', 'import', 'a.csv', '--stage']);
  const key = people.key('bob');
  const approve = ['imports', 'approve', run, '--key', key, '--valid-for', '1h', '--yes'];
  await done(world, approve);
  await done(world, ['imports', 'send', run, '--yes', '--settle', '1ms'], 9);
  service.items.length = 0;

  hoursLater(2);
  const resend = ['imports', 'resolve', run, '1', '--resend', '--settle', '1ms'];
  const late = await refused(world, resend);
  expect(late).toMatchObject({
    code: 'approval_required',
    hint: `Let an approver run: proc imports approve ${run} --key FILE`,
  });
  expect(late.message).toContain('approval 1 expired at');
  expect(await refused(world, [...resend, '--dry-run'])).toMatchObject({ message: late.message });
  expect(await done(world, ['imports', 'show', run])).toMatchObject({ unknown: 1, pending: 0 });

  await done(world, approve);
  expect(await done(world, resend)).toMatchObject({ unknown: 0, pending: 1 });
  hoursLater(2);
  const resume = ['imports', 'resume', run, '--yes', '--settle', '1ms'];
  expect((await refused(world, resume)).message).toContain('approval 1 expired at');
  expect(service.creates()).toBe(1);
  await done(world, approve);
  expect(await done(world, resume)).toMatchObject({ created: 1, pending: 0 });
  expect(service.creates()).toBe(2);
});
