import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { Outcome } from '../../../src/core/outcome.ts';
import { openTransport, type Transport } from '../../../src/http/connection.ts';
import { prepare } from '../../../src/http/request.ts';
import { begin, type SendOptions } from '../../../src/http/send-once.ts';
import { createItem } from '../../../src/nouns/items/index.ts';
import { targetAt } from '../../support/target.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function serviceThat(respond: RequestListener, port = 0) {
  const sockets = new Set<Socket>();
  const seen = { codes: [] as string[], connections: 0, mostAtOnce: 0 };
  let atOnce = 0;
  const server = createServer((request, response) => {
    seen.mostAtOnce = Math.max(seen.mostAtOnce, ++atOnce);
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      seen.codes.push(JSON.parse(text).code);
      response.on('close', () => atOnce--);
      respond(request, response);
    });
  });
  server.on('connection', (socket) => {
    seen.connections++;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', done));
  const close = async () => {
    for (const socket of sockets) socket.destroy();
    if (server.listening) await new Promise((done) => server.close(done));
  };
  closing.push(close);
  return { seen, close, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

function transportTo(origin: string, connections: number): Transport {
  const transport = openTransport({ origin, connections, env: {}, connectTimeoutMs: 5_000 });
  closing.push(() => transport.close());
  return transport;
}

function sendAll(
  origin: string,
  transport: Transport,
  count: number,
  atOnce: number,
  given: Partial<SendOptions> = {},
): Promise<Outcome[]> {
  const target = targetAt(origin);
  const outcomes: Outcome[] = [];
  return new Promise((resolve) => {
    let next = 0;
    let over = 0;
    const one = () => {
      if (next === count) return;
      const at = next++;
      const request = prepare(createItem, { body: { code: String(at) } }, target);
      const options = { timeoutMs: 10_000, now: Date.now, isKept: true, ...given };
      begin(request, transport, options, (outcome) => {
        expect(outcomes[at]).toBeUndefined();
        outcomes[at] = outcome;
        if (++over === count) resolve(outcomes);
        else one();
      });
    };
    for (let n = 0; n < atOnce; n++) one();
  });
}

const created: RequestListener = (_, response) => {
  response.setHeader('content-type', 'application/json').statusCode = 201;
  response.end('{"id":"1"}');
};

const kinds = (outcomes: readonly Outcome[]) =>
  Object.fromEntries(
    [...Map.groupBy(outcomes, ({ kind }) => kind)].map(([kind, all]) => [kind, all.length]),
  );

describe('connections to the service', () => {
  it('are reused, never more than allowed; further requests wait for their turn', async () => {
    const held: (() => void)[] = [];
    const { origin, seen } = await serviceThat((request, response) => {
      held.push(() => created(request, response));
      if (held.length === 3) for (const answer of held.splice(0)) answer();
    });
    const outcomes = await sendAll(origin, transportTo(origin, 3), 60, 30);
    expect(kinds(outcomes)).toEqual({ done: 60 });
    expect([seen.connections, seen.mostAtOnce, new Set(seen.codes).size]).toEqual([3, 3, 60]);
  });

  it('write no request that may not leave any more once they are open', async () => {
    const { origin, seen } = await serviceThat(created);
    let asked = 0;
    const mayLeave = () => ++asked % 2 === 0;
    const outcomes = await sendAll(origin, transportTo(origin, 2), 20, 2, { mayLeave });
    expect(kinds(outcomes)).toEqual({ done: 10, 'not-sent': 10 });
    expect(seen.codes).toHaveLength(10);
  });

  it.each([
    ['with an announcement', true],
    ['silently', false],
  ])('that the service closes %s leave no request with an unknown outcome', async (_, isSaid) => {
    const { origin, seen } = await serviceThat((request, response) => {
      if (isSaid) response.setHeader('connection', 'close');
      created(request, response);
      if (!isSaid) request.socket.end();
    });
    const outcomes = await sendAll(origin, transportTo(origin, 4), 40, 4);
    expect(kinds(outcomes)).toEqual({ done: 40 });
    expect([seen.connections, new Set(seen.codes).size]).toEqual([40, 40]);
  });

  it('that break affect only their own request', async () => {
    let count = 0;
    const { origin, seen } = await serviceThat((request, response) => {
      if (++count % 10 === 0) request.socket.destroy();
      else created(request, response);
    });
    const outcomes = await sendAll(origin, transportTo(origin, 4), 50, 4);
    expect(kinds(outcomes)).toEqual({ done: 45, unknown: 5 });
    expect(new Set(seen.codes).size).toBe(50);
  });

  it('may be reset at any moment after a response: no request arrives twice', async () => {
    let count = 0;
    const { origin, seen } = await serviceThat((request, response) => {
      created(request, response);
      const { socket } = request;
      if (++count % 10 === 0) setTimeout(() => socket.resetAndDestroy(), count % 3);
    });
    const outcomes = await sendAll(origin, transportTo(origin, 4), 200, 4);
    expect(seen.codes.length).toBeGreaterThanOrEqual(kinds(outcomes).done!);
    expect(new Set(seen.codes).size).toBe(seen.codes.length);
  });

  it('that cannot be opened fail each request, and work once they can be opened', async () => {
    const gone = await serviceThat(created);
    const transport = transportTo(gone.origin, 4);
    await gone.close();
    expect(kinds(await sendAll(gone.origin, transport, 20, 12))).toEqual({ 'not-sent': 20 });
    const { port } = new URL(gone.origin);
    await serviceThat(created, Number(port));
    expect(kinds(await sendAll(gone.origin, transport, 20, 12))).toEqual({ done: 20 });
  });

  it('are free again after an aborted request', async () => {
    let count = 0;
    const { origin } = await serviceThat((request, response) => {
      if (++count > 2) created(request, response);
    });
    const outcomes = await sendAll(origin, transportTo(origin, 2), 20, 2, { timeoutMs: 300 });
    expect(kinds(outcomes)).toEqual({ done: 18, unknown: 2 });
    expect(outcomes[0]).toMatchObject({ kind: 'unknown', reason: 'timeout' });
  });

  it('that are closed while requests wait fail each of them', async () => {
    const { origin, seen } = await serviceThat(() => undefined);
    const transport = transportTo(origin, 2);
    const sending = sendAll(origin, transport, 6, 6);
    await expect.poll(() => seen.codes.length).toBe(2);
    await transport.close();
    expect(kinds(await sending)).toEqual({ unknown: 2, 'not-sent': 4 });
  });
});
