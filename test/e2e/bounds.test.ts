import { describe, expect, it } from 'vitest';
import { startHostile, targetOf } from '../support/hostile-service.ts';
import { runHere } from '../support/in-process.ts';
import { errorOf, freshWorld } from '../support/run.ts';

describe('a response that arrives byte by byte', () => {
  it('is read like any other: a record, a list, an error', async () => {
    const world = await freshWorld();
    const chunked = (status: number, body: string) =>
      `HTTP/1.1 ${status} X\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n${[...body].map((one) => `1\r\n${one}\r\n`).join('')}0\r\n\r\n`;
    await using service = await startHostile((socket, { line }) => {
      if (line.includes('/orders/')) socket.write(chunked(200, '[{"id":"o-1","code":"PO-1"}]'));
      else if (line.includes('/sectors/s-1')) socket.write(chunked(200, '{"id":"s-1"}'));
      else socket.write(chunked(400, '{"message":"no such thing"}'));
    });
    const env = { ...world.env, ...targetOf(service) };
    expect(JSON.parse((await runHere(['orders', 'list'], env)).stdout)).toEqual([
      { id: 'o-1', code: 'PO-1' },
    ]);
    expect(JSON.parse((await runHere(['sectors', 'get', 'id=s-1'], env)).stdout)).toEqual({
      id: 's-1',
    });
    expect(errorOf(await runHere(['addresses', 'get', 'a-1'], env)).message).toContain(
      'no such thing',
    );
  });
});
