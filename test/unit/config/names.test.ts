import { describe, expect, it } from 'vitest';
import { newName } from '../../../src/config/config-file.ts';
import { addEnvironment, updateConfig } from '../../../src/config/write-config.ts';
import { Secret } from '../../../src/core/secret.ts';
import { errorOf, freshWorld, targetOf, withKey } from './world.ts';

const BASE = 'https://api.acme.com/api/v1';

describe('names of profiles and environments', () => {
  it.each(['acme.com', 'ACME-2', '3m', 'señal_ñ', '購買', 'constructor', 'toString', 'a..b'])(
    '%s can be stored and found, and leaves other profiles alone',
    async (name) => {
      expect(newName(name.normalize('NFD'), 'profile')).toBe(name);
      const world = freshWorld();
      const other = { environments: { x: withKey(BASE, 'other-key') } };
      world.config({ profiles: { other } });
      const credential = { scheme: 'api-key', secret: new Secret('this-key') } as const;
      const place = { profile: name, environment: name };
      await updateConfig(world.env, (draft) =>
        addEnvironment(draft, place, { baseUrl: BASE }, credential),
      );
      for (const [profile, env, key] of [
        [name, name, 'this-key'],
        ['other', 'x', 'other-key'],
      ] as const) {
        const target = await targetOf(world, { profile, env });
        expect(target).toMatchObject({ profile, environment: env });
        expect(target.credential?.secret.reveal()).toBe(key);
      }
    },
  );

  it.each([
    ...['', ' ', 'a b', '__proto__', '.hidden', '-p', '..', 'a/b', 'a\\b', 'a"b', "a'b", 'a$b'],
    ...['a\nb', 'a\u202eb', 'a\u0000', '😀', 'x'.repeat(65)],
  ])('%j is refused', async (name) => {
    const error = await errorOf(() => newName(name, 'profile'));
    expect(error).toMatchObject({ code: 'invalid_usage', exitCode: 2 });
  });
});
