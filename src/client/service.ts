import { isLoopback } from './origin.ts';

/**
 * The service that a base URL means: `localhost` and `127.0.0.1` with one port are one service.
 */
export function serviceOf(baseUrl: string): string {
  const url = new URL(baseUrl);
  if (isLoopback(url.hostname)) url.hostname = '127.0.0.1';
  return url.href.replace(/\/+$/, '');
}
