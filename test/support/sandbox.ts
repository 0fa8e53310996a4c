import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/server.ts';

/** A sandbox for the length of `fn`: any free port, ephemeral unless told otherwise. */
export async function withSandbox<T>(
  options: SandboxOptions,
  fn: (sandbox: Sandbox) => Promise<T>,
): Promise<T> {
  const sandbox = await startSandbox(options);
  try {
    return await fn(sandbox);
  } finally {
    await sandbox.close();
  }
}

/** A sandbox that ends with the test that starts it. */
export async function startTestSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await startSandbox(options);
  onTestFinished(() => sandbox.close());
  return sandbox;
}

/** A fresh folder that goes with the test. */
export async function freshFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'proc-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
