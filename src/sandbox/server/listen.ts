import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ProcError, systemCode } from '../../core/errors.ts';

/** The only address the sandbox listens on. */
export const HOST = '127.0.0.1';

/** How long requests that are being answered may take when the sandbox stops. */
const GRACE_MS = 2_000;

/** Against DNS rebinding: a page in a browser must not reach the sandbox under its own host's name. */
export function isOurHost(incoming: IncomingMessage): boolean {
  const host = incoming.headers.host?.toLowerCase();
  const port = incoming.socket.localPort;
  return host === `${HOST}:${port}` || host === `localhost:${port}` || host === `[::1]:${port}`;
}

/**
 * @returns the port, chosen by the system where 0 was asked for
 * @throws ProcError `sandbox_conflict`
 */
export function listenOn(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (thrown) => {
      const why =
        systemCode(thrown) === 'EADDRINUSE' ? 'is taken' : `cannot be used: ${thrown.message}`;
      reject(
        new ProcError('sandbox_conflict', `Port ${port} ${why}`, {
          hint: 'Take any free one: proc sandbox start --port 0',
          cause: thrown,
        }),
      );
    });
    server.listen({ port, host: HOST }, () => resolve((server.address() as AddressInfo).port));
  });
}

/** Idle connections end at once, the others with their answer or after a grace period. */
export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const sweep = setInterval(() => server.closeIdleConnections(), 10);
    const force = setTimeout(() => server.closeAllConnections(), GRACE_MS);
    server.close(() => {
      clearInterval(sweep);
      clearTimeout(force);
      resolve();
    });
    server.closeIdleConnections();
  });
}
