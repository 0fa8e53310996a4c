import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Dispatcher } from 'undici';
import { nodeModule } from '../../core/process/node-module.ts';
import { connectOptions, type TransportOptions } from './connect-options.ts';
import { singleUse } from './connection.ts';
import type { ResponseHandler } from './connection-slot.ts';
import type { Transport } from './transport.ts';

/**
 * If the first request is a GET without a body, Node's own client sends it, on a connection of its own. All
 * other requests go through undici, which takes 20 ms to load.
 */
export function openFirstReadTransport(
  options: TransportOptions,
  openRest: () => Promise<Transport>,
): Transport {
  let first: ClientRequest | undefined;
  let isFirst = true;
  let rest: Promise<Transport> | undefined;

  return {
    dispatcher: {
      dispatch(request, handler, use) {
        const canRead = isFirst && request.method === 'GET' && request.body === null;
        isFirst = false;
        if (canRead) {
          first = read(request, options, handler);
          return;
        }
        rest ??= openRest();
        rest.then(
          ({ dispatcher }) => dispatcher.dispatch(request, handler, use),
          (thrown: Error) => handler.onResponseError(undefined, thrown),
        );
      },
      ask: () => false,
    },
    async close() {
      first?.destroy();
      await (await rest)?.close();
    },
  };
}

function read(
  { path, headers }: Dispatcher.DispatchOptions,
  options: TransportOptions,
  handler: ResponseHandler,
): ClientRequest {
  const { protocol, hostname, port } = new URL(options.origin);
  const isTls = protocol === 'https:';
  const { request } = nodeModule(isTls ? 'node:https' : 'node:http');
  const { timeout, ...tls } = connectOptions(options);
  const sent = request({
    protocol,
    // An IPv6 address without its brackets.
    hostname: hostname.replace(/^\[(.*)\]$/, '$1'),
    port,
    path,
    headers: headers as Record<string, string>,
    agent: false,
    ...tls,
  });
  let isOver = false;
  const fail = (error: Error): void => {
    if (isOver) return;
    isOver = true;
    handler.onResponseError(undefined, error);
  };
  sent.once('socket', (socket) => {
    const connecting = setTimeout(
      () => sent.destroy(Object.assign(new Error('connect timeout'), { code: 'ETIMEDOUT' })),
      timeout,
    );
    socket.once('close', () => clearTimeout(connecting));
    socket.once(isTls ? 'secureConnect' : 'connect', () => {
      clearTimeout(connecting);
      const control = { abort: (reason: Error) => void sent.destroy(reason) };
      handler.onRequestStart(control, singleUse());
    });
  });
  sent.once('response', (response: IncomingMessage) => {
    handler.onResponseStart(undefined, response.statusCode ?? 0, response.headers);
    response.on('data', (chunk: Buffer) => handler.onResponseData(undefined, chunk));
    response.once('error', fail);
    response.once('end', () => {
      isOver = true;
      handler.onResponseEnd();
    });
  });
  sent.on('error', fail);
  sent.once('close', () =>
    fail(new Error('the connection closed before the response was complete')),
  );
  sent.end();
  return sent;
}
