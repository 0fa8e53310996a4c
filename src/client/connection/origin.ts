import { ProcError } from '../../core/errors.ts';
import type { Env } from '../../core/ports.ts';
import { isLoopback } from '../../core/text/loopback.ts';

/** True if a proxy variable is set, except for loopback. `NO_PROXY` may still exclude the host. */
export function wantsProxy(origin: string, env: Env): boolean {
  if (isLoopback(new URL(origin).hostname)) return false;
  return ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'].some(
    (name) => (env[name] ?? '') !== '',
  );
}

/**
 * The URL of the proxy in this variable; empty if the variable is not set. A value without a scheme
 * (`proxy.corp:3128`) means plain HTTP.
 *
 * @throws ProcError `invalid_setting`
 */
export function proxyOf(name: 'HTTPS_PROXY' | 'HTTP_PROXY', env: Env): string {
  const typed = env[name.toLowerCase()] ?? env[name] ?? '';
  if (typed === '') return '';
  const url = typed.includes('://') ? typed : `http://${typed}`;
  // The value may hold a password, so the error does not repeat it.
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url;
  throw new ProcError('invalid_setting', `${name} is not the address of an http or https proxy`, {
    hint: `Use e.g. ${name}=http://proxy.example:3128`,
  });
}
