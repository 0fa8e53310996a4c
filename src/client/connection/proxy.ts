import { type Dispatcher, EnvHttpProxyAgent } from 'undici';
import type { Env } from '../../core/ports.ts';
import type { Connection } from '../../core/service/sender.ts';
import { connectOptions, type TransportOptions } from './connect-options.ts';
import type { ResponseHandler } from './connection-slot.ts';
import { proxyOf } from './origin.ts';
import { HTTP_OPTIONS, type Transport } from './transport.ts';

/** A transport through the proxy of `HTTPS_PROXY` or `HTTP_PROXY`, except to the hosts in `NO_PROXY`. */
export function openProxyTransport(options: TransportOptions, env: Env): Transport {
  const connect = connectOptions(options);
  const httpProxy = proxyOf('HTTP_PROXY', env);
  const httpsProxy = proxyOf('HTTPS_PROXY', env);
  const agentOptions = {
    ...HTTP_OPTIONS,
    keepAliveTimeout: 2_000,
    keepAliveMaxTimeout: 2_000,
    // Set even if empty, because undici would otherwise read the environment of the process.
    httpProxy,
    httpsProxy: httpsProxy === '' ? httpProxy : httpsProxy,
    noProxy: env.no_proxy ?? env.NO_PROXY ?? '',
    connections: options.connections ?? 1,
    connect,
    requestTls: connect,
    proxyTls: connect,
  };
  const reads = new EnvHttpProxyAgent(agentOptions);
  const others = new EnvHttpProxyAgent(agentOptions);
  return {
    dispatcher: {
      // The agent does not say on which connection a response came, so only reads share connections.
      dispatch: (request, handler, { alone }) =>
        alone || request.method !== 'GET'
          ? others.dispatch({ ...request, reset: true }, onItsOwn(handler))
          : reads.dispatch(request, onItsOwn(handler)),
      ask: () => false,
    },
    close: async () => {
      await Promise.all([reads.destroy(), others.destroy()]);
    },
  };
}

function onItsOwn(handler: ResponseHandler): Dispatcher.DispatchHandler {
  return {
    onRequestStart: (controller) => handler.onRequestStart(controller, singleUse()),
    onResponseStart: (_, status, headers) => handler.onResponseStart(_, status, headers),
    onResponseData: (...args) => handler.onResponseData(...args),
    onResponseEnd: () => handler.onResponseEnd(),
    onResponseError: (...args) => handler.onResponseError(...args),
  };
}

function singleUse(): Connection {
  return { responses: 0, onEnd: undefined, release() {}, end() {} };
}
