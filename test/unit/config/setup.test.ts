import { describe, expect, it } from 'vitest';
import { http, startHostile } from '../../support/hostile-service.ts';
import { startTestSandbox } from '../../support/sandbox.ts';
import { run } from './running.ts';
import { errorOf, freshWorld, targetOf } from './world.ts';

describe('setup', () => {
  it('asks, names /api/v1, checks with one read, and makes the profile current', async () => {
    const sandbox = await startTestSandbox();
    const w = freshWorld();
    const bare = sandbox.baseUrl.replace('/api/v1', '');
    const { data, questions } = await run(w, 'setup', {
      answers: [
        'a b',
        'acme.com',
        'local',
        'nonsense',
        'http://a.example/api/v1',
        bare,
        sandbox.baseUrl,
        'proc-sandbox-key',
      ],
    });
    expect(data).toEqual({ profile: 'acme.com', environment: 'local' });
    for (const problem of [
      'is not a valid',
      'must begin with https://',
      'unencrypted',
      sandbox.baseUrl,
    ]) {
      expect(questions).toContainEqual(expect.stringContaining(problem));
    }
    expect(await targetOf(w)).toMatchObject({ profile: 'acme.com', baseUrl: sandbox.baseUrl });
  });

  it('a key that could not be checked is saved only if the user agrees', async () => {
    await using service = await startHostile((socket) => socket.end(http(500)));
    const w = freshWorld();
    const given = ['acme', 'test.1', service.baseUrl, 'canary-key'];
    const refused = await run(w, 'setup', { answers: [...given, false] });
    expect(refused.result.kind).toBe('none');
    expect(refused.questions).toContain('Save it anyway?');
    const saved = await run(w, 'setup', { answers: [...given, true] });
    expect(saved.data).toEqual({ profile: 'acme', environment: 'test.1' });
    expect(refused.shown + saved.shown).not.toContain('canary');
    expect((await targetOf(w)).credential?.secret.reveal()).toBe('canary-key');
  });

  it('without a terminal: exit 2 and the flags to use instead', async () => {
    const error = await errorOf(() => run(freshWorld(), 'setup'));
    expect(error).toMatchObject({ code: 'invalid_usage', exitCode: 2 });
    expect(error.hint).toContain('proc profile add NAME -e ENV --base-url URL --api-key-stdin');
  });
});
