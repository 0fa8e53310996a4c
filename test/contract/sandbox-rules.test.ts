import { expect, it } from 'vitest';
import { type RawRequest, raw } from '../support/raw-http.ts';
import { startTestSandbox } from '../support/sandbox.ts';

const GROUP = { deliveryMethod: 'pickup', items: [{ quantity: 1, item: { name: 'Nut' } }] };

function requisition(changes: Record<string, unknown>) {
  return { title: 'T', groups: [GROUP], ...changes };
}

function withItem(item: unknown) {
  return requisition({ groups: [{ deliveryMethod: 'pickup', items: [item] }] });
}

/** Method, path, request body, and the field that the error names (empty: the whole body). */
const BROKEN: readonly (readonly [string, string, unknown, string])[] = [
  ['POST', '/requisitions/', '{', ''],
  ['POST', '/requisitions/', '\ufeff{}', ''],
  ['POST', '/requisitions/', Buffer.from('{"title":"\xff"}', 'latin1'), ''],
  ['POST', '/requisitions/', { groups: [GROUP] }, 'title'],
  [
    'POST',
    '/requisitions/',
    requisition({ groups: [GROUP, { deliveryMethod: 'drone', items: [] }] }),
    'groups[1].deliveryMethod',
  ],
  [
    'POST',
    '/requisitions/',
    requisition({ groups: [{ deliveryMethod: 'pickup' }] }),
    'groups[0].items',
  ],
  ...[0, 1.5, '3', undefined].map(
    (quantity) =>
      [
        'POST',
        '/requisitions/',
        withItem({ quantity, itemId: 'x' }),
        'groups[0].items[0].quantity',
      ] as const,
  ),
  ['POST', '/requisitions/', withItem({ quantity: 1 }), 'groups[0].items[0]'],
  [
    'POST',
    '/requisitions/',
    withItem({ quantity: 1, itemId: 'x', item: { name: 'N' } }),
    'groups[0].items[0]',
  ],
  ['POST', '/requisitions/', withItem({ quantity: 1, itemId: 'x' }), 'groups[0].items[0].itemId'],
  ['POST', '/requisitions/', withItem({ quantity: 1, item: {} }), 'groups[0].items[0].item.name'],
  ['POST', '/items/', { name: 7 }, 'name'],
  ['POST', '/imputations/', { amount: '12' }, 'amount'],
  ['POST', '/imputations/', '{"amount":1e400}', 'amount'],
];

it.each(BROKEN)('%s %s %j is 400 and names %j', async (method, path, body, field) => {
  const { baseUrl } = await startTestSandbox();
  const response = await raw(baseUrl, method, path, { body });
  expect(response.status).toBe(400);
  expect(response.headers['content-type']).toBe('application/problem+json');
  expect(response.json).toMatchObject({ status: 400, title: 'Bad Request' });
  const { errors } = response.json as { errors: { field: string; message: string }[] };
  expect(errors[0]?.field ?? '').toBe(field);
});

it('a refused requisition stores nothing', async () => {
  const { baseUrl } = await startTestSandbox();
  const body = requisition({
    groups: [GROUP, { deliveryMethod: 'pickup', items: [{ quantity: 1, itemId: 'none' }] }],
  });
  expect((await raw(baseUrl, 'POST', '/requisitions/', { body })).status).toBe(400);
  expect((await raw(baseUrl, 'GET', '/items/')).json).toEqual([]);
});

it('unknown fields are silently dropped, __proto__ too', async () => {
  const { baseUrl } = await startTestSandbox();
  const body = '{"name":"Bolt","colour":"red","__proto__":{"code":"X"},"constructor":1}';
  const response = await raw(baseUrl, 'POST', '/items/', { body });
  expect(response.json).toEqual({ id: 'itm-1', name: 'Bolt' });
});

it('the content type must be JSON', async () => {
  const { baseUrl } = await startTestSandbox();
  const send = (request: RawRequest) => raw(baseUrl, 'POST', '/items/', request);
  const headers = { 'content-type': 'text/plain' };
  expect((await send({ body: '{}', headers })).status).toBe(415);
  const withCharset = { 'content-type': 'application/json; charset=utf-8' };
  expect((await send({ body: '{}', headers: withCharset })).status).toBe(201);
});

it.each([
  ['/orders/?limit=101', 'limit'],
  ['/orders/?limit=', 'limit'],
  ['/orders/?limit=1&limit=2', 'limit'],
  ['/orders/?offset=-1', 'offset'],
  ['/orders/?sort=name', 'sort'],
  ['/items/?sort=createdAt', 'sort'],
  ['/items/?dir=up', 'dir'],
])('GET %s is 400 and names %s', async (path, field) => {
  const { baseUrl } = await startTestSandbox();
  const response = await raw(baseUrl, 'GET', path);
  expect(response.status).toBe(400);
  expect(response.json).toMatchObject({ errors: [{ field }] });
});
