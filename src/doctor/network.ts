import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import tls from 'node:tls';
import { proxyOf, wantsProxy } from '../client/connection/origin.ts';
import { messageOf, ProcError, systemCode } from '../core/errors.ts';
import type { Env } from '../core/ports.ts';
import { isLoopback } from '../core/text/loopback.ts';
import { type Check, ok, problem, skipped, warning } from './check.ts';

const DAY_MS = 86_400_000;
/** Warn if the certificate expires within this time. */
const EXPIRES_SOON_MS = 14 * DAY_MS;

export interface NetworkPorts {
  readonly env: Env;
  /** PEM text of `--ca-file`. */
  readonly ca: string | undefined;
  readonly timeoutMs: number;
  readonly now: number;
}

/** Checks proxy, DNS and TLS of an address. Sends no request and no credential. */
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
  ports: NetworkPorts,
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
  if (isProxied) return skipped('tls', 'the connection goes through the proxy');
  return new Promise((resolve) => {
    const socket = tls.connect({
      host,
      port: url.port === '' ? 443 : Number(url.port),
      ...(isIP(host) === 0 ? { servername: host } : {}),
      // Accepts any certificate, to examine it; nothing is sent over this connection.
      rejectUnauthorized: false,
      ...(ports.ca === undefined ? {} : { ca: [...tls.getCACertificates('default'), ports.ca] }),
    });
    const settle = (check: Check): void => {
      socket.destroy();
      resolve(check);
    };
    socket.setTimeout(ports.timeoutMs, () => settle(unreached(url, 'timed out')));
    socket.on('error', (error) => settle(unreached(url, systemCode(error) ?? error.message)));
    socket.on('secureConnect', () => settle(certificateCheck(socket, ports.now)));
  });
}

function unreached(url: URL, reason: string): Check {
  return problem(
    'tls',
    new ProcError('unreachable', `no TLS connection to ${url.host} (${reason})`, {
      hint: 'Check the network and the base URL: proc config list',
    }),
  );
}

function certificateCheck(socket: tls.TLSSocket, now: number): Check {
  const { valid_to, subject } = socket.getPeerCertificate();
  const until = Date.parse(valid_to ?? '');
  const left = Math.floor((until - now) / DAY_MS);
  if (!socket.authorized) {
    const reason = socket.authorizationError;
    return problem(
      'tls',
      new ProcError('unreachable', `the certificate is not trusted (${reason})`, {
        hint: 'If your organization has its own certificate authority, add --ca-file FILE',
      }),
    );
  }
  const finding = `${socket.getProtocol()}, certificate of ${[subject?.CN ?? '?'].flat()[0]} expires in ${left === 1 ? '1 day' : `${left} days`}`;
  return until - now < EXPIRES_SOON_MS
    ? warning('tls', finding, 'Tell the operators of the service')
    : ok('tls', finding);
}
