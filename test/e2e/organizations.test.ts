import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { assumeFirstRuns, runHere } from '../support/in-process.ts';
import { errorOf, type Ran } from '../support/run.ts';
import { freshFolder, startTestSandbox } from '../support/sandbox.ts';

assumeFirstRuns();

/** Two organizations at one address. Each has its own profile and key on this machine. */
let folder: string;
let env: Record<string, string>;
let baseUrl: string;

beforeEach(async () => {
  folder = await freshFolder();
  const sandbox = await startTestSandbox();
  baseUrl = sandbox.baseUrl;
  const profile = (secret: string) => ({
    environments: { local: { baseUrl, credential: { secret, origin: new URL(baseUrl).origin } } },
  });
  const config = {
    profile: 'acme',
    profiles: { acme: profile('proc-sandbox-key'), globex: profile('proc-sandbox-key-2') },
  };
  env = {
    HOME: folder,
    PROC_CONFIG_DIR: join(folder, 'config'),
    PROC_STATE_DIR: join(folder, 'state'),
  };
  await mkdir(env.PROC_CONFIG_DIR!, { mode: 0o700 });
  await writeFile(join(env.PROC_CONFIG_DIR!, 'config.json'), JSON.stringify(config), {
    mode: 0o600,
  });
});

async function proc(line: string, more: Readonly<Record<string, string>> = {}): Promise<Ran> {
  const words = line.replaceAll('@', `${folder}/`).split(' ');
  return runHere(words, { ...env, ...more });
}

async function file(name: string, content: string): Promise<void> {
  await writeFile(join(folder, name), content);
}

async function done(line: string, more?: Readonly<Record<string, string>>) {
  const ran = await proc(line, more);
  expect(ran.exitCode, `${line}\n${ran.stderr}`).toBe(0);
  return JSON.parse(ran.stdout);
}

/** All rows of the file were sent before, so nothing is sent. */
async function sentBefore(line: string, more?: Readonly<Record<string, string>>): Promise<void> {
  expect(await done(line, more)).toMatchObject({ created: 0, sentBefore: 1 });
}

async function organizationsOfRuns(more?: Readonly<Record<string, string>>): Promise<string[]> {
  const runs = (await done('imports list', more)) as { organization: string }[];
  return runs.map(({ organization }) => organization);
}

const BY_KEY = { PROC_PROFILE: 'acme' };
const SECOND = { ...BY_KEY, PROC_API_KEY: 'proc-sandbox-key-2' };

describe('writes of one organization never count for another one', () => {
  it('imports', async () => {
    await file('a.csv', 'reference,account,amount\nA,a,1\nB,a,2\n');
    expect(
      await done('imputations import @a.csv --yes --set contractId=k-1 -p acme'),
    ).toMatchObject({ created: 2 });
    const skipped = await done('imputations import @a.csv --yes --set contractId=k-1 -p globex');
    expect(skipped).toMatchObject({ created: 2, sentBefore: 0, unconfirmed: 0 });
    const again = await done('imputations import @a.csv --yes --set contractId=k-1 -p acme');
    expect(again).toMatchObject({ created: 0, sentBefore: 2 });
    const runs = await done('imports list');
    expect(runs.map(({ organization }: { organization: string }) => organization)).toEqual([
      'globex',
      'acme',
    ]);
  });
});

describe('a key that is in no profile', () => {
  beforeEach(async () => {
    await file('a.csv', 'reference,account,amount\nA,a,1\n');
  });

  it('stops an import if others have written, until it is named; the name is stored', async () => {
    await done('imputations import @a.csv --yes --set contractId=k-1 -p acme');
    const stopped = await proc('imputations import @a.csv --yes --set contractId=k-1', SECOND);
    expect(stopped.exitCode).toBe(2);
    const error = errorOf(stopped);
    expect(error).toMatchObject({ code: 'unknown_organization', details: { others: ['acme'] } });
    expect(error.message).toMatch(
      /^the key \(key-[0-9a-f]{12}\) is new on this machine, .* for other organizations: acme; nothing was sent$/,
    );
    expect(error.hint).toContain('PROC_ORGANIZATION=acme');
    expect(await organizationsOfRuns()).toEqual(['acme']);

    const line = 'imputations import @a.csv --yes --set contractId=k-1 --first-run';
    const named = await proc(line, { ...SECOND, PROC_ORGANIZATION: 'globex' });
    expect(JSON.parse(named.stdout)).toMatchObject({ created: 1 });
    await sentBefore('imputations import @a.csv --yes --set contractId=k-1', SECOND);
    expect(await organizationsOfRuns()).toEqual(['globex', 'acme']);
  });

  it('is stored as a mark, which is different in another state folder', async () => {
    const line = 'imputations import @a.csv --yes --set contractId=k-1';
    const elsewhere = { ...SECOND, PROC_STATE_DIR: join(folder, 'other') };
    await done(line, SECOND);
    // Else this machine would notice that it is another ledger.
    await rm(join(env.PROC_CONFIG_DIR!, 'memory'), { recursive: true });
    await done(line, elsewhere);
    const marks = [...(await organizationsOfRuns()), ...(await organizationsOfRuns(elsewhere))];
    expect(marks.every((mark) => /^key-[0-9a-f]{12}$/.test(mark))).toBe(true);
    expect(new Set(marks).size).toBe(2);
  });

  it('keeps the name of its first write: another one is refused, and changes nothing', async () => {
    const line = 'imputations import @a.csv --yes --set contractId=k-1';
    const unsent = line.replace('--yes', '--first-run');
    const declined = await proc(unsent, { ...SECOND, PROC_ORGANIZATION: 'acmes' });
    expect(errorOf(declined)).toMatchObject({ code: 'confirmation_required' });
    await done(line, { ...SECOND, PROC_ORGANIZATION: 'acme' });
    for (const words of [line, `${line} --first-run`, `${line} --dry-run`]) {
      const ran = await proc(words, { ...SECOND, PROC_ORGANIZATION: 'acmes' });
      expect(errorOf(ran)).toMatchObject({
        code: 'invalid_usage',
        message: 'this key writes as "acme", not as "acmes"; nothing was sent',
      });
    }
    await sentBefore(line, SECOND);
    expect(await organizationsOfRuns()).toEqual(['acme']);
  });

  it('with the name of an existing organization is its new key', async () => {
    await done('imputations import @a.csv --yes --set contractId=k-1 -p acme');
    await sentBefore('imputations import @a.csv --yes --set contractId=k-1', {
      ...SECOND,
      PROC_ORGANIZATION: 'acme',
    });
  });

  it('PROC_ORGANIZATION does not rename the key of a profile', async () => {
    const create = 'items create --name Bolt -p globex';
    const contradicted = await proc(create, { PROC_ORGANIZATION: 'acme' });
    expect(contradicted.exitCode).toBe(2);
    expect(errorOf(contradicted).message).toContain('the key belongs to the profile "globex"');
  });
});

it('the hint to a refused key names its environment or its variable', async () => {
  const origin = new URL(baseUrl).origin;
  const credential = { secret: 'wrong', origin };
  const globex = { environments: { local: { baseUrl, credential } } };
  const config = { profiles: { globex } };
  await writeFile(join(env.PROC_CONFIG_DIR!, 'config.json'), JSON.stringify(config));
  const stored = errorOf(await proc('orders list -p globex -e local'));
  expect(stored.code).toBe('unauthorized');
  expect(stored.hint).toContain('proc -p globex -e local profile show.');
  expect(stored.hint).toContain('proc -p globex -e local auth login.');
  const given = errorOf(await proc('orders list -p globex', { PROC_API_KEY: 'mistyped' }));
  expect(given.hint).toContain('PROC_API_KEY');
  expect(given.hint).not.toContain('auth login');
});

describe('auth login', () => {
  const login = async (flags: string, key: string) =>
    runHere(['auth', 'login', '--api-key-stdin', ...flags.split(' ')], env, { stdin: `${key}\n` });
  const line = 'imputations import @a.csv --yes --set contractId=k-1';
  const configOf = () => readFile(join(env.PROC_CONFIG_DIR!, 'config.json'), 'utf8');

  beforeEach(async () => {
    await file('a.csv', 'reference,account,amount\nA,a,1\n');
    await done('profile remove globex --yes');
  });

  it('over a stored key is a rotation: the organization stays, without a flag', async () => {
    // The organization has written under another name than that of its profile.
    await done('profile remove acme --yes');
    const ci = { PROC_BASE_URL: baseUrl, PROC_API_KEY: 'proc-sandbox-key' };
    await done(line, { ...ci, PROC_ORGANIZATION: 'acme-corp' });
    const add = `profile add acme -e local --base-url ${baseUrl} --api-key-stdin`;
    expect((await runHere(add.split(' '), env, { stdin: 'proc-sandbox-key\n' })).exitCode).toBe(0);
    const rotated = await login('-p acme', 'proc-sandbox-key-2');
    expect(rotated.exitCode, rotated.stderr).toBe(0);
    await sentBefore(`${line} -p acme`);
  });

  it('refuses a key that writes for another organization, and stores nothing', async () => {
    await done(line, { ...SECOND, PROC_ORGANIZATION: 'globex' });
    await done(`${line} -p acme`);
    const before = await configOf();
    const ran = await login('-p acme', 'proc-sandbox-key-2');
    expect(errorOf(ran)).toMatchObject({
      exitCode: 2,
      message: 'this key writes as "globex", not as "acme"; nothing was stored',
    });
    const other = await login('-p acme --organization other', 'proc-sandbox-key-2');
    expect(errorOf(other).message).toContain('writes as "acme", not as "other"');
    expect(await configOf()).toBe(before);
  });

  it('--organization: the profile writes under that name, on a machine that never wrote', async () => {
    await done(line, { ...SECOND, PROC_ORGANIZATION: 'globex' });
    await done(`profile add team -e local --base-url ${baseUrl}`);
    const named = await login('-p team --organization globex', 'new-key');
    expect(named.exitCode, named.stderr).toBe(0);
    await sentBefore(`${line} -p team`);
  });
});

it('a key that wrote without a name keeps its place when a profile gets it', async () => {
  await file('a.csv', 'reference,account,amount\nA,a,1\n');
  const line = 'imputations import @a.csv --yes --set contractId=k-1';
  const alone = { PROC_BASE_URL: baseUrl, PROC_CONFIG_DIR: join(folder, 'empty') };
  await done(line, { ...alone, PROC_API_KEY: 'proc-sandbox-key' });
  await sentBefore(`${line} -p acme`);
  // The next key of the profile is another key of the same organization.
  await sentBefore(line, { ...alone, PROC_API_KEY: 'other-key', PROC_ORGANIZATION: 'acme' });
});
