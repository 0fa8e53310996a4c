import { expect, it } from 'vitest';
import { loggedSandbox } from '../support/service.ts';
import { type ShopWorld, sharedShop } from '../support/shop.ts';
import { startTerminal } from '../support/terminal.ts';
import { drafts, play, startWizard } from '../support/wizard.ts';
import { sheetOf } from '../support/wizard-steps.ts';

const shop = sharedShop(loggedSandbox);

async function limited(access: string) {
  const world: ShopWorld = await shop.world();
  const { baseUrl } = shop.sandbox;
  await world.run(['profile', 'add', 'acme', '-e', 'here', '--base-url', baseUrl]);
  const args = ['profile', 'set', 'acme', '-e', 'here', `access=${access}`];
  expect(await world.run(args)).toMatchObject({ exitCode: 0 });
  // The drafts of `shop.draft` belong to the organization sandbox.
  return { world, env: { PROC_PROFILE: 'acme', PROC_ENV: 'here', PROC_ORGANIZATION: 'sandbox' } };
}

it('at the level stage, the wizard keeps a draft and does not offer to send it', async () => {
  const { world, env } = await limited('stage');
  shop.draft(world, sheetOf(2));
  const session = startWizard(world, '', { env });
  await play(session, [
    ['You have a draft', '\r'],
    ['acme/here has the access level stage: you can prepare a draft, but not send it.', ''],
    ['What now?', '\r'],
    ['Saved as a draft', ''],
  ]);
  await session.exited;
  expect(session.text()).toContain('code=0');
  expect(session.text()).not.toContain('Send it');
  expect(shop.sandbox.writes()).toEqual([]);
  expect(await drafts(world)).toHaveLength(1);

  const spanish = startWizard(world, '--lang es', { env });
  await play(spanish, [
    ['Hay un borrador', '\r'],
    ['acme/here tiene el nivel de acceso stage', ''],
    ['¿Y ahora?', '\r'],
  ]);
  await spanish.exited;
  expect(shop.sandbox.writes()).toEqual([]);
});

it('at the level read, no wizard starts', async () => {
  const { world, env } = await limited('read');
  shop.draft(world, sheetOf(2));
  const before = shop.sandbox.requests.length;
  const session = startTerminal(world, ['requisition', 'wizard'], { env, cols: 120 });
  expect(await session.exited, session.text()).toBe(3);
  expect(session.text()).toContain('acme/here has the access level read');
  expect(shop.sandbox.requests.length).toBe(before);
});
