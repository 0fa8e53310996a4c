import { request } from 'node:http';
import { request as secureRequest } from 'node:https';
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import tls from 'node:tls';
import { type Certificate, chainOf } from './chain.ts';

export interface Handshake {
  readonly protocol: string;
  /** Node's error code if the certificate is not trusted, e.g. `CERT_HAS_EXPIRED`. */
  readonly refusal: string | undefined;
  /** The certificate of the service first, then its issuers as far as they are known. */
  readonly chain: readonly Certificate[];
}

export interface Route {
  readonly host: string;
  readonly port: number;
  readonly proxy: string | undefined;
  readonly timeoutMs: number;
}

/**
 * Accepts any certificate, because nothing is sent over this connection. Presents no client
 * certificate, because the service has not proved who it is.
 *
 * @param ca the authorities to trust, as PEM texts
 * @throws Error if there is no TLS connection
 */
export async function examineTls(route: Route, ca: readonly string[]): Promise<Handshake> {
  const { host, port, proxy, timeoutMs } = route;
  const tunnel = proxy === undefined ? undefined : await openTunnel(proxy, route, ca);
  return new Promise((resolve, reject) => {
    const socket = tls.connect({
      ...(tunnel === undefined ? { host, port } : { socket: tunnel, host }),
      ...(isIP(host) === 0 ? { servername: host } : {}),
      rejectUnauthorized: false,
      ca: [...ca],
    });
    socket.setTimeout(timeoutMs, () => socket.destroy(timedOut()));
    socket.once('error', reject);
    socket.once('secureConnect', () => {
      // Node's types say Error, but the value is usually the error code as a string.
      const error = socket.authorizationError as unknown as string | Error | null;
      const refusal = error instanceof Error ? codeOf(error) : (error ?? undefined);
      const chain = chainOf(socket.getPeerCertificate(true));
      resolve({
        protocol: socket.getProtocol() ?? '?',
        refusal: socket.authorized ? undefined : refusal,
        chain,
      });
      socket.destroy();
    });
  });
}

function codeOf(error: Error): string {
  return (error as { code?: string }).code ?? error.message;
}

function timedOut(): Error {
  return Object.assign(new Error('timed out'), { code: 'ETIMEDOUT' });
}

function openTunnel(
  proxy: string,
  { host, port, timeoutMs }: Route,
  ca: readonly string[],
): Promise<Duplex> {
  const url = new URL(proxy);
  const to = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  const user = [url.username, url.password].map(decodeURIComponent).join(':');
  return new Promise((resolve, reject) => {
    const asked = (url.protocol === 'https:' ? secureRequest : request)({
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : url.port,
      method: 'CONNECT',
      path: to,
      agent: false,
      timeout: timeoutMs,
      headers: {
        host: to,
        ...(user === ':'
          ? {}
          : { 'proxy-authorization': `Basic ${Buffer.from(user).toString('base64')}` }),
      },
      ...(url.protocol === 'https:' ? { ca: [...ca], rejectUnauthorized: true } : {}),
    });
    asked.once('timeout', () => asked.destroy(timedOut()));
    asked.once('error', reject);
    asked.once('response', ({ statusCode }) => {
      asked.destroy();
      reject(new Error(`the proxy refuses the connection: ${statusCode}`));
    });
    asked.once('connect', ({ statusCode }, socket) => {
      if (statusCode === 200) return resolve(socket);
      socket.destroy();
      return reject(new Error(`the proxy refuses the connection: ${statusCode}`));
    });
    asked.end();
  });
}
