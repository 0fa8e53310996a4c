import { createServer, type Server, type Socket } from 'node:net';
import { connect, TLSSocket } from 'node:tls';
import type { Issued } from './certificates.ts';

/** A proxy of a company that decrypts tunnels, with certificates of its own authority. */
export interface InspectingProxy extends AsyncDisposable {
  readonly origin: string;
  /** The first lines of the CONNECT requests. */
  readonly tunnels: readonly string[];
  /** Decrypted bytes from proc to the service, for each tunnel. Empty if the handshake failed. */
  readonly sent: readonly string[];
}

interface ProxyOptions {
  readonly own: Issued;
  /** The port of the service on this machine. */
  readonly port: number;
  /** The authority of the service's certificate. */
  readonly ca: string;
}

export async function startInspectingProxy(options: ProxyOptions): Promise<InspectingProxy> {
  const { own, port, ca } = options;
  const tunnels: string[] = [];
  const sent: string[] = [];
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', (head) => {
      tunnels.push(head.toString('latin1').split('\r\n')[0]!);
      const nth = sent.push('') - 1;
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      const inner = new TLSSocket(socket, { isServer: true, cert: own.cert, key: own.key });
      const onward = connect({ host: '127.0.0.1', port, ca, servername: 'procurement.test' });
      sockets.add(onward);
      for (const one of [inner, onward]) {
        one.on('error', () => undefined);
        one.on('close', () => socket.destroy());
      }
      inner.on('data', (bytes: Buffer) => {
        sent[nth] += bytes.toString('latin1');
      });
      inner.pipe(onward).pipe(inner);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address() as { port: number };
  return {
    origin: `http://127.0.0.1:${address.port}`,
    tunnels,
    sent,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
