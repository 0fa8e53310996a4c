import { describe, expect, it } from 'vitest';
import { errorOf, freshWorld, targetOf, type World, withKey } from './world.ts';

const url = (profile: string, env: string) => `https://${profile}.example/${env}/api/v1`;

/**
 * Three profiles with the same three environments: one name for each source (flag, variable, configuration).
 */
function world(current?: string): World {
  const fresh = freshWorld();
  const environments = (profile: string) =>
    Object.fromEntries(
      ['flag', 'variable', 'config'].map((env) => [
        env,
        withKey(url(profile, env), `key-of-${profile}`),
      ]),
    );
  fresh.config({
    ...(current === undefined ? {} : { profile: current }),
    profiles: Object.fromEntries(
      ['flag', 'variable', 'config'].map((profile) => [
        profile,
        { environments: environments(profile), defaultEnvironment: 'config' },
      ]),
    ),
  });
  return fresh;
}

const strongest = (...sources: (string | false)[]): string | undefined =>
  sources.find((source): source is string => source !== false);

describe('precedence: flag > variable > current profile', () => {
  const both = [true, false];
  const cases = both.flatMap((flag) =>
    both.flatMap((variable) => both.map((config) => ({ flag, variable, config }))),
  );
  it.each(cases)('profile: $flag $variable $config', async (given) => {
    const w = world(given.config ? 'config' : undefined);
    const asked = {
      ...(given.flag ? { profile: 'flag' } : {}),
      variables: { PROC_PROFILE: given.variable ? 'variable' : '' },
    };
    const profile = strongest(
      given.flag && 'flag',
      given.variable && 'variable',
      given.config && 'config',
    );
    if (profile === undefined) {
      expect((await errorOf(() => targetOf(w, asked))).code).toBe('no_target');
    } else {
      const target = await targetOf(w, asked);
      expect(target).toMatchObject({
        profile,
        environment: 'config',
        baseUrl: url(profile, 'config'),
      });
      expect(target.credential?.secret.reveal()).toBe(`key-of-${profile}`);
      expect(target.isProtected).toBe(true);
    }
  });

  it.each(cases)('environment: $flag $variable $config', async (given) => {
    const w = world('config');
    const target = await targetOf(w, {
      ...(given.flag ? { env: 'flag' } : {}),
      variables: { PROC_ENV: given.variable ? 'variable' : undefined },
    });
    const environment = strongest(given.flag && 'flag', given.variable && 'variable') ?? 'config';
    expect(target).toMatchObject({ profile: 'config', environment });
  });

  it('names in PROC_LIST_NAMES replace those of the environment', async () => {
    const w = freshWorld();
    const environment = {
      ...withKey(url('a', 'b'), 'k'),
      listNames: 'limit=max,items.offset=skip',
    };
    w.config({ profile: 'a', profiles: { a: { environments: { b: environment } } } });
    const stored = await targetOf(w);
    expect(stored.dialect('items')).toMatchObject({ limit: 'max', offset: 'skip' });
    expect(stored.dialect('orders')).toMatchObject({ limit: 'max', offset: 'offset' });
    const given = await targetOf(w, { variables: { PROC_LIST_NAMES: 'offset=from' } });
    expect(given.dialect('items')).toMatchObject({ limit: 'limit', offset: 'from' });
  });
});

describe('missing names', () => {
  it.each([
    [{ profile: 'flga' }, {}, 'profile_not_found', '"flag"'],
    [{ profile: '' }, {}, 'profile_not_found', 'profile list'],
    [{}, { PROC_PROFILE: 'confg' }, 'profile_not_found', '"config"'],
    [{}, { PROC_PROFILE: 'constructor' }, 'profile_not_found', 'profile list'],
    [{ env: 'confi' }, {}, 'profile_not_found', '"config"'],
    [{ env: 'toString' }, {}, 'profile_not_found', 'flag, variable, config'],
  ] as const)('%j %j: %s', async (flags, variables, code, hint) => {
    const error = await errorOf(() => targetOf(world('config'), { ...flags, variables }));
    expect(error).toMatchObject({ code, exitCode: 3 });
    expect(error.hint).toContain(hint);
  });

  it('name the variable that contains them', async () => {
    const w = world();
    const variables = { PROC_PROFILE: 'nobody' };
    expect((await errorOf(() => targetOf(w, { variables }))).message).toContain('PROC_PROFILE');
  });

  it('several environments and none selected: lists them', async () => {
    const w = freshWorld();
    const one = withKey(url('a', 'b'), 'k');
    w.config({
      profile: 'a',
      profiles: { a: { environments: { staging: one, production: one } } },
    });
    const error = await errorOf(() => targetOf(w));
    expect(error).toMatchObject({ code: 'profile_not_found' });
    expect(error.hint).toContain('staging, production');
    expect(error.hint).toContain('-e');
  });
});
