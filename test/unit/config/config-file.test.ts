import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../../src/config/config-file.ts';
import { updateConfig } from '../../../src/config/write-config.ts';
import { errorOf, freshWorld, withKey } from './world.ts';

const A = 'https://a.example/api/v1';
const SECRET = { profiles: { acme: { environments: { production: withKey(A, 'canary-key') } } } };

describe('a configuration file that cannot be used', () => {
  /** A file with one environment, which has these fields. */
  const one = (fields: string) => `{"profiles": {"a.b": {"environments": {"p": {${fields}}}}}}`;

  it.each([
    ['{"profiles": {"acme":', 'line 1, column 22'],
    ['{\n  "profile": "acme",\n}', 'line 3, column 1: trailing comma'],
    ['', 'the text is empty'],
    ['[]', 'must be of type object'],
    ['{"profile": 3}', 'profile must be of type string'],
    ['{"profiles": {"acme": {}}}', 'profiles.acme.environments'],
    ['{"profile": "a", "profile": "b"}', 'duplicate field "profile"'],
    ['{"profiles": {"a b": {"environments": {}}}}', '"a b" is not a valid name'],
    [one('"baseUrl": 1'), 'profiles."a.b".environments.p.baseUrl must be of type string'],
    [one('"baseUrl": "x", "protected": "no"'), 'protected must be one of true, false'],
    [one('"baseUrl": "x", "scheme": "basic"'), 'scheme must be one of api-key, bearer'],
    [one('"baseUrl": "x", "readonly": true'), 'p has an unknown setting: "readonly"'],
    [one('"baseUrl": "x", "settle": "soon"'), 'settle must be a time such as 5s'],
    [one('"credential": {"secret": 12345678901234567890}'), 'would be rounded'],
    [
      one('"baseUrl": "x", "credential": {"secret": ["canary"], "origin": "x"}'),
      'credential.secret must be of type string',
    ],
    [
      one('"baseUrl": "x", "credentialCommand": {"argv": [], "origin": "x"}'),
      'credentialCommand.argv must not be empty',
    ],
  ])('%s', async (content, problem) => {
    const w = freshWorld();
    mkdirSync(dirname(w.configFile), { mode: 0o700 });
    writeFileSync(w.configFile, content, { mode: 0o600 });
    for (const work of [() => readConfig(w.env), () => updateConfig(w.env, () => undefined)]) {
      const error = await errorOf(work);
      expect(error).toMatchObject({ code: 'config_unreadable', exitCode: 3 });
      expect(error.message).toContain(w.configFile);
      expect(error.message).toContain(problem);
      expect(error.message).not.toMatch(/canary|12345678901234567890/);
    }
    expect(readFileSync(w.configFile, 'utf8')).toBe(content);
    expect(readdirSync(dirname(w.configFile))).toEqual(['config.json']);
  });

  it('that is missing means that nothing is configured', () => {
    expect(readConfig(freshWorld().env)).toEqual({});
  });

  it('whose folder cannot be created', async () => {
    const w = freshWorld();
    writeFileSync(join(w.home, 'config'), '');
    const error = await errorOf(() => updateConfig(w.env, () => undefined));
    expect(error).toMatchObject({ exitCode: 3 });
    expect(error.message).toContain(w.configFile);
  });
});

describe.runIf(process.platform !== 'win32')('who may read and write it', () => {
  it('a new file is 0600 in a folder that is 0700', async () => {
    const w = freshWorld();
    await updateConfig(w.env, (draft) => Object.assign(draft, SECRET));
    expect(statSync(w.configFile).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(w.configFile)).mode & 0o777).toBe(0o700);
    expect(readdirSync(dirname(w.configFile))).toEqual(['.config.json.lock', 'config.json']);
  });

  it.each([0o640, 0o604])('mode %o with a secret is refused', async (mode) => {
    const w = freshWorld();
    w.config(SECRET);
    chmodSync(w.configFile, mode);
    for (const work of [() => readConfig(w.env), () => updateConfig(w.env, () => undefined)]) {
      const error = await errorOf(work);
      expect(error).toMatchObject({ code: 'config_insecure', exitCode: 3 });
      expect(error.hint).toBe(`chmod 600 ${w.configFile}`);
    }
  });

  it('without a secret, others may read it', () => {
    const w = freshWorld();
    w.config({ profile: 'acme' });
    chmodSync(w.configFile, 0o644);
    expect(readConfig(w.env)).toEqual({ profile: 'acme' });
  });

  it('a command that others could change, or a folder that they can write to, is refused too', async () => {
    const w = freshWorld();
    const credentialCommand = { argv: ['pass'], origin: 'https://a.example' };
    const production = { baseUrl: A, credentialCommand };
    w.config({ profiles: { acme: { environments: { production } } } });
    chmodSync(w.configFile, 0o620);
    expect((await errorOf(() => readConfig(w.env))).code).toBe('config_insecure');
    chmodSync(w.configFile, 0o600);
    chmodSync(dirname(w.configFile), 0o770);
    const error = await errorOf(() => readConfig(w.env));
    expect(error.hint).toBe(`chmod 700 ${dirname(w.configFile)}`);
  });

  it('a symbolic link stays a link, and its target is written', async () => {
    const w = freshWorld();
    w.config(SECRET);
    const real = join(w.home, 'dotfiles.json');
    renameSync(w.configFile, real);
    symlinkSync(real, w.configFile);
    await updateConfig(w.env, (draft) => {
      draft.profile = 'acme';
    });
    expect(lstatSync(w.configFile).isSymbolicLink()).toBe(true);
    expect(JSON.parse(readFileSync(real, 'utf8'))).toEqual({ ...SECRET, profile: 'acme' });
    expect(statSync(real).mode & 0o777).toBe(0o600);
  });
});

describe('writing', () => {
  it('changes nothing if the change throws', async () => {
    const w = freshWorld();
    w.config(SECRET);
    const before = readFileSync(w.configFile, 'utf8');
    await expect(
      updateConfig(w.env, (draft) => {
        draft.profile = 'acme';
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    expect(readFileSync(w.configFile, 'utf8')).toBe(before);
    expect(readdirSync(dirname(w.configFile))).toEqual(['config.json']);
  });
});
