import { describe, expect, it } from 'vitest';
import { raw } from '../support/raw-http.ts';
import { startTestSandbox } from '../support/sandbox.ts';

async function lists(codes: readonly (string | undefined)[] = []) {
  const { baseUrl } = await startTestSandbox();
  for (const code of codes) await raw(baseUrl, 'POST', '/items/', { body: { name: 'I', code } });
  return {
    ids: async (path: string) =>
      ((await raw(baseUrl, 'GET', path)).json as { id: string }[]).map((row) => row.id),
    codes: async (path: string) =>
      ((await raw(baseUrl, 'GET', path)).json as { code: string }[]).map((row) => row.code),
  };
}

const numbers = (from: number, to: number) =>
  Array.from(
    { length: Math.abs(to - from) + 1 },
    (_, i) => `po-${from < to ? from + i : from - i}`,
  );

describe('a list', () => {
  it('returns 20 rows without a limit, and as many as the limit otherwise', async () => {
    const { ids } = await lists();
    expect(await ids('/orders/')).toEqual(numbers(1, 20));
    expect(await ids('/orders/?limit=100')).toHaveLength(100);
    expect(await ids('/orders/?limit=0')).toEqual([]);
    expect(await ids('/orders/?limit=3&offset=498')).toEqual(['po-499', 'po-500']);
    expect(await ids('/orders/?offset=9999')).toEqual([]);
  });

  it('sorts by the documented fields in both directions', async () => {
    const { ids } = await lists();
    expect(await ids('/orders/?sort=code&dir=desc&limit=3')).toEqual(numbers(500, 498));
    expect(await ids('/orders/?sort=createdAt&limit=2')).toEqual(['po-1', 'po-2']);
    expect(await ids('/orders/?dir=desc&limit=1')).toEqual(['po-500']);
  });

  it('sorts codes by bytes: missing codes first, equal codes in order of creation', async () => {
    const { codes, ids } = await lists(['b', 'B', 'a', undefined, 'á', 'b']);
    expect(await codes('/items/?sort=code')).toEqual([undefined, 'B', 'a', 'b', 'b', 'á']);
    expect(await ids('/items/?sort=code&limit=2&offset=3')).toEqual(['itm-1', 'itm-6']);
    expect(await codes('/items/?sort=code&dir=desc')).toEqual(['á', 'b', 'b', 'a', 'B', undefined]);
  });

  it('ignores unknown parameters', async () => {
    const { ids } = await lists();
    expect(await ids('/orders/?pageSize=1&limit=2')).toHaveLength(2);
  });
});
