import { describe, expect, it } from 'vitest';
import { nounOf } from '../../src/core/endpoint.ts';
import { ENDPOINTS } from '../../src/nouns/endpoints.ts';
import { SANDBOX_KEYS } from '../../src/sandbox/seed.ts';
import { KEY_2, type RawRequest, type RawResponse, raw } from '../support/raw-http.ts';
import { startTestSandbox } from '../support/sandbox.ts';

async function client() {
  const { baseUrl } = await startTestSandbox();
  return (method: string, path: string, request?: RawRequest) =>
    raw(baseUrl, method, path, request);
}

function field(response: RawResponse, name: string): string {
  return (response.json as Record<string, string>)[name]!;
}

async function withRequisition(send: Awaited<ReturnType<typeof client>>) {
  const item = field(await send('POST', '/items/', { body: { name: 'Bolt' } }), 'id');
  const body = { title: 'Spares', groups: [{ deliveryMethod: 'pickup', items: [] }] };
  const id = field(await send('POST', '/requisitions/', { body }), 'requisitionId');
  const group = field(await send('POST', `/requisitions/${id}/groups`, { body: {} }), 'id');
  const lines = `/requisitions/${id}/groups/${group}/items`;
  const line = field(await send('POST', lines, { body: { quantity: 2, itemId: item } }), 'id');
  return { id, group, lines, line, item };
}

describe('each endpoint answers as the contract states', () => {
  it('1 POST /requisitions/ returns 201 and the id, with existing items and items defined in place', async () => {
    const send = await client();
    const item = field(await send('POST', '/items/', { body: { name: 'Bolt' } }), 'id');
    const response = await send('POST', '/requisitions/', {
      body: {
        title: 'Spares',
        groups: [
          {
            name: 'Plant',
            deliveryMethod: 'delivery',
            addressId: 'adr-1',
            items: [
              { quantity: 4, itemId: item },
              { quantity: 1, item: { name: 'Nut', code: 'N-1' } },
            ],
          },
        ],
      },
    });
    expect(response.status).toBe(201);
    expect(response.json).toEqual({ requisitionId: 'req-1' });
    expect((await send('GET', '/requisitions/req-1/groups/grp-1/items')).json).toEqual([
      { id: 'lin-1', quantity: 4, itemId: item },
      { id: 'lin-2', quantity: 1, itemId: 'itm-2' },
    ]);
    expect((await send('GET', '/items/')).json).toContainEqual({
      id: 'itm-2',
      name: 'Nut',
      code: 'N-1',
    });
  });

  it('3 DELETE a group deletes its lines too', async () => {
    const send = await client();
    const { id, group, lines } = await withRequisition(send);
    const response = await send('DELETE', `/requisitions/${id}/groups/${group}`);
    expect([response.status, response.text]).toEqual([204, '']);
    expect((await send('GET', lines)).status).toBe(404);
  });
});

describe('every endpoint checks the organization', () => {
  const samples: Record<string, unknown> = {
    'requisitions.create': { title: 'T', groups: [{ deliveryMethod: 'pickup', items: [] }] },
    'requisitions.item-add': { quantity: 1, itemId: 'itm-1' },
  };

  it.each(ENDPOINTS.map((spec) => [spec.method, spec.path, spec] as const))(
    '%s %s: 401 without a key, with a wrong one, and with a wrong token',
    async (method, template, spec) => {
      const send = await client();
      const path = template.replace(/\{\w+\}/g, 'x');
      const body = spec.body === undefined ? undefined : (samples[spec.id] ?? {});
      const attempts: Record<string, string>[] = [
        {},
        { 'x-api-key': 'wrong' },
        { authorization: 'Bearer wrong' },
        { authorization: `Basic ${SANDBOX_KEYS[0].apiKey}` },
      ];
      for (const headers of attempts) {
        const response = await send(method, path, { key: null, headers, body });
        expect(response.status).toBe(401);
        expect(response.headers['content-type']).toBe('application/problem+json');
        expect(response.headers['x-request-id']).toMatch(/^sbx-/);
      }
    },
  );

  it('accepts a bearer token instead of a key', async () => {
    const send = await client();
    const headers = { authorization: `Bearer ${SANDBOX_KEYS[1].token}` };
    const response = await send('GET', '/sectors/', { key: null, headers });
    expect((response.json as { id: string }[]).map((row) => row.id)).toEqual([
      'zz-sec-1',
      'zz-sec-2',
      'zz-sec-3',
    ]);
  });

  it('returns 403 for a record of the other organization and 404 for an unknown record, on every path with an id', async () => {
    const send = await client();
    const { id, group, line } = await withRequisition(send);
    const known: Record<string, Record<string, string>> = {
      requisitions: { id, groupId: group, itemId: line },
      sectors: { id: 'sec-2' },
      addresses: { id: 'adr-2' },
    };
    for (const spec of ENDPOINTS.filter(({ path }) => path.includes('{'))) {
      const noun = nounOf(spec);
      expect(known, `known: an id of ${noun}, of the first organization`).toHaveProperty(noun);
      const ids = known[noun]!;
      const body = spec.body === undefined ? undefined : (samples[spec.id] ?? {});
      const mine = spec.path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name]!);
      expect([spec.id, (await send(spec.method, mine, { key: KEY_2, body })).status]).toEqual([
        spec.id,
        403,
      ]);
      const last = spec.path.replace(/\{(\w+)\}(?!.*\{)/, 'nobody');
      const nobodys = last.replace(/\{(\w+)\}/g, (_, name: string) => ids[name]!);
      expect([spec.id, (await send(spec.method, nobodys, { body })).status]).toEqual([
        spec.id,
        404,
      ]);
    }
  });

  it('returns 403 for a reference to another organization and 400 for a reference to no record', async () => {
    const send = await client();
    const attempt = async (path: string, body: unknown) =>
      (await send('POST', path, { body })).status;
    expect(await attempt('/imputations/', { orderId: 'zz-po-1' })).toBe(403);
    expect(await attempt('/imputations/', { orderId: 'po-9999' })).toBe(400);
    const { id, lines } = await withRequisition(send);
    expect(await attempt(lines, { quantity: 1, itemId: 'itm-9999' })).toBe(400);
    expect(await attempt(`/requisitions/${id}/groups`, { addressId: 'zz-adr-1' })).toBe(403);
    expect(await attempt(`/requisitions/${id}/groups`, { addressId: 'adr-9999' })).toBe(400);
  });

  it('returns 404 for a group or line of another requisition or group', async () => {
    const send = await client();
    const one = await withRequisition(send);
    const two = await withRequisition(send);
    const foreign = `/requisitions/${one.id}/groups/${two.group}`;
    expect((await send('GET', `${foreign}/items`)).status).toBe(404);
    expect((await send('DELETE', foreign)).status).toBe(404);
    expect((await send('DELETE', `${one.lines}/${two.line}`)).status).toBe(404);
  });
});

it('returns 404 for a missing or extra trailing slash', async () => {
  const send = await client();
  for (const path of [
    '/orders',
    '/items',
    '/sectors',
    '/sectors/sec-1/',
    '/addresses/adr-1/',
    '/',
  ]) {
    expect([path, (await send('GET', path)).status]).toEqual([path, 404]);
  }
  expect((await send('POST', '/requisitions', { body: {} })).status).toBe(404);
  expect((await send('DELETE', '/orders/')).status).toBe(404);
});
