import { describe, expect, it } from 'vitest';
import { http, startHostile, targetOf } from '../support/hostile-service.ts';
import { runHere } from '../support/in-process.ts';
import { errorOf, freshWorld } from '../support/run.ts';

const LONG = 100_000;

describe('an expression of 100,000 characters is refused at once because of its length', () => {
  it.each([
    ['--query', ['orders', 'list', '--query', 'a.'.repeat(LONG / 2)]],
    ['--where', ['orders', 'list', '--where', `code=${' '.repeat(LONG)}x`]],
  ])('%s', async (flag, args) => {
    const world = await freshWorld();
    await using service = await startHostile((socket) => socket.write(http(200, '[]')));
    const file = await world.file('rows.csv', 'code,name\nA,B\n');
    const line = args.map((word) => (word === 'rows.csv' ? file : word));
    const error = errorOf(await runHere(line, { ...world.env, ...targetOf(service) }));
    expect(error).toMatchObject({ code: 'invalid_usage', exitCode: 2 });
    expect(error.message).toMatch(new RegExp(`${flag}.* characters long, the maximum is 4000`));
    expect(error.message.length).toBeLessThan(200);
    expect(service.requests).toEqual([]);
  });

  it.each(['['.repeat(1_000), '('.repeat(1_000), '{a:'.repeat(1_000)])(
    'and because of its depth: %.10s…',
    async (query) => {
      const world = await freshWorld();
      const error = errorOf(await runHere(['orders', 'list', '--query', query], world.env));
      expect(error).toMatchObject({ code: 'invalid_usage', exitCode: 2 });
      expect(error.message).toContain('nested deeper than 64 levels');
    },
  );
});

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
    expect(JSON.parse((await runHere(['sectors', 'get', 's-1'], env)).stdout)).toEqual({
      id: 's-1',
    });
    expect(errorOf(await runHere(['addresses', 'get', 'a-1'], env)).message).toContain(
      'no such thing',
    );
  });
});
