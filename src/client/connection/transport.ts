import { buildConnector, type Dispatcher } from 'undici';
import type { Connection } from '../../core/service/sender.ts';
import { connectOptions, type TransportOptions } from './connect-options.ts';
import { ConnectionPool, type ConnectionUse } from './connection-pool.ts';
import type { ResponseHandler } from './connection-slot.ts';

export interface Transport {
  readonly dispatcher: {
    dispatch(
      options: Dispatcher.DispatchOptions,
      handler: ResponseHandler,
      use: ConnectionUse,
    ): unknown;
    /** Sends one last request on an idle connection. Returns false if it sends nothing. */
    ask(
      connection: Connection,
      options: Dispatcher.DispatchOptions,
      handler: ResponseHandler,
    ): boolean;
  };
  /** Throws a ProcError (`access_level`) if the request is not allowed. Default: all are allowed. */
  readonly admit?: (method: string, path: string) => void;
  close(): Promise<void>;
}

/** HTTP/1.1, no pipelining: a lost response must leave only one request unconfirmed. */
export const HTTP_OPTIONS = {
  pipelining: 1,
  allowH2: false,
  // send-once.ts limits an attempt as a whole; undici's timers restart with every byte.
  headersTimeout: 0,
  bodyTimeout: 0,
  // Long, because connection-slot.ts decides how long connections are reused.
  keepAliveTimeout: 60_000,
  keepAliveMaxTimeout: 60_000,
} as const;

export function openTransport(options: TransportOptions): Transport {
  const { origin, connections = 1 } = options;
  const connect = connectOptions(options);
  const pool = new ConnectionPool(
    origin,
    () => ({
      ...HTTP_OPTIONS,
      connect: origin.startsWith('https:')
        ? keepingAlerts(buildConnector({ ...connect, allowH2: false }))
        : connect,
    }),
    connections,
  );
  return { dispatcher: pool, close: () => pool.destroy() };
}

/**
 * A refused client certificate causes an alert, then a close. undici would report only the close, so the
 * socket is destroyed with the alert.
 */
export function keepingAlerts(connect: buildConnector.connector): buildConnector.connector {
  return (to, done) => {
    connect(to, (...[error, socket]: Parameters<buildConnector.Callback>) => {
      if (error !== null) {
        done(error, null);
        return;
      }
      socket.once('error', (alert) => socket.destroy(alert));
      done(null, socket);
    });
  };
}
