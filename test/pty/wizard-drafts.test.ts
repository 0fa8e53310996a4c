import { afterAll, beforeAll, expect, it } from 'vitest';
import { attemptOf } from '../../src/wizard/attempts.ts';
import { Drafts } from '../../src/wizard/drafts.ts';
import type { Sheet } from '../../src/wizard/model.ts';
import { payloadOf } from '../../src/wizard/payload.ts';
import { type LoggedSandbox, loggedSandbox } from '../support/service.ts';
import { DOWN, drafts, play, type ShopWorld, startWizard, UP, worldOf } from './wizard-world.ts';

let sandbox: LoggedSandbox;

beforeAll(async () => {
  sandbox = await loggedSandbox();
});
afterAll(() => sandbox.close());

const sheet = (quantity: number): Sheet => ({
  title: 'Parts',
  type: null,
  sector: null,
  code: null,
  groups: [
    {
      name: 'Plant',
      deliveryMethod: 'pickup',
      address: null,
      lines: [
        {
          quantity,
          item: { kind: 'new', fields: { name: 'Nut', code: null, unitOfMeasure: null }, more: [] },
        },
      ],
      isComplete: true,
    },
  ],
});

function saved({ env }: ShopWorld, now: Sheet, attempts: readonly string[] = []): string {
  const store = new Drafts(env, { now: Date.now });
  const target = { profile: undefined, environment: undefined, baseUrl: sandbox.baseUrl };
  return store.save({ ...store.fresh(target, now), attempts: [...attempts] }).id;
}

it('asks what to do with a draft that was changed since it was created', async () => {
  const world = await worldOf(sandbox);
  const { payload } = payloadOf(sheet(2));
  const id = saved(world, sheet(30), [attemptOf(payload)]);
  const file = await world.file('sent.json', JSON.stringify(payload));
  const sent = await world.run(['requisition', 'create', '--file', file, '-o', 'id']);
  const first = sent.stdout.trim();
  const writes = sandbox.writes().length;
  const session = startWizard(world, '-o id');
  await play(session, [
    ['There are drafts', '\r'],
    ['What now?', '\r'],
    [`created ${first}, and it was changed since`, ''],
    ['What shall become of the changed draft?', '\r'],
    ['What now?', `${UP}\r`],
    [`Kept as draft ${id}`, ''],
  ]);
  await session.exited;
  expect(sandbox.writes().length).toBe(writes);
  expect(await drafts(world)).toMatchObject([{ id }]);

  const another = startWizard(world, '-o id');
  await play(another, [
    ['There are drafts', '\r'],
    ['What now?', '\r'],
    ['What shall become of the changed draft?', `${DOWN}\r`],
    ['Sending it.', ''],
  ]);
  await another.exited;
  expect(another.text()).toContain('code=0');
  expect(sandbox.writes().length).toBe(writes + 1);
  expect(await drafts(world)).toEqual([]);
});

it('throws a changed draft away where what was created is enough', async () => {
  const world = await worldOf(sandbox);
  const { payload } = payloadOf(sheet(3));
  saved(world, sheet(31), [attemptOf(payload)]);
  const file = await world.file('sent.json', JSON.stringify(payload));
  const sent = await world.run(['requisition', 'create', '--file', file, '-o', 'id']);
  const writes = sandbox.writes().length;
  const session = startWizard(world, '-o id');
  await play(session, [
    ['There are drafts', '\r'],
    ['What now?', '\r'],
    [`${sent.stdout.trim()} is enough`, `${UP}\r`],
  ]);
  await session.exited;
  expect(session.text()).toContain(`${sent.stdout.trim()}\r\ncode=0`);
  expect(sandbox.writes().length).toBe(writes);
  expect(await drafts(world)).toEqual([]);
});
