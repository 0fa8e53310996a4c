import tls from 'node:tls';
import type { Dispatcher } from 'undici';
import Pool from 'undici/lib/dispatcher/pool.js';

/** Carries requests to one origin. Closing it drops idle connections. */
export interface Transport {
  readonly dispatcher: Dispatcher;
  close(): Promise<void>;
}

export interface TransportOptions {
  readonly origin: string;
  /** PEM text of further certificate authorities; the system's stay trusted. */
  readonly ca?: string | undefined;
  /** Connections at once. Default 1: a single command needs no more. */
  readonly connections?: number | undefined;
  /** Milliseconds that connecting may take. */
  readonly connectTimeoutMs: number;
}

/** TLS and connection settings that hold with and without a proxy. */
export function connectOptions(options: Pick<TransportOptions, 'ca' | 'connectTimeoutMs'>) {
  return {
    timeout: options.connectTimeoutMs,
    // Said outright, so that NODE_TLS_REJECT_UNAUTHORIZED=0 does not switch the check off.
    rejectUnauthorized: true,
    ...(options.ca === undefined ? {} : { ca: [...tls.getCACertificates('default'), options.ca] }),
  };
}

/** HTTP/1.1, no pipelining: an answer that goes missing must leave just one request in doubt. */
export const HTTP_OPTIONS = {
  pipelining: 1,
  allowH2: false,
  // The deadline of an attempt is ours (send.ts); undici's timers restart with every byte.
  headersTimeout: 0,
  bodyTimeout: 0,
  // Shorter than servers keep theirs: a request on a connection that the server closes is in doubt.
  keepAliveTimeout: 2_000,
  keepAliveMaxTimeout: 2_000,
} as const;

export function openTransport(options: TransportOptions): Transport {
  const pool = new Pool(options.origin, {
    ...HTTP_OPTIONS,
    connections: options.connections ?? 1,
    connect: connectOptions(options),
  });
  return { dispatcher: pool, close: () => pool.destroy() };
}
