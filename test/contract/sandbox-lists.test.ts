import { describe, expect, it } from 'vitest';
import type { SandboxOptions } from '../../src/sandbox/server/server.ts';
import { raw } from '../support/raw-http.ts';
import { startTestSandbox } from '../support/sandbox.ts';

async function lists(options: SandboxOptions = {}, codes: readonly (string | undefined)[] = []) {
  const { baseUrl } = await startTestSandbox(options);
  for (const code of codes) await raw(baseUrl, 'POST', '/items/', { body: { name: 'I', code } });
  return {
    ids: async (path: string) =>
      ((await raw(baseUrl, 'GET', path)).json as { id: string }[]).map((row) => row.id),
    codes: async (path: string) =>
      ((await raw(baseUrl, 'GET', path)).json as { code: string }[]).map((row) => row.code),
    status: async (path: string) => (await raw(baseUrl, 'GET', path)).status,
    detail: async (path: string) =>
      ((await raw(baseUrl, 'GET', path)).json as { detail: string }).detail,
  };
}

const numbers = (from: number, to: number) =>
  Array.from(
    { length: Math.abs(to - from) + 1 },
    (_, i) => `po-${from < to ? from + i : from - i}`,
  );

describe('without a dialect', () => {
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
    const { codes, ids } = await lists({}, ['b', 'B', 'a', undefined, 'á', 'b']);
    expect(await codes('/items/?sort=code')).toEqual([undefined, 'B', 'a', 'b', 'b', 'á']);
    expect(await ids('/items/?sort=code&limit=2&offset=3')).toEqual(['itm-1', 'itm-6']);
    expect(await codes('/items/?sort=code&dir=desc')).toEqual(['á', 'b', 'b', 'a', 'B', undefined]);
  });

  it('ignores unknown parameters', async () => {
    const { ids } = await lists();
    expect(await ids('/orders/?pageSize=1&limit=2')).toHaveLength(2);
  });
});

describe('with a dialect', () => {
  it('uses the given parameter names', async () => {
    const dialect = 'limit=pageSize,offset=skip,sort=orderBy,dir=direction,items.limit=max';
    const { ids, status, codes } = await lists({ dialect }, ['a', 'b']);
    expect(await ids('/orders/?pageSize=2&skip=1&orderBy=code&direction=desc')).toEqual(
      numbers(499, 498),
    );
    expect(await ids('/orders/?limit=2')).toHaveLength(20);
    expect(await codes('/items/?max=1')).toEqual(['a']);
    expect(await status('/items/?max=101')).toBe(400);
    expect(await status('/items/?pageSize=101')).toBe(200);
  });

  it.each([
    ['0', '1'],
    ['1', '2'],
  ])('pages by number from %s', async (base, second) => {
    const { ids, status } = await lists({ dialect: `page=page,pageBase=${base}` });
    expect(await ids(`/orders/?page=${base}&limit=2`)).toEqual(['po-1', 'po-2']);
    expect(await ids(`/orders/?page=${second}&limit=2`)).toEqual(['po-3', 'po-4']);
    expect(await ids(`/orders/?page=${second}`)).toEqual(numbers(21, 40));
    expect(await ids('/orders/?offset=2&limit=1')).toEqual(['po-1']);
    expect(await status(`/orders/?page=${Number(base) - 1}`)).toBe(400);
    expect(await status('/orders/?page=x')).toBe(400);
  });

  it('refuses unknown parameters if configured to', async () => {
    const { status, detail } = await lists({ habits: 'unknown=refuse', dialect: 'limit=max' });
    expect(await status('/orders/?max=1')).toBe(200);
    expect(await status('/orders/?limit=1')).toBe(400);
    expect(await detail('/orders/?limit=1')).toContain('limit');
    expect(await status('/sectors/?limit=1')).toBe(400);
  });

  it('returns everything without paging', async () => {
    const { ids, status } = await lists({ dialect: 'paging=none' });
    expect(await ids('/orders/?limit=3&offset=5')).toHaveLength(500);
    expect(await status('/orders/?limit=101')).toBe(200);
    expect((await ids('/orders/?sort=code&dir=desc'))[0]).toBe('po-500');
  });

  it.each([
    ['nocase', ['a', 'B', 'b', 'C', 'á']],
    ['unaccented', ['a', 'á', 'B', 'b', 'C']],
  ])('sorts with the collation %s', async (collation, sorted) => {
    const habits = `collation=${collation}`;
    const { codes } = await lists({ habits }, ['B', 'a', 'C', 'á', 'b']);
    expect(await codes('/items/?sort=code')).toEqual(sorted);
  });

  it('refuses an existing code if configured to', async () => {
    const { baseUrl } = await startTestSandbox({ habits: 'unique' });
    const body = { name: 'Bolt', code: 'B-1' };
    expect((await raw(baseUrl, 'POST', '/items/', { body })).status).toBe(201);
    expect((await raw(baseUrl, 'POST', '/items/', { body })).status).toBe(409);
  });

  it.each([
    [{ habits: 'unknown=maybe' }, '--habits: invalid value unknown="maybe"'],
    [{ habits: 'uper' }, '--habits: unknown habit "uper"'],
    [{ habits: 'upper=yes' }, '--habits: invalid value upper="yes"'],
    [{ dialect: 'pagging=none' }, 'unknown dialect setting "pagging"'],
    [{ dialect: 'unknown=refuse' }, 'unknown dialect setting "unknown"'],
  ])('does not start with %o', async (options, message) => {
    await expect(startTestSandbox(options)).rejects.toThrow(message);
  });
});
