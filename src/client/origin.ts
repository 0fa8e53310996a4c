import type { Env } from '../core/ports.ts';

/** Whether a host name stands for this machine: 127.0.0.0/8, ::1, localhost. */
export function isLoopback(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase();
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** Whether the proxy variables concern this origin; loopback never goes through a proxy. */
export function wantsProxy(origin: string, env: Env): boolean {
  if (isLoopback(new URL(origin).hostname)) return false;
  return ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'].some(
    (name) => (env[name] ?? '') !== '',
  );
}
