import { join } from 'node:path';
import type { Env } from '../../core/ports.ts';
import { PUBLISHED_KEYS } from '../../core/service/hiding.ts';
import { readRegularFile } from '../../store/regular-file.ts';
import { type BaseUrl, parseBaseUrl } from './base-url.ts';
import { stateDir } from './paths.ts';

/** The built-in profile, which is the default if nothing is configured. */
export const SANDBOX_PROFILE = 'sandbox';
export const SANDBOX_ENVIRONMENT = 'local';
export const DEFAULT_PORT = 4010;

/** Not a secret: this key only opens sandboxes on loopback. */
export const SANDBOX_KEY = PUBLISHED_KEYS[0]!;

/** The URL that the running sandbox stored in the state folder, or the URL of its usual port. */
export function sandboxUrl(env: Env): BaseUrl {
  try {
    const file = JSON.parse(readRegularFile(join(stateDir(env), 'sandbox.json')).text) as {
      url?: unknown;
    };
    const url = parseBaseUrl(String(file.url), 'sandbox.json');
    if (url.isLoopback) {
      return url.path === '' ? parseBaseUrl(`${url.href}/api/v1`, 'sandbox.json') : url;
    }
  } catch {
    // Without a usable file, the default URL applies.
  }
  return parseBaseUrl(`http://127.0.0.1:${usualPort(env)}/api/v1`, 'the built-in sandbox');
}

export function portFile(env: Env): string {
  return join(stateDir(env), 'sandbox-port.json');
}

/**
 * The port of a sandbox that starts without `--port`: the default, or the free port that it had to take because another
 * program used the default.
 */
export function usualPort(env: Env): number {
  try {
    const { port } = JSON.parse(readRegularFile(portFile(env)).text) as { port?: unknown };
    if (typeof port === 'number' && Number.isInteger(port) && port > 0 && port < 65_536)
      return port;
  } catch {
    // Without a usable file, the default port applies.
  }
  return DEFAULT_PORT;
}
