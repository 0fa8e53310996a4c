import type { Dispatcher } from 'undici';
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
  };
  /** Throws a ProcError (`read_only`) in a dry run, and if the target is read-only. */
  readonly requireWritable?: (what: string) => void;
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
  const pool = new ConnectionPool(origin, () => ({ ...HTTP_OPTIONS, connect }), connections);
  return { dispatcher: pool, close: () => pool.destroy() };
}
