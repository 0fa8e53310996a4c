import tls from 'node:tls';
import type { Dispatcher } from 'undici';
import type { Connection } from '../../core/service/sender.ts';
import type { AnswerHandler } from './lane.ts';
import { type Carriage, Lanes } from './lanes.ts';

/** Carries requests to one origin. Closing it drops idle connections. */
export interface Transport {
  readonly dispatcher: {
    dispatch(
      options: Dispatcher.DispatchOptions,
      handler: AnswerHandler,
      carriage: Carriage,
    ): unknown;
    /** Sends one last request on a connection that is idle; false where it is not. */
    ask(
      connection: Connection,
      options: Dispatcher.DispatchOptions,
      handler: AnswerHandler,
    ): boolean;
  };
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
    // Made once: reading all authorities takes 17 ms, which each connection would take anew.
    ...(options.ca === undefined
      ? {}
      : {
          secureContext: tls.createSecureContext({
            ca: [...tls.getCACertificates('default'), options.ca],
          }),
        }),
  };
}

/** HTTP/1.1, no pipelining: a lost answer must leave only one request unconfirmed. */
export const HTTP_OPTIONS = {
  pipelining: 1,
  allowH2: false,
  // The deadline of an attempt is ours (send.ts); undici's timers restart with every byte.
  headersTimeout: 0,
  bodyTimeout: 0,
  // Ours (lanes.ts) takes no connection that was idle for long; some are kept for one last question.
  keepAliveTimeout: 60_000,
  keepAliveMaxTimeout: 60_000,
} as const;

export function openTransport(options: TransportOptions): Transport {
  const lanes = new Lanes(
    options.origin,
    { ...HTTP_OPTIONS, connect: connectOptions(options) },
    options.connections ?? 1,
  );
  return { dispatcher: lanes, close: () => lanes.destroy() };
}
