import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { proxyOf, wantsProxy } from '../client/connection/origin.ts';
import { messageOf, ProcError, systemCode } from '../core/errors.ts';
import type { Env } from '../core/ports.ts';
import { isLoopback } from '../core/text/loopback.ts';
import { type Check, ok, problem, skipped, warning } from './check.ts';
import { checkTls } from './tls/check-tls.ts';

export interface NetworkPorts {
  readonly env: Env;
  /** PEM text of `--ca-file`. */
  readonly ca: string | undefined;
  readonly timeoutMs: number;
  readonly now: number;
}

/** Checks proxy, DNS and TLS of a base URL. Sends the service no request and no credential. */
export async function checkNetwork(origin: string, ports: NetworkPorts): Promise<readonly Check[]> {
  const url = new URL(origin);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isProxied = wantsProxy(origin, ports.env);
  return [
    proxyCheck(host, isProxied, ports.env),
    await dnsCheck(host, isProxied),
    await tlsCheck(url, host, isProxied, ports),
  ];
}

function proxyCheck(host: string, isProxied: boolean, env: Env): Check {
  if (isProxied) {
    let proxy: string;
    try {
      proxy = proxyOf('HTTPS_PROXY', env) || proxyOf('HTTP_PROXY', env);
    } catch (thrown) {
      if (!(thrown instanceof ProcError)) throw thrown;
      return problem('proxy', thrown);
    }
    // Not the whole URL, which may contain a password.
    return ok('proxy', `${new URL(proxy).host} (NO_PROXY does not exclude ${host})`);
  }
  return ok('proxy', isLoopback(host) ? 'none (never used for loopback addresses)' : 'none');
}

async function dnsCheck(host: string, isProxied: boolean): Promise<Check> {
  if (isIP(host) !== 0) return ok('dns', `${host} is an IP address`);
  if (isProxied) return skipped('dns', 'the proxy resolves names');
  try {
    const found = await lookup(host, { all: true });
    return ok('dns', `${host} is ${found.map(({ address }) => address).join(', ')}`);
  } catch (thrown) {
    const reason = systemCode(thrown) ?? messageOf(thrown);
    return problem(
      'dns',
      new ProcError('unreachable', `cannot resolve the host name ${host} (${reason})`, {
        hint: 'Check the base URL: proc config list',
      }),
    );
  }
}

async function tlsCheck(
  url: URL,
  host: string,
  isProxied: boolean,
  { env, ca, timeoutMs, now }: NetworkPorts,
): Promise<Check> {
  if (url.protocol !== 'https:') {
    return isLoopback(host)
      ? ok('tls', 'plain http, on this machine')
      : warning(
          'tls',
          'plain http: others on the network can read the key and all data',
          'Use https',
        );
  }
  const port = url.port === '' ? 443 : Number(url.port);
  try {
    const proxy = isProxied ? proxyOf('HTTPS_PROXY', env) || proxyOf('HTTP_PROXY', env) : undefined;
    return await checkTls({ host, port, proxy, timeoutMs }, { env, ca, now });
  } catch (thrown) {
    if (!(thrown instanceof ProcError)) throw thrown;
    return skipped('tls', 'fix the proxy first');
  }
}
