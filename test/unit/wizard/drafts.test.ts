import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Scope } from '../../../src/core/scope.ts';
import { Drafts } from '../../../src/wizard/model/drafts.ts';
import { freshFolder } from '../../support/sandbox.ts';

const OWNER = { baseUrl: 'http://127.0.0.1:1/api/v1', organization: 'acme' };
const SCOPE = new Scope(OWNER);

async function fresh() {
  const folder = await freshFolder();
  let now = 1_000;
  const drafts = new Drafts({ PROC_STATE_DIR: folder }, { now: () => now++ });
  const titled = (title: string) => ({ ...drafts.fresh(OWNER), sheet: { title, groups: [] } });
  return { drafts, titled, folder: join(folder, 'drafts') };
}

it('is complete on disk after each save, readable only by its owner', async () => {
  const { drafts, titled, folder } = await fresh();
  const draft = drafts.save(titled('Parts'));
  const [name] = await readdir(folder);
  expect((await stat(join(folder, name!))).mode & 0o777).toBe(0o600);
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  expect(drafts.find(SCOPE)).toEqual(draft);
});

it('is one for each organization', async () => {
  const { drafts, titled } = await fresh();
  drafts.save(titled('Parts'));
  expect(drafts.find(new Scope({ ...OWNER, organization: 'globex' }))).toBeUndefined();
  expect(drafts.find(SCOPE)).toMatchObject({ sheet: { title: 'Parts' } });
  drafts.discard(drafts.find(SCOPE)!);
  expect(drafts.find(SCOPE)).toBeUndefined();
});

it.each(['{"version":2', '{"version":2}'])('reports a file that is no draft: %s', async (text) => {
  const { drafts, titled, folder } = await fresh();
  drafts.save(titled('Parts'));
  const [name] = await readdir(folder);
  await writeFile(join(folder, name!), text);
  expect(() => drafts.find(SCOPE)).toThrow(
    expect.objectContaining({ code: 'config_unreadable', message: expect.stringContaining(name!) }),
  );
});

it('reports that it cannot write, and keeps the last save', async () => {
  const { drafts, titled, folder } = await fresh();
  const draft = drafts.save(titled('Kept'));
  const [name] = await readdir(folder);
  const path = join(folder, name!);
  const before = await readFile(path, 'utf8');
  const blocked = new Drafts({ PROC_STATE_DIR: path }, { now: Date.now });
  expect(() => blocked.save(draft)).toThrow(expect.objectContaining({ code: 'state_unwritable' }));
  await chmod(path, 0o600);
  expect(await readFile(path, 'utf8')).toBe(before);
});
