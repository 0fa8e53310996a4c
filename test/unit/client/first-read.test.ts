import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { openFirstReadTransport } from '../../../src/client/connection/first-read.ts';
import { openTransport, type Transport } from '../../../src/client/connection/transport.ts';
import { DEFAULT_DIALECT } from '../../../src/client/dialect.ts';
import { prepare } from '../../../src/client/request.ts';
import { send } from '../../../src/client/send-once.ts';
import { FULL_ACCESS } from '../../../src/core/service/access.ts';
import type { Outcome } from '../../../src/core/service/outcome.ts';
import { Secret } from '../../../src/core/service/secret.ts';
import { createItem, listItems } from '../../../src/nouns/items/api.ts';
import { type Responder, startHostile } from '../../support/hostile-service.ts';

const ROWS = '[{"id":"1","code":"A-1","name":"Anvil"}]';
const OK = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n`;

const HABITS: Readonly<Record<string, Responder>> = {
  'answers whole': (socket) => socket.end(`${OK}content-length: ${ROWS.length}\r\n\r\n${ROWS}`),
  'answers in chunks': (socket) =>
    socket.end(
      `${OK}transfer-encoding: chunked\r\n\r\n${ROWS.length.toString(16)}\r\n${ROWS}\r\n0\r\n\r\n`,
    ),
  'ends the body with the connection': (socket) => socket.end(`${OK}\r\n${ROWS}`),
  'says 103 first': (socket) =>
    socket.end(
      `HTTP/1.1 103 Early Hints\r\n\r\n${OK}content-length: ${ROWS.length}\r\n\r\n${ROWS}`,
    ),
  redirects: (socket) =>
    socket.end('HTTP/1.1 302 Found\r\nlocation: /elsewhere\r\ncontent-length: 0\r\n\r\n'),
  'is busy': (socket) =>
    socket.end('HTTP/1.1 429 No\r\nretry-after: 3\r\ncontent-length: 0\r\n\r\n'),
  'closes before the response': (socket) => socket.end(),
  'resets before the response': (socket) => socket.resetAndDestroy(),
  'cuts the body off': (socket) => socket.end(`${OK}content-length: 999\r\n\r\n${ROWS}`),
  'cuts a chunk off': (socket) =>
    socket.end(`${OK}transfer-encoding: chunked\r\n\r\nff\r\n${ROWS}`),
  'switches protocols': (socket) =>
    socket.end('HTTP/1.1 101 Switching\r\nupgrade: other\r\nconnection: upgrade\r\n\r\n'),
  'speaks something else': (socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'),
  'sends endless headers': (socket) => socket.end(`${OK}x: ${'y'.repeat(40_000)}\r\n\r\n`),
  'is silent': () => undefined,
};

function request(origin: string, spec: typeof listItems | typeof createItem = listItems) {
  return prepare(spec, spec === listItems ? { query: {} } : { body: {} }, {
    profile: undefined,
    environment: undefined,
    baseUrl: origin,
    key: undefined,
    credential: { scheme: 'api-key', secret: new Secret('a-secret-key') },
    credentialProfile: undefined,
    isProjectChoice: false,
    isOtherAddress: false,
    access: FULL_ACCESS,
    isProtected: false,
    allowHttp: false,
    dialect: () => DEFAULT_DIALECT,
  });
}

/** The part of an outcome that callers act on, without the text of errors. */
function seen(outcome: Outcome): unknown {
  if (outcome.kind === 'unknown') return [outcome.kind, outcome.reason, outcome.status];
  if (outcome.kind === 'not-sent') return [outcome.kind, outcome.timedOut];
  return outcome;
}

async function outcomeOf(transport: Transport, origin: string): Promise<unknown> {
  try {
    return seen(
      await send(request(origin), transport, { timeoutMs: 700, now: () => 0, alone: true }),
    );
  } finally {
    await transport.close();
  }
}

describe('the first read of a command', () => {
  it.each(Object.entries(HABITS))(
    'has the outcome of any other read if the service %s',
    async (_, respond) => {
      await using service = await startHostile(respond);
      const { origin } = service;
      const options = { origin, connectTimeoutMs: 5_000 };
      const first = await outcomeOf(openFirstReadTransport(options, notNeeded), origin);
      expect(first).toEqual(await outcomeOf(openTransport(options), origin));
      const [own, other] = service.requests;
      expect([own!.line, own!.headers.toSorted()]).toEqual([
        other!.line,
        other!.headers.toSorted(),
      ]);
    },
  );

  it('was not sent if nothing listens', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    await new Promise((resolve) => server.close(resolve));
    const origin = `http://127.0.0.1:${port}`;
    const transport = openFirstReadTransport({ origin, connectTimeoutMs: 5_000 }, notNeeded);
    const outcome = await send(request(origin), transport, { timeoutMs: 5_000, now: () => 0 });
    expect(outcome).toMatchObject({ kind: 'not-sent', cause: { code: 'ECONNREFUSED' } });
  });

  it('is alone: later reads and all writes use the other transport', async () => {
    await using service = await startHostile(HABITS['answers whole']!);
    const { origin } = service;
    const options = { origin, connectTimeoutMs: 5_000 };
    for (const specs of [[listItems, listItems], [createItem]]) {
      let opened = 0;
      const transport = openFirstReadTransport(options, async () => {
        opened++;
        return openTransport(options);
      });
      for (const spec of specs) {
        await send(request(origin, spec), transport, { timeoutMs: 5_000, now: () => 0 });
      }
      await transport.close();
      expect(opened).toBe(1);
    }
  });
});

function notNeeded(): never {
  throw new Error('a first read needs no other transport');
}
