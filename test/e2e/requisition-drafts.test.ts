import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sheet } from '../../src/compose/requisition-sheet.ts';
import { attemptOf } from '../../src/wizard/model/attempts.ts';
import { Drafts } from '../../src/wizard/model/drafts.ts';
import { apply } from '../../src/wizard/model/model.ts';
import { payloadOf } from '../../src/wizard/model/to-payload.ts';
import { program } from '../support/built.ts';
import { errorOf, freshWorld, type World } from '../support/run.ts';
import { type LoggedSandbox, loggedSandbox } from '../support/service.ts';

let sandbox: LoggedSandbox;

beforeAll(async () => {
  sandbox = await loggedSandbox();
});
afterAll(() => sandbox.close());

const world = (): Promise<World> => freshWorld(sandbox.target);

const WHOLE: Sheet = {
  title: 'Parts',
  type: null,
  sector: null,
  code: null,
  groups: [
    {
      name: 'Plant',
      deliveryMethod: 'pickup',
      address: null,
      lines: [{ quantity: 2, item: { kind: 'new', fields: { name: 'Nut' } } }],
      isComplete: true,
    },
  ],
};

function saved({ env }: World, sheet: Sheet, baseUrl = sandbox.baseUrl): string {
  const drafts = new Drafts(env, { now: Date.now });
  const target = { profile: undefined, environment: undefined, baseUrl, organization: 'sandbox' };
  return drafts.save(drafts.fresh(target, sheet)).id;
}

/** Sends the sheet `first`. Saves a draft with the content `now` that records this attempt. */
async function createdDraft(own: World, first: Sheet, now = first) {
  const drafts = new Drafts(own.env, { now: Date.now });
  const { baseUrl } = sandbox;
  const target = { profile: undefined, environment: undefined, baseUrl, organization: 'sandbox' };
  const { payload } = payloadOf(first);
  const draft = drafts.save({ ...drafts.fresh(target, now), attempts: [attemptOf(payload)] });
  const file = await own.file('sent.json', JSON.stringify(payload));
  const sent = await own.run(['requisition', 'create', '--file', file, '-o', 'id']);
  expect(sent.exitCode).toBe(0);
  return { id: draft.id, requisition: sent.stdout.trim() };
}

describe('without an interactive terminal', () => {
  it.each([
    [['wizard'], {}],
    [['create'], {}],
    [['wizard', '--from', 'last'], {}],
    [['draft', 'edit', 'd-222222'], {}],
    [['wizard', '--no-input'], {}],
    [['wizard'], { CI: '1' }],
    [['wizard'], { PROC_NO_INPUT: '1' }],
  ])('requisition %j fails at once, with standard input open and silent', async (args, env) => {
    const own = await world();
    const before = sandbox.requests.length;
    const { exitCode, stdout, stderr } = await execa(
      program().file,
      [...program().args, 'requisition', ...args],
      { env: { ...own.env, ...env }, extendEnv: false, stdin: 'pipe', reject: false },
    );
    expect(exitCode).toBe(2);
    expect(stdout).toBe('');
    const error = errorOf({ stderr });
    expect(error.message).toContain('no terminal to ask on');
    expect(error.hint).toMatch(/--title.*--group.*--item.*--lines.*--file/);
    expect(sandbox.requests.length).toBe(before);
  });
});

describe('drafts without a terminal', () => {
  it('are listed and shown with their missing parts', async () => {
    const own = await world();
    const id = saved(own, apply(WHOLE, { edit: 'remove-line', group: 0, line: 0 }));
    const listed = JSON.parse((await own.run(['requisition', 'draft', 'list'])).stdout);
    expect(listed).toMatchObject([
      { id, title: 'Parts', groups: 1, items: 0, missing: 'a group has no items' },
    ]);
    const shown = JSON.parse((await own.run(['requisition', 'draft', 'show', id])).stdout);
    expect(shown).toMatchObject({
      payload: null,
      problems: [{ code: 'no_lines', field: 'groups[0].items' }],
    });
    const sent = await own.run(['requisition', 'draft', 'submit', id]);
    expect(sent.exitCode).toBe(2);
    expect(errorOf(sent)).toMatchObject({
      message: expect.stringContaining('groups[0].items: a group has no items'),
      hint: `Complete it: proc requisition draft edit ${id}`,
    });
  });

  it('are sent, recorded, and removed', async () => {
    const own = await world();
    const id = saved(own, WHOLE);
    const dry = await own.run(['requisition', 'draft', 'submit', id, '--dry-run']);
    expect(JSON.parse(dry.stdout).body).toMatchObject({ title: 'Parts' });
    const sent = await own.run(['requisition', 'draft', 'submit', id, '-o', 'id']);
    expect(sent).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^req-\d+\n$/) });
    const [entry] = JSON.parse((await own.run(['history', 'list'])).stdout);
    expect(entry.created).toBe(sent.stdout.trim());
    expect(await readdir(join(own.stateDir, 'drafts'))).toEqual([]);
    const again = await own.run(['requisition', 'draft', 'submit', id]);
    expect(errorOf(again)).toMatchObject({ code: 'reference_not_found' });
  });

  it('need nothing from the service after they were sent, also with an item that has a code', async () => {
    const own = await world();
    const item = { kind: 'new', fields: { name: 'Rim', code: 'RIM-7' } } as const;
    const edit = { edit: 'change-line', group: 0, line: 0, change: { item } } as const;
    const sent = await own.run(['requisition', 'draft', 'submit', saved(own, apply(WHOLE, edit))]);
    expect(sent.exitCode).toBe(0);
    expect(sandbox.requests.at(-1)).toMatchObject({ method: 'POST' });
    expect(sent.stderr).toContain('proc requisition show req-');
  });

  it('need no id if there is only one', async () => {
    const own = await world();
    const submit = ['requisition', 'draft', 'submit'];
    expect(errorOf(await own.run(submit))).toMatchObject({ code: 'reference_not_found' });
    const [one, other] = [saved(own, WHOLE), saved(own, { ...WHOLE, title: 'Other' })];
    const error = errorOf(await own.run(submit));
    expect(error).toMatchObject({ code: 'invalid_usage', exitCode: 2 });
    expect(JSON.stringify(error.details)).toContain(other);
    await own.run(['requisition', 'draft', 'discard', one, '--yes']);
    expect((await own.run([...submit, '-o', 'id'])).stdout).toMatch(/^req-\d+\n$/);
    expect(await readdir(join(own.stateDir, 'drafts'))).toEqual([]);
  });

  it('speak English in any locale, unless --lang asks for Spanish', async () => {
    const own = await freshWorld({ ...sandbox.target, PROC_LANG: 'es', LANG: 'es_AR.UTF-8' });
    const name = (title: string) => ({ ...WHOLE, title });
    const english = await own.run(['requisition', 'draft', 'submit', saved(own, name('Uno'))]);
    expect(english.exitCode).toBe(0);
    expect(english.stderr).toContain('To see it, and to order it again:');
    const args = ['requisition', 'draft', 'submit', saved(own, name('Dos')), '--lang', 'es'];
    const spanish = await own.run(args);
    expect(spanish.exitCode).toBe(0);
    expect(spanish.stderr).toContain('Para verla, y para pedirla otra vez:');
  });

  it('are not sent again if the response arrived before the process ended', async () => {
    const own = await world();
    const { id, requisition } = await createdDraft(own, WHOLE);
    const writes = sandbox.writes().length;
    const again = await own.run(['requisition', 'draft', 'submit', id, '-o', 'id']);
    expect(again).toMatchObject({ exitCode: 0, stdout: `${requisition}\n` });
    expect(sandbox.writes().length).toBe(writes);
    expect((await own.run(['requisition', 'draft', 'list'])).stdout.trim()).toBe('[]');
  });

  it('are shown and kept with --dry-run, whatever the outcome of an earlier send', async () => {
    const own = await world();
    const { id } = await createdDraft(own, WHOLE);
    const dry = await own.run(['requisition', 'draft', 'submit', id, '--dry-run']);
    expect(dry.exitCode).toBe(0);
    expect(JSON.parse(dry.stdout).body).toMatchObject({ title: 'Parts' });
    expect(JSON.parse((await own.run(['requisition', 'draft', 'list'])).stdout)).toMatchObject([
      { id },
    ]);
  });

  it('that changed since they were created stay, and need --again to be sent', async () => {
    const own = await world();
    const change = { quantity: 30 };
    const changed = apply(WHOLE, { edit: 'change-line', group: 0, line: 0, change });
    const { id, requisition } = await createdDraft(own, WHOLE, changed);
    const writes = sandbox.writes().length;
    const unsure = await own.run(['requisition', 'draft', 'submit', id]);
    expect(unsure.exitCode).toBe(2);
    expect(errorOf(unsure)).toMatchObject({
      message: expect.stringContaining(`already created ${requisition} and has changed since`),
      hint: expect.stringContaining(`proc requisition draft submit ${id} --again`),
    });
    expect(sandbox.writes().length).toBe(writes);
    const sent = await own.run(['requisition', 'draft', 'submit', id, '--again', '-o', 'id']);
    expect(sent.exitCode).toBe(0);
    expect(sent.stdout.trim()).not.toBe(requisition);
    expect((await own.run(['requisition', 'draft', 'list'])).stdout.trim()).toBe('[]');
  });

  it('are discarded with --yes only', async () => {
    const own = await world();
    const id = saved(own, WHOLE);
    const unsure = await own.run(['requisition', 'draft', 'discard', id]);
    expect(unsure.exitCode).toBe(2);
    expect(errorOf(unsure)).toMatchObject({
      hint: `Add --yes: proc requisition draft discard ${id} --yes`,
    });
    expect((await own.run(['requisition', 'draft', 'discard', id, '--yes'])).exitCode).toBe(0);
    expect((await own.run(['requisition', 'draft', 'list'])).stdout.trim()).toBe('[]');
  });

  it('are not sent to another service than the one they were made for', async () => {
    const own = await world();
    const id = saved(own, WHOLE, 'https://proc.example/api/v1');
    const ran = await own.run(['requisition', 'draft', 'submit', id]);
    expect(ran.exitCode).toBe(2);
    expect(errorOf(ran).message).toContain('belongs to https://proc.example/api/v1');
  });
});
