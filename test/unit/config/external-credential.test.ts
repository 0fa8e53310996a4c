import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCredentialCommand } from '../../../src/config/resolve-target.ts';
import { errorOf, freshWorld, targetOf } from './world.ts';

const run = (argv: readonly string[], limitMs?: number): Promise<string> =>
  runCredentialCommand(argv, 'api-key', freshWorld().env, limitMs);
const shell = (script: string, limitMs?: number) => run(['sh', '-c', script], limitMs);

describe('credentialCommand', () => {
  it('is what the command prints, trimmed, without a shell between', async () => {
    expect(await run(['printf', ' %s\n', '$(id)|x;y'])).toBe('$(id)|x;y');
  });

  it.each([
    ['exit 3', 'failed with exit code 3'],
    ['echo canary-key; echo canary-key: Y2FuYXJ5 >&2; exit 1', 'failed with exit code 1'],
    ['kill -TERM $$', 'was killed with SIGTERM'],
    ['true', 'printed nothing'],
    ['echo canary-key; echo canary-key-2', 'more than one line'],
    ['head -c 1000000 /dev/zero | tr "\\0" x', 'larger than 65536'],
  ])('%s', async (script, problem) => {
    const error = await errorOf(() => shell(script));
    expect(error).toMatchObject({ code: 'credential_command', exitCode: 3 });
    expect(error.message).toContain(problem);
    expect(error.message).not.toMatch(/Y2FuYXJ5|canary/);
  });

  it('has a time limit even if a grandchild holds the pipe', async () => {
    const ended = join(freshWorld().home, 'ended');
    const error = await errorOf(() => shell(`(sleep 3; touch ${ended}) & wait`, 300));
    expect(error.message).toContain('timed out after 300 milliseconds');
    expect(existsSync(ended)).toBe(false);
  });

  it('may not exist', async () => {
    const error = await errorOf(() => run(['proc-no-such-command', 'show']));
    expect(error).toMatchObject({ code: 'credential_command' });
    expect(error.message).toContain('ENOENT');
  });

  it('is bound to the address of its environment, and conflicts with a stored key', async () => {
    const w = freshWorld();
    const origin = 'https://a.example';
    const credentialCommand = { argv: ['echo', 'canary-key'], origin };
    const environment = {
      baseUrl: `${origin}/api/v1`,
      credentialCommand,
      scheme: 'bearer',
    } as const;
    w.config({ profile: 'p', profiles: { p: { environments: { e: environment } } } });
    const { credential } = await targetOf(w);
    expect([credential?.scheme, credential?.secret.reveal()]).toEqual(['bearer', 'canary-key']);
    expect((await targetOf(w, { needCredential: false })).credential).toBeUndefined();
    const variables = { PROC_BASE_URL: 'https://b.example/api/v1' };
    expect((await errorOf(() => targetOf(w, { variables }))).code).toBe('no_credential');
    const both = { ...environment, credential: { secret: 'canary-key', origin } };
    w.config({ profile: 'p', profiles: { p: { environments: { e: both } } } });
    const error = await errorOf(() => targetOf(w));
    expect(error).toMatchObject({ code: 'invalid_setting' });
    expect(error.hint).toContain('proc auth logout -p p -e e');
  });
});
