import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Sheet } from '../../../src/compose/requisition-sheet.ts';
import { Drafts } from '../../../src/wizard/model/drafts.ts';
import { apply } from '../../../src/wizard/model/model.ts';
import { freshFolder } from '../../support/sandbox.ts';

const TARGET = { profile: 'acme', environment: 'staging', baseUrl: 'http://127.0.0.1:1/api/v1' };
const titled = (title: string): Sheet =>
  apply({ groups: [] }, { edit: 'change', change: { title } });

async function fresh() {
  const folder = await freshFolder();
  let now = 1_000;
  const drafts = new Drafts({ PROC_STATE_DIR: folder }, { now: () => now++ });
  return { drafts, folder: join(folder, 'drafts') };
}

it('is complete on disk after each save, readable only by its owner', async () => {
  const { drafts, folder } = await fresh();
  const draft = drafts.save(drafts.fresh(TARGET, titled('Parts')));
  expect(await readdir(folder)).toEqual([`${draft.id}.json`]);
  expect((await stat(join(folder, `${draft.id}.json`))).mode & 0o777).toBe(0o600);
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  expect(drafts.get(draft.id)).toEqual(JSON.parse(JSON.stringify(draft)));
});

it('lists the latest first, and reports files that are no drafts', async () => {
  const { drafts, folder } = await fresh();
  const [one, two] = [drafts.fresh(TARGET, titled('One')), drafts.fresh(TARGET, titled('Two'))];
  const first = drafts.save(one);
  drafts.save(two);
  drafts.save(first);
  await writeFile(join(folder, 'd-zzzzzz.json'), '{"version":2');
  await writeFile(join(folder, 'd-xxxxxx.json'), '{"version":2}');
  const told: string[] = [];
  const titles = drafts.list((error) => told.push(error.message)).map(({ sheet }) => sheet.title);
  expect(titles).toEqual(['One', 'Two']);
  expect(told).toHaveLength(2);
  expect(told.join()).toContain('d-zzzzzz.json: Expected');
});

it('loses nothing when two wizards edit one draft', async () => {
  const { drafts } = await fresh();
  const start = drafts.save(drafts.fresh(TARGET, titled('Start')));
  const mine = drafts.save({ ...start, sheet: titled('Mine') });
  const theirs = drafts.save({ ...start, sheet: titled('Theirs') });
  expect(theirs.id).not.toBe(mine.id);
  expect(drafts.get(mine.id).sheet.title).toBe('Mine');
  expect(drafts.get(theirs.id).sheet.title).toBe('Theirs');
});

it.each(['d-222222', '../../etc/passwd', ''])('reports that no draft has the id %j', async (id) => {
  const { drafts } = await fresh();
  expect(() => drafts.get(id)).toThrow(
    expect.objectContaining({
      code: 'reference_not_found',
      hint: expect.stringContaining('draft list'),
    }),
  );
});

it('reports that it cannot write, and keeps the last save', async () => {
  const { drafts, folder } = await fresh();
  const draft = drafts.save(drafts.fresh(TARGET, titled('Kept')));
  const path = join(folder, `${draft.id}.json`);
  const before = await readFile(path, 'utf8');
  const blocked = new Drafts({ PROC_STATE_DIR: path }, { now: Date.now });
  expect(() => blocked.save(draft)).toThrow(expect.objectContaining({ code: 'state_unwritable' }));
  await chmod(path, 0o600);
  expect(await readFile(path, 'utf8')).toBe(before);
});
