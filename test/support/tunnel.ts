import { connect, createServer, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';

/** A proxy that only passes bytes on (CONNECT). */
export interface Tunnel extends AsyncDisposable {
  readonly origin: string;
  connections(): number;
}

/**
 * @param port the port on this machine to which all tunnels lead
 * @param tls makes the proxy itself speak https
 */
export async function startTunnel(
  port: number,
  tls?: TlsOptions,
  onConnect: (socket: Socket) => void = () => undefined,
): Promise<Tunnel> {
  const sockets = new Set<Socket>();
  const carry = (socket: Socket): void => {
    onConnect(socket);
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => {
      const onward = connect(port, '127.0.0.1');
      onward.on('error', () => socket.destroy());
      sockets.add(onward);
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket.pipe(onward).pipe(socket);
    });
  };
  let connections = 0;
  const server = tls === undefined ? createServer(carry) : createTlsServer(tls, carry);
  server.on('connection', () => {
    connections++;
  });
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port: own } = server.address() as { port: number };
  return {
    origin: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${own}`,
    connections: () => connections,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
