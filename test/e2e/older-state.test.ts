import { cp, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { runHere } from '../support/in-process.ts';
import { errorOf, type Ran } from '../support/run.ts';
import { freshFolder, startTestSandbox } from '../support/sandbox.ts';

/**
 * A state folder without organizations: imports of OLD-1 and OLD-2, a discarded import of GONE-1, single
 * creates, and the alias `hq`.
 */
const OLDER = resolve(import.meta.dirname, '../fixtures/state-schema-4');
const WRITTEN_AT = 'http://127.0.0.1:38753/api/v1';

async function upgraded() {
  const folder = await freshFolder();
  const state = join(folder, 'state');
  await cp(OLDER, state, { recursive: true });
  const { baseUrl } = await startTestSandbox();
  const change = (file: string, sql: string) => {
    const database = new DatabaseSync(join(state, file));
    database.exec(sql.replaceAll('OLD', WRITTEN_AT).replaceAll('NEW', baseUrl));
    database.close();
  };
  // Changes the address and the time, as if the folder had just been written here.
  change('history.db', `UPDATE entries SET service = 'NEW', baseUrl = 'NEW', at = ${Date.now()}`);
  change('history.db', "UPDATE sent_rows SET service = 'NEW'");
  change('addresses.db', "UPDATE aliases SET service = 'NEW'; UPDATE known SET service = 'NEW'");
  for (const file of (await readdir(join(state, 'imports'))).filter((one) => one.endsWith('.db'))) {
    change(join('imports', file), "UPDATE run SET value = replace(value, 'OLD', 'NEW')");
  }
  await mkdir(join(folder, 'config'), { mode: 0o700 });
  const env = {
    HOME: folder,
    PROC_CONFIG_DIR: join(folder, 'config'),
    PROC_STATE_DIR: state,
    PROC_BASE_URL: baseUrl,
  };
  const rows = async (name: string, ...references: readonly string[]) => {
    const lines = references.map((one, index) => `${one},${name === 'gone.csv' ? 7 : index + 1}`);
    await writeFile(join(folder, name), `reference,amount\n${lines.join('\n')}\n`);
    return join(folder, name);
  };
  const proc = (args: readonly string[], more: Readonly<Record<string, string>> = {}) =>
    runHere(args, { ...env, ...more });
  return { proc, rows, state };
}

const OTHER = { PROC_API_KEY: 'proc-sandbox-key-2', PROC_ORGANIZATION: 'other' };

const summaryOf = ({ stdout }: Ran) => JSON.parse(stdout);

it('recognises the rows of a run by the mark of its key', async () => {
  const { proc, rows } = await upgraded();
  const old = await rows('old.csv', 'OLD-1', 'OLD-2', 'NEW-3');
  const ran = await proc(['imputations', 'import', old, '--yes', '--on-sent', 'skip']);
  expect(ran.exitCode, ran.stderr).toBe(0);
  expect(summaryOf(ran)).toMatchObject({ existing: 2, created: 1 });
});

it('a write that may be another organization’s stops the import, and never counts as done', async () => {
  const { proc, rows } = await upgraded();
  const old = await rows('old.csv', 'OLD-1', 'OLD-2');
  const line = ['imputations', 'import', old, '--yes'];
  const stopped = await proc(line, OTHER);
  expect(errorOf(stopped).message).toMatch(
    /2 of 2 rows were already sent by run \S+ \(organization not recorded\): 0 created, 2 unconfirmed/,
  );
  const skipped = await proc([...line, '--on-sent', 'skip'], OTHER);
  expect(skipped.exitCode, skipped.stderr).toBe(9);
  const { run, ...summary } = summaryOf(skipped);
  expect(summary).toMatchObject({ existing: 0, created: 0, unknown: 2 });

  const resend = await proc(['imports', 'resolve', run, '--resend', '--all', '--yes'], OTHER);
  expect(resend.exitCode, resend.stderr).toBe(0);
  const resumed = await proc(['imports', 'resume', run], OTHER);
  expect(resumed.exitCode, resumed.stderr).toBe(0);
  expect(summaryOf(resumed)).toMatchObject({ created: 2, unknown: 0 });
});

it('rows of a discarded journal are unconfirmed for every key', async () => {
  const { proc, rows } = await upgraded();
  const gone = await rows('gone.csv', 'GONE-1');
  const ran = await proc(['imputations', 'import', gone, '--yes', '--on-sent', 'skip']);
  expect(ran.exitCode, ran.stderr).toBe(9);
  expect(summaryOf(ran)).toMatchObject({ existing: 0, unknown: 1 });
});

it('a single create is stopped by an entry without an organization', async () => {
  const { proc } = await upgraded();
  const create = ['items', 'create', '--name', 'Legacy bolt', '--code', 'LEG-1'];
  const again = await proc(create, OTHER);
  expect(again.exitCode, again.stderr).toBe(2);
  expect(errorOf(again).code).toBe('repeated_write');
  const list = JSON.parse((await proc(['history', 'list'])).stdout);
  expect(list.map((entry: { organization: unknown }) => entry.organization)).toEqual(
    list.map(() => null),
  );
});

it('aliases belong to the organization with the name of their profile', async () => {
  const { proc } = await upgraded();
  expect((await proc(['addresses', 'get', 'hq'])).exitCode).toBe(0);
  expect(errorOf(await proc(['addresses', 'get', 'hq'], OTHER)).message).toContain('belongs to');
});

it.each([
  ['history.db', ['history', 'list']],
  ['addresses.db', ['addresses', 'known']],
])('refuses %s of a newer version by name', async (file, command) => {
  const { proc, state } = await upgraded();
  const database = new DatabaseSync(join(state, file));
  database.exec('PRAGMA user_version = 99');
  database.close();
  const refused = await proc(command);
  expect(refused.exitCode).toBe(3);
  expect(errorOf(refused).message).toBe(
    `${join(state, file)} was written by a newer version of proc`,
  );
});
