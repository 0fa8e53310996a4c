import { join } from 'node:path';
import type { Env } from '../../core/ports.ts';
import { PUBLISHED_KEYS } from '../../core/service/hiding.ts';
import { readRegularFile } from '../../store/regular-file.ts';
import { type BaseUrl, parseBaseUrl } from './base-url.ts';
import { stateDir } from './paths.ts';

/** The built-in profile, which is the default if nothing is configured. */
export const SANDBOX_PROFILE = 'sandbox';
export const SANDBOX_ENVIRONMENT = 'local';
const SANDBOX_URL = 'http://127.0.0.1:4010/api/v1';

/** Not a secret: this key only opens sandboxes on loopback. */
export const SANDBOX_KEY = PUBLISHED_KEYS[0]!;

/** The URL that the running sandbox stored in the state folder, or the default URL. */
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
  return parseBaseUrl(SANDBOX_URL, 'the built-in sandbox');
}
