import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Sandbox } from '../../src/sandbox/server.ts';
import { type OwnOptions, startOwnSandbox, type Ways } from './dialects.ts';

/** A sandbox that ends with its test. */
export async function startTestSandbox(options: OwnOptions = {}): Promise<Sandbox> {
  const sandbox = await startOwnSandbox(options);
  onTestFinished(() => sandbox.close());
  return sandbox;
}

/** Sorts e.g. `limit=max,unknown=refuse` into names of parameters and habits. */
export function behaving(words: string): Required<Ways> {
  const isHabit = (word: string) => /^(unknown|collation)=/.test(word);
  const all = words.split(',');
  return {
    dialect: all.filter((word) => !isHabit(word)).join(','),
    habits: all.filter(isHabit).join(','),
  };
}

/** A fresh folder, removed with the test. */
export async function freshFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'proc-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
