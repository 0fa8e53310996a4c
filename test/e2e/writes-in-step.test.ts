import { describe, expect, it } from 'vitest';
import { http, startHostile, targetOf } from '../support/hostile-service.ts';
import { freshWorld } from '../support/run.ts';

const SECTOR = { id: 's-1', key: 'IT', name: 'Computers', description: 'all of it' };
const ADDRESS = { id: 'a-1', city: 'Rosario', country: 'AR', formattedAddress: 'Mitre 1' };

/** The service answers each read twice, and rejects each write. */
async function service() {
  return startHostile((socket, { method, line }) => {
    const body = line.includes('/addresses/') ? ADDRESS : SECTOR;
    const list = line.includes('/sectors/ ') ? [body] : body;
    const response = http(200, JSON.stringify(list));
    if (method !== 'GET') socket.write(http(403, '{"message":"not yours"}'));
    else socket.write(Buffer.concat([response, response]));
  });
}

/** The service sends the second response a moment later, while proc sends the write. */
async function delayed() {
  return startHostile((socket, { method, line }) => {
    const body = line.includes('/addresses/') ? ADDRESS : SECTOR;
    const response = http(200, JSON.stringify(body));
    if (method === 'GET') {
      socket.write(response);
      setTimeout(() => socket.write(response), 2);
    } else setTimeout(() => socket.write(http(403, '{"message":"not yours"}')), 20);
  });
}

describe('a write gets its own response after a read that was answered twice', () => {
  it.each([
    ['sectors', 'delete', 'id=s-1', '--yes'],
    ['sectors', 'patch', 'id=s-1', '--name', 'New', '--yes'],
    ['addresses', 'delete', 'id=a-1', '--yes'],
  ])('%s %s', async (...args) => {
    const world = await freshWorld();
    for (const start of [service, delayed]) {
      await using hostile = await start();
      const ran = await world.run(args, { env: targetOf(hostile) });
      const writes = hostile.requests.filter(({ method }) => method !== 'GET');
      expect(writes.map(({ method }) => method)).toEqual([
        args[1] === 'patch' ? 'PATCH' : 'DELETE',
      ]);
      expect(ran.stderr).toContain('not yours');
      expect(ran.exitCode).toBe(4);
    }
  });
});
