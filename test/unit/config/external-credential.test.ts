import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCredentialCommand } from '../../../src/config/resolve-target.ts';
import { errorOf, freshWorld, targetOf, type World } from './world.ts';

const NODE = process.execPath;

function run(w: World, script: string, limitMs?: number): Promise<string> {
  return runCredentialCommand([NODE, '-e', script], 'api-key', w.env, limitMs);
}

describe('credentialCommand', () => {
  it('is what the command prints, trimmed', async () => {
    expect(await run(freshWorld(), `console.log(' canary-key ')`)).toBe('canary-key');
  });

  it.each([
    ['process.exit(3)', 'failed with exit code 3'],
    [
      `console.log('canary-key'); console.error('canary-key: Y2FuYXJ5'); process.exitCode = 1`,
      'failed with exit code 1',
    ],
    [`process.kill(process.pid, 'SIGTERM'); setTimeout(() => {}, 9e4)`, 'was killed with SIGTERM'],
    ['', 'printed nothing'],
    [`console.log('canary-key\\ncanary-key-2')`, 'more than one line'],
    [`console.log('x'.repeat(1e6))`, 'larger than 65536'],
  ])('%s', async (script, problem) => {
    const error = await errorOf(() => run(freshWorld(), script));
    expect(error).toMatchObject({ code: 'credential_command', exitCode: 3 });
    expect(error.message).toContain(problem);
    expect(error.message).not.toContain('Y2FuYXJ5');
    expect(error.message).not.toContain('canary');
  });

  it('has a time limit even if a grandchild holds the pipe', async () => {
    const script = `require('node:child_process').spawn(process.execPath, ['-e', 'setTimeout(() => {}, 3000)'], { stdio: 'inherit' }); setTimeout(() => {}, 3000)`;
    const error = await errorOf(() => run(freshWorld(), script, 300));
    expect(error.message).toContain('timed out after 300 milliseconds');
  });

  it('may not exist', async () => {
    const argv = ['proc-no-such-command', 'show'];
    const error = await errorOf(() => runCredentialCommand(argv, 'api-key', freshWorld().env));
    expect(error.message).toBe(
      'credentialCommand "proc-no-such-command": Command failed with ENOENT',
    );
  });

  it.runIf(process.platform !== 'win32')('runs without a shell: words stay words', async () => {
    const w = freshWorld();
    const script = join(w.home, 'show');
    writeFileSync(script, `#!/bin/sh\nprintf '%s' "$1"\n`);
    chmodSync(script, 0o700);
    expect(await runCredentialCommand([script, '$(id)|x;y'], 'api-key', w.env)).toBe('$(id)|x;y');
  });

  it('is bound to the address of its environment, and runs only when needed', async () => {
    const w = freshWorld();
    const baseUrl = 'https://a.example/api/v1';
    const environment = {
      baseUrl,
      credentialCommand: {
        argv: [NODE, '-e', `console.log('canary-key')`],
        origin: 'https://a.example',
      },
      scheme: 'bearer' as const,
    };
    w.config({ profile: 'p', profiles: { p: { environments: { e: environment } } } });
    const { credential } = await targetOf(w);
    expect(credential?.scheme).toBe('bearer');
    expect(credential?.secret.reveal()).toBe('canary-key');
    expect((await targetOf(w, { needCredential: false })).credential).toBeUndefined();
    const variables = { PROC_BASE_URL: 'https://b.example/api/v1' };
    expect((await errorOf(() => targetOf(w, { variables }))).code).toBe('no_credential');
  });

  it('conflicts with a stored key', async () => {
    const w = freshWorld();
    const environment = {
      baseUrl: 'https://a.example',
      credentialCommand: { argv: ['pass'], origin: 'https://a.example' },
      credential: { secret: 'canary-key', origin: 'https://a.example' },
    };
    w.config({ profile: 'p', profiles: { p: { environments: { e: environment } } } });
    const error = await errorOf(() => targetOf(w));
    expect(error).toMatchObject({ code: 'invalid_setting' });
    expect(error.hint).toContain('proc auth logout -p p -e e');
  });
});
