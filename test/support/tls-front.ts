import { request } from 'node:http';
import { createServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';

/** A server over https that passes each request on to a service over http. */
export interface TlsFront extends AsyncDisposable {
  readonly origin: string;
  readonly baseUrl: string;
}

export async function startTlsFront(target: string, tls: ServerOptions): Promise<TlsFront> {
  const { hostname, port, pathname } = new URL(target);
  const server = createServer(tls, (incoming, outgoing) => {
    const { method, url: path } = incoming;
    const headers = { ...incoming.headers, host: `${hostname}:${port}` };
    const onward = request({ hostname, port, method, path, headers }, (response) => {
      outgoing.writeHead(response.statusCode!, response.headers);
      response.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
  });
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    baseUrl: origin + pathname,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
