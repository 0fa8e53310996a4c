import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { proxyOf, wantsProxy } from '../client/connection/origin.ts';
import { messageOf, ProcError, systemCode } from '../core/errors.ts';
import type { Env } from '../core/ports.ts';
import { isLoopback } from '../core/text/loopback.ts';
import { type Check, ok, problem, skipped } from './check.ts';

/** Checks proxy and DNS of a base URL. Sends the service no request and no credential. */
export async function checkNetwork(origin: string, env: Env): Promise<readonly Check[]> {
  const host = new URL(origin).hostname.replace(/^\[|\]$/g, '');
  const isProxied = wantsProxy(origin, env);
  return [proxyCheck(host, isProxied, env), await dnsCheck(host, isProxied)];
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
        hint: 'Check the base URL: proc profile show',
      }),
    );
  }
}
