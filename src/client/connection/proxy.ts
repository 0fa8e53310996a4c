import { EnvHttpProxyAgent } from 'undici';
import type { Env } from '../../core/ports.ts';
import { connectOptions, type TransportOptions } from './connect-options.ts';
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
      // Only reads share connections: a proxy may close one at any time.
      dispatch: (request, handler, { alone }) =>
        alone || request.method !== 'GET'
          ? others.dispatch({ ...request, reset: true }, handler)
          : reads.dispatch(request, handler),
    },
    close: async () => {
      await Promise.all([reads.destroy(), others.destroy()]);
    },
  };
}
