import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isName, newName } from '../../../src/config/config-file.ts';
import { addEnvironment, updateConfig } from '../../../src/config/write-config.ts';
import { Secret } from '../../../src/core/secret.ts';
import { errorOf, freshWorld, targetOf, withKey } from './world.ts';

const BASE = 'https://api.acme.com/api/v1';

describe('names of profiles and environments', () => {
  it.each([
    'acme',
    'acme.com',
    'ACME-2',
    '3m',
    'señal_ñ',
    '購買',
    'constructor',
    'toString',
    'a..b',
  ])('%s is a name', (name) => expect(newName(name, 'profile')).toBe(name));

  it.each([
    '',
    ' ',
    'a b',
    '__proto__',
    '.hidden',
    '-p',
    '..',
    'a/b',
    'a\\b',
    'a"b',
    "a'b",
    'a$b',
    'a\nb',
    'a\u202eb',
    'a\u0000',
    '😀',
    'x'.repeat(65),
  ])('%j is refused', async (name) => {
    const error = await errorOf(() => newName(name, 'profile'));
    expect(error).toMatchObject({ code: 'invalid_usage', exitCode: 2 });
    expect(error.hint).toContain('starts with a letter or digit');
  });

  it('two Unicode spellings of one name are the same name', () => {
    expect(newName('sen\u0303al', 'profile')).toBe(newName('se\u00f1al', 'profile'));
  });

  it('every name can be stored and found, and leaves other profiles alone', async () => {
    const nameOf = fc
      .oneof(
        fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,20}$/),
        fc.constantFrom('constructor', 'hasOwnProperty', 'acme.com', '0', 'valueOf', 'ñandú.é'),
        fc.string({ unit: 'grapheme', maxLength: 12 }),
      )
      .map((name) => name.normalize('NFC'));
    await fc.assert(
      fc.asyncProperty(nameOf, nameOf, async (profile, environment) => {
        const world = freshWorld();
        world.config({
          profiles: { other: { environments: { production: withKey(BASE, 'other-key') } } },
        });
        const add = () =>
          updateConfig(world.env, (draft) => {
            const credential = { scheme: 'api-key', secret: new Secret('this-key') } as const;
            addEnvironment(draft, { profile, environment }, { baseUrl: BASE }, credential);
          });
        if (profile === 'other' || !isName(profile) || !isName(environment)) {
          if (profile !== 'other' || !isName(environment)) {
            expect((await errorOf(add)).exitCode).toBe(2);
          }
        } else {
          await add();
          const target = await targetOf(world, { profile, env: environment });
          expect(target).toMatchObject({ profile, environment });
          expect(target.credential?.secret.reveal()).toBe('this-key');
        }
        const other = await targetOf(world, { profile: 'other', env: 'production' });
        expect(other.credential?.secret.reveal()).toBe('other-key');
      }),
      { numRuns: 20 },
    );
  });
});
