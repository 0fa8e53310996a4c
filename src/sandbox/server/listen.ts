import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ProcError, systemCode } from '../../core/errors.ts';

export const HOST = '127.0.0.1';

const GRACE_MS = 2_000;

/**
 * Prevents DNS rebinding: a web page could point its own host name at 127.0.0.1 to reach the
 * sandbox.
 */
export function isOurHost(incoming: IncomingMessage): boolean {
  const host = incoming.headers.host?.toLowerCase();
  const port = incoming.socket.localPort;
  return host === `${HOST}:${port}` || host === `localhost:${port}` || host === `[::1]:${port}`;
}

/**
 * @returns the port; for 0, the port that the system chose
 * @throws ProcError `sandbox_conflict`
 */
export function listenOn(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (thrown) => {
      const why =
        systemCode(thrown) === 'EADDRINUSE'
          ? 'is already in use'
          : `cannot be used: ${thrown.message}`;
      reject(
        new ProcError('sandbox_conflict', `port ${port} ${why}`, {
          hint: 'Use any free port: proc sandbox start --port 0',
          cause: thrown,
        }),
      );
    });
    server.listen({ port, host: HOST }, () => resolve((server.address() as AddressInfo).port));
  });
}

/**
 * Closes idle connections at once, and busy connections after their response. After `GRACE_MS`
 * closes all.
 */
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
