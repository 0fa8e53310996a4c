import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Ports } from '../../../src/core/ports.ts';
import { settleMsOf } from '../../../src/import/run-options.ts';
import { register } from '../../../src/sandbox/server/registration.ts';
import { type Sandbox, startSandbox } from '../../../src/sandbox/server/server.ts';
import { freshFolder } from '../../support/sandbox.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ control: { token: 'ours', stop: () => undefined } });
});
afterAll(() => sandbox.close());

interface Case {
  readonly setting?: number;
  readonly timeoutMs?: number;
  /** What the state folder has registered; undefined if nothing. */
  readonly registered?: {
    readonly token?: string;
    readonly settleMs?: number;
    readonly port?: number;
  };
  readonly host?: string;
}

async function settle({ setting, timeoutMs = 30_000, registered, host }: Case) {
  const env = { PROC_STATE_DIR: await freshFolder() };
  const { port, baseUrl, dbPath } = sandbox;
  if (registered !== undefined) {
    register(env, {
      url: baseUrl,
      pid: 1,
      db: dbPath,
      key: 'k',
      port: registered.port ?? port,
      control: registered.token ?? 'ours',
      settleMs: registered.settleMs ?? 2_000,
    });
  }
  const target = {
    settleMs: setting,
    baseUrl: host === undefined ? baseUrl : baseUrl.replace('127.0.0.1', host),
  };
  const ports = { api: { target: async () => target }, self: { env, flags: { timeoutMs } } };
  return settleMsOf(ports as unknown as Ports<'api' | 'self'>);
}

const own = {};

describe('the settle time', () => {
  it.each<[string, Case, number]>([
    ['is twice the timeout', {}, 60_000],
    ['is at least 30 s', { timeoutMs: 5_000 }, 30_000],
    ['is short for a sandbox that this state folder started', { registered: own }, 2_000],
    ['has the delays that this sandbox simulates', { registered: { settleMs: 5_000 } }, 5_000],
    ['is not short for another sandbox at this address', { registered: { token: 'x' } }, 60_000],
    ['is not short for another port', { registered: { port: 1 } }, 60_000],
    ['is not short for another name of the host', { registered: own, host: 'localhost' }, 60_000],
    ['is the setting of the environment', { registered: own, setting: 9_000 }, 9_000],
  ])('%s', async (_, one, ms) => {
    expect(await settle(one)).toBe(ms);
  });
});
