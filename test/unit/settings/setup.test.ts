import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { inLang } from '../../../src/core/text/phrase.ts';
import { settingsMessages } from '../../../src/messages/settings.ts';
import { http, startHostile } from '../../support/hostile-service.ts';
import { startTestSandbox } from '../../support/sandbox.ts';
import { run } from './running.ts';
import { errorOf, freshWorld, targetOf, withKey } from './world.ts';

const OTHER = ' ';

describe('setup', () => {
  it('asks, checks with one read, proposes /api/v1 and makes the profile current', async () => {
    const sandbox = await startTestSandbox();
    const w = freshWorld();
    const bare = sandbox.baseUrl.replace('/api/v1', '');
    const { data, questions, said } = await run(w, 'setup', {
      answers: [
        'a b',
        'sandbox',
        'acme.com',
        'local',
        'nonsense',
        'http://a.example',
        bare,
        true,
        'proc-sandbox-key',
        false,
      ],
    });
    expect(data).toEqual({ profile: 'acme.com', environments: ['local'] });
    expect(questions).toContain(`Base URLs of the service end in /api/v1. Use ${sandbox.baseUrl}?`);
    expect(said.filter(({ kind }) => kind === 'warning').map(({ text }) => text)).toEqual([
      expect.stringContaining('is not a valid'),
      expect.stringContaining('built in'),
      expect.stringContaining('must begin with https://'),
      expect.stringContaining('unencrypted'),
    ]);
    expect(await targetOf(w)).toMatchObject({ profile: 'acme.com', baseUrl: sandbox.baseUrl });
  });

  it('asks again for a key that the service rejects', async () => {
    const sandbox = await startTestSandbox();
    const w = freshWorld();
    const answers = [
      'acme',
      OTHER,
      'test.1',
      sandbox.baseUrl,
      'canary-key',
      'proc-sandbox-key',
      false,
    ];
    const { data, questions, said, shown } = await run(w, 'setup', { answers });
    expect(data).toEqual({ profile: 'acme', environments: ['test.1'] });
    expect(questions.filter((text) => text.startsWith('API key for'))).toHaveLength(2);
    expect(shown).not.toContain('canary');
    // Before the profile is saved, no message may name a command that needs the profile.
    const beforeSaved = said.slice(0, -1).map(({ text }) => inLang(text, 'en'));
    expect(beforeSaved.filter((text) => text.includes('proc auth'))).toEqual([]);
    expect(said.at(-2)!.text).toBe('Done. To try it, run: proc orders list -p acme');
    expect(said.at(-1)!.text).toBe(
      'Before the first import, learn how the service stores and lists: proc doctor --rehearse -p acme -e test.1',
    );
    expect((await targetOf(w)).credential?.secret.reveal()).toBe('proc-sandbox-key');
  });

  it('a key that could not be checked is saved only if the user agrees', async () => {
    await using service = await startHostile((socket) => socket.end(http(500)));
    const w = freshWorld();
    const given = ['acme', OTHER, 'test.1', service.baseUrl, 'canary-key'];
    const refused = await run(w, 'setup', { answers: [...given, false, false] });
    expect(refused.result.kind).toBe('none');
    expect(refused.questions).toContain('Save it anyway?');
    const saved = await run(w, 'setup', { answers: [...given, true, false] });
    expect(saved.data).toEqual({ profile: 'acme', environments: ['test.1'] });
    expect(refused.shown + saved.shown).not.toContain('canary');
    expect((await targetOf(w)).credential?.secret.reveal()).toBe('canary-key');
  });

  it('several environments, in Spanish, next to a profile that stays current if the user wants it', async () => {
    const sandbox = await startTestSandbox();
    const w = freshWorld();
    w.config({
      profile: 'old',
      profiles: { old: { environments: { x: withKey('https://o.example', 'canary-old') } } },
    });
    const { questions, shown } = await run(w, 'setup', {
      lang: 'es',
      answers: [
        'neu',
        'staging',
        sandbox.baseUrl,
        'canary-old',
        '',
        true,
        'local',
        sandbox.baseUrl,
        'proc-sandbox-key',
        false,
        false,
      ],
    });
    expect(questions[0]).toBe('Nombre del perfil (por ejemplo, la organización)');
    expect(questions.at(-1)).toBe('¿Usar "neu" como perfil actual?');
    expect(shown).not.toContain('canary');
    const config = JSON.parse(readFileSync(w.configFile, 'utf8'));
    expect(config.profile).toBe('old');
    expect(Object.keys(config.profiles.neu.environments)).toEqual(['staging', 'local']);
  });

  it('without a terminal: exit 2 and the flags to use instead', async () => {
    const error = await errorOf(() => run(freshWorld(), 'setup'));
    expect(error).toMatchObject({ code: 'invalid_usage', exitCode: 2 });
    expect(error.hint).toContain('proc profile add NAME -e ENV --base-url URL --api-key-stdin');
  });

  it('both languages have every message', () => {
    const keys = (group: object) => Object.entries(group).map(([k, v]) => [k, Object.keys(v)]);
    expect(keys(settingsMessages.es)).toEqual(keys(settingsMessages.en));
  });
});
