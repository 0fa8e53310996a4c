import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { resolveTarget } from '../../../src/config/resolve-target.ts';
import type { Config } from '../../../src/config/settings.ts';
import { ProcError } from '../../../src/core/errors.ts';
import type { Env, Message } from '../../../src/core/io.ts';
import type { KeyedTarget } from '../../../src/core/service.ts';

export interface World {
  readonly home: string;
  readonly cwd: string;
  readonly configFile: string;
  readonly env: Env;
  config(config: Config): void;
}

export function freshWorld(): World {
  const home = mkdtempSync(join(tmpdir(), 'proc-settings-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const cwd = join(home, 'work', 'project');
  mkdirSync(cwd, { recursive: true });
  const configFile = join(home, 'config', 'config.json');
  return {
    home,
    cwd,
    configFile,
    env: {
      HOME: home,
      PATH: '/usr/bin:/bin',
      PROC_CONFIG_DIR: join(home, 'config'),
      PROC_STATE_DIR: join(home, 'state'),
    },
    config(config) {
      mkdirSync(join(home, 'config'), { recursive: true, mode: 0o700 });
      writeFileSync(configFile, JSON.stringify(config), { mode: 0o600 });
    },
  };
}

export interface Asked {
  readonly profile?: string;
  readonly env?: string;
  readonly variables?: Env;
  readonly needCredential?: boolean;
  readonly said?: Message[];
}

export function targetOf(world: World, asked: Asked = {}): Promise<KeyedTarget> {
  return resolveTarget({
    flags: { profile: asked.profile, env: asked.env },
    env: { ...world.env, ...asked.variables },
    needCredential: asked.needCredential ?? true,
    say: (message) => asked.said?.push(message),
  });
}

export async function errorOf(work: () => unknown): Promise<ProcError> {
  try {
    await work();
  } catch (thrown) {
    if (thrown instanceof ProcError) return thrown;
    throw thrown;
  }
  throw new Error('expected an error, got none');
}

export function withKey(baseUrl: string, secret: string) {
  const credential = { secret, origin: new URL(baseUrl).origin };
  return { baseUrl, credential };
}
