import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import type { EnvironmentSettings } from '../../../src/config/settings.ts';
import { run } from './running.ts';
import { errorOf, freshWorld, targetOf, type World } from './world.ts';

const A = 'https://a.example/api/v1';
const B = 'https://b.example/api/v1';
const KEY = { secret: 'canary-key', origin: 'https://a.example' };

/** What an environment binds to the origin it was set for. */
const BOUND: Readonly<Record<string, Partial<EnvironmentSettings>>> = {
  'a stored key': { credential: KEY },
  'a credentialCommand': {
    credentialCommand: {
      argv: [process.execPath, '-e', `console.log('canary-key')`],
      origin: 'https://a.example',
    },
  },
};

const withSettings = (w: World, baseUrl: string, settings: Partial<EnvironmentSettings>) =>
  w.config({
    profile: 'p',
    profiles: { p: { environments: { e: { baseUrl, ...settings } } } },
  });

describe.each(Object.entries(BOUND))('%s', (_, settings) => {
  it('does not go to another origin, however that was selected', async () => {
    const w = freshWorld();
    withSettings(w, B, settings);
    const error = await errorOf(() => targetOf(w));
    expect(error).toMatchObject({ code: 'credential_origin', exitCode: 3 });
    expect(error.message).toContain('belongs to https://a.example');
    expect(error.hint).toMatch(/proc (auth login|profile set) -?/);
    withSettings(w, A, settings);
    const variables = { PROC_BASE_URL: B };
    expect((await errorOf(() => targetOf(w, { variables }))).code).toBe('no_credential');
    const named = { variables, profile: 'p' };
    expect((await errorOf(() => targetOf(w, named))).code).toBe('invalid_setting');
  });

  it('goes to the origin it was set for, whatever the path', async () => {
    const w = freshWorld();
    withSettings(w, 'https://a.example/other/v2', settings);
    const target = await targetOf(w);
    expect(target.credential?.secret.reveal()).toBe('canary-key');
  });
});

it('the key of a credentialCommand does not follow a changed base-url; setting the command again binds it', async () => {
  const w = freshWorld();
  withSettings(w, A, {});
  const command = `credentialCommand=${JSON.stringify([process.execPath, '-e', `console.log('canary-key')`])}`;
  const set = (...settings: readonly string[]) =>
    run(w, 'profile set', { args: { name: 'p', settings }, env: 'e' });
  await set(command);
  expect((await targetOf(w)).credential?.secret.reveal()).toBe('canary-key');
  const { said } = await set(`base-url=${B}`);
  expect(said.map(({ text }) => text).join()).toContain('belongs to https://a.example');
  const error = await errorOf(() => targetOf(w));
  expect(error.code).toBe('credential_origin');
  // Both name the command that binds it to the new address, as a shell reads it.
  for (const text of [error.hint, said.at(-1)!.text]) {
    const [, typed] = /proc (profile set .*)$/.exec(text!)!;
    const words = execFileSync('sh', ['-c', `printf '%s\\n' ${typed}`]).toString();
    expect(words.trimEnd().split('\n').at(-1)).toBe(command);
  }
  await set(command);
  expect((await targetOf(w)).credential?.secret.reveal()).toBe('canary-key');
});
