import { connect, createServer, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';

interface Received {
  /** `GET /api/v1/orders/ HTTP/1.1` */
  readonly line: string;
  readonly method: string;
  /** Names in lower case, in the order of the wire, repeats included. */
  readonly headers: ReadonlyArray<readonly [string, string]>;
  readonly body: string;
  /** The bytes up to the empty line, as text. */
  readonly head: string;
}

export type Responder = (socket: Socket, request: Received, nth: number) => void;

export interface HostileService extends AsyncDisposable {
  readonly origin: string;
  readonly baseUrl: string;
  readonly port: number;
  readonly requests: readonly Received[];
  /** Number of accepted connections, even without a request or with a failed TLS handshake. */
  connections(): number;
  close(): Promise<void>;
}

export interface HostileOptions {
  /** Called before any byte is read. */
  readonly onConnect?: (socket: Socket) => void;
  /** Options of a TLS server, e.g. key and certificate. Without them the server speaks plain HTTP. */
  readonly tls?: TlsOptions;
}

/** A raw server on loopback that sends exactly the given bytes. For `await using`. */
export async function startHostile(
  respond: Responder,
  { onConnect, tls }: HostileOptions = {},
): Promise<HostileService> {
  const requests: Received[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const accept = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    // A client that aborts resets the connection. That is no error here.
    socket.on('error', () => undefined);
    onConnect?.(socket);
    collect(socket, (request) => {
      requests.push(request);
      respond(socket, request, requests.length);
    });
  };
  const server: Server = tls === undefined ? createServer(accept) : createTlsServer(tls, accept);
  server.on('tlsClientError', () => undefined);
  server.on('connection', () => connections++);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const origin = `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  return {
    origin,
    baseUrl: `${origin}/api/v1`,
    port,
    requests,
    connections: () => connections,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Splits a connection into requests, by their content-length. */
function collect(socket: Socket, onRequest: (request: Received) => void): void {
  let bytes = Buffer.alloc(0);
  socket.on('data', (chunk) => {
    bytes = Buffer.concat([bytes, Buffer.from(chunk)]);
    for (;;) {
      const end = bytes.indexOf('\r\n\r\n');
      if (end < 0) return;
      const head = bytes.toString('latin1', 0, end);
      const [line = '', ...rest] = head.split('\r\n');
      const headers = rest.map((text) => {
        const colon = text.indexOf(':');
        return [text.slice(0, colon).toLowerCase(), text.slice(colon + 1).trim()] as const;
      });
      const length = Number(headers.find(([name]) => name === 'content-length')?.[1] ?? 0);
      const after = end + 4 + length;
      if (bytes.length < after) return;
      const body = bytes.toString('utf8', end + 4, after);
      bytes = bytes.subarray(after);
      onRequest({ line, method: line.split(' ')[0] ?? '', headers, body, head });
    }
  });
}

/** A complete response with a correct content-length; the connection stays open. */
export function http(
  status: number,
  body: string | Buffer = '',
  headers: Readonly<Record<string, string>> = {},
): Buffer {
  const bytes = Buffer.from(body);
  const own = { 'content-type': 'application/json', 'content-length': String(bytes.length) };
  const lines = Object.entries({ ...own, ...headers }).map(([name, value]) => `${name}: ${value}`);
  return Buffer.concat([
    Buffer.from(`HTTP/1.1 ${status} Whatever\r\n${lines.join('\r\n')}\r\n\r\n`, 'latin1'),
    bytes,
  ]);
}

export function always(bytes: Buffer): Responder {
  return (socket) => {
    socket.write(bytes);
  };
}

/** Begins a response without a length, and repeats a piece as fast as the client reads it. */
export function endless(piece: string, start = '', status = 200): Responder {
  return (socket) => {
    socket.write(
      `HTTP/1.1 ${status} Whatever\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n${start}`,
    );
    const block = Buffer.from(piece.repeat(Math.max(1, Math.floor(65_536 / piece.length))));
    const more = (): void => {
      while (!socket.destroyed && socket.write(block));
    };
    socket.on('drain', more);
    more();
  };
}

/** Sends one byte every `everyMs`. A time limit that each byte restarts would never expire. */
export function drip(bytes: Buffer, everyMs: number): Responder {
  return (socket) => {
    let at = 0;
    const timer = setInterval(() => {
      if (socket.destroyed || at >= bytes.length) clearInterval(timer);
      else socket.write(bytes.subarray(at, ++at));
    }, everyMs);
    socket.on('close', () => clearInterval(timer));
  };
}

/** Passes bytes on, in both directions. */
export function joined(client: Duplex, onward: Duplex): void {
  onward.on('error', () => client.destroy());
  client.on('error', () => onward.destroy()).on('close', () => onward.destroy());
  client.pipe(onward).pipe(client);
}

/** A proxy (CONNECT) that only passes bytes on, to a port of this machine. */
export function tunnelTo(port: number): Responder {
  return (socket) => {
    established(socket);
    joined(socket, connect(port, '127.0.0.1'));
  };
}

/** From now on, the socket is a tunnel. */
export function established(socket: Socket): void {
  socket.removeAllListeners('data');
  socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
}

export function targetOf(service: Pick<HostileService, 'baseUrl'>) {
  return { PROC_BASE_URL: service.baseUrl, PROC_API_KEY: 'k-1' };
}
