/**
 * Copied by hand from docs/service-contract.md §4, §2 and §8. Only this table detects a wrong schema, because
 * client and sandbox share their schemas.
 */
export interface ApiRow {
  readonly row: number;
  readonly id: string;
  readonly method: string;
  readonly path: string;
  /** Type of each body field as documented; `!`: required. Undefined: no body. */
  readonly body?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly response: 'array' | 'object' | 'none';
  readonly fields: readonly string[];
}

const LIST = { limit: 'integer 0..100', offset: 'integer 0..', dir: 'asc|desc' } as const;

export const API_TABLE: readonly ApiRow[] = [
  {
    row: 1,
    id: 'requisitions.create',
    method: 'POST',
    path: '/requisitions/',
    body: { title: 'string!', type: 'string', sector: 'string', code: 'string', groups: 'array!' },
    response: 'object',
    fields: ['requisitionId'],
  },
  {
    row: 2,
    id: 'requisitions.group-add',
    method: 'POST',
    path: '/requisitions/{id}/groups',
    body: { name: 'string', addressId: 'string' },
    response: 'object',
    fields: ['id', 'name', 'deliveryMethod'],
  },
  {
    row: 3,
    id: 'requisitions.group-remove',
    method: 'DELETE',
    path: '/requisitions/{id}/groups/{groupId}',
    response: 'none',
    fields: [],
  },
  {
    row: 4,
    id: 'requisitions.item-add',
    method: 'POST',
    path: '/requisitions/{id}/groups/{groupId}/items',
    body: { quantity: 'integer!', itemId: 'string' },
    response: 'object',
    fields: ['id', 'quantity', 'itemId'],
  },
  {
    row: 5,
    id: 'requisitions.item-list',
    method: 'GET',
    path: '/requisitions/{id}/groups/{groupId}/items',
    response: 'array',
    fields: ['id', 'quantity', 'itemId'],
  },
  {
    row: 6,
    id: 'requisitions.item-remove',
    method: 'DELETE',
    path: '/requisitions/{id}/groups/{groupId}/items/{itemId}',
    response: 'none',
    fields: [],
  },
  {
    row: 7,
    id: 'orders.list',
    method: 'GET',
    path: '/orders/',
    query: { ...LIST, sort: 'createdAt|updatedAt|code' },
    response: 'array',
    fields: ['id', 'code', 'status', 'amount', 'currency', 'title'],
  },
  {
    row: 8,
    id: 'items.list',
    method: 'GET',
    path: '/items/',
    query: { ...LIST, sort: 'name|code' },
    response: 'array',
    fields: ['id', 'name', 'code'],
  },
  {
    row: 9,
    id: 'items.create',
    method: 'POST',
    path: '/items/',
    body: {
      attributes: 'any',
      brand: 'string',
      certification: 'string',
      code: 'string',
      description: 'string',
      material: 'string',
      name: 'string',
      title: 'string',
      type: 'string',
      unitOfMeasure: 'string',
    },
    response: 'object',
    fields: ['id', 'name', 'code'],
  },
  {
    row: 10,
    id: 'imputations.create',
    method: 'POST',
    path: '/imputations/',
    body: {
      reference: 'string',
      account: 'string',
      amount: 'number',
      contractId: 'string',
      orderId: 'string',
      currency: 'string',
      notes: 'string',
      createdAt: 'any',
      updatedAt: 'any',
    },
    response: 'object',
    fields: ['id', 'reference', 'orderId', 'account', 'amount', 'currency'],
  },
  {
    row: 11,
    id: 'sectors.list',
    method: 'GET',
    path: '/sectors/',
    response: 'array',
    fields: ['id', 'key', 'name', 'description'],
  },
  {
    row: 12,
    id: 'sectors.get',
    method: 'GET',
    path: '/sectors/{id}',
    response: 'object',
    fields: ['id', 'key', 'name', 'description'],
  },
  {
    row: 13,
    id: 'sectors.patch',
    method: 'PATCH',
    path: '/sectors/{id}',
    body: { key: 'string', name: 'string', description: 'string' },
    response: 'object',
    fields: ['id', 'key', 'name', 'description'],
  },
  {
    row: 14,
    id: 'sectors.delete',
    method: 'DELETE',
    path: '/sectors/{id}',
    response: 'none',
    fields: [],
  },
  {
    row: 15,
    id: 'addresses.get',
    method: 'GET',
    path: '/addresses/{id}',
    response: 'object',
    fields: ['id', 'city', 'country', 'formattedAddress'],
  },
  {
    row: 16,
    id: 'addresses.patch',
    method: 'PATCH',
    path: '/addresses/{id}',
    body: {
      addressType: 'string',
      city: 'string',
      country: 'string',
      formattedAddress: 'string',
      latitude: 'number',
      longitude: 'number',
      name: 'string',
      placeId: 'string',
      postalCode: 'string',
      state: 'string',
      street: 'string',
      streetNumber: 'string',
    },
    response: 'object',
    fields: ['id', 'city', 'country', 'formattedAddress'],
  },
  {
    row: 17,
    id: 'addresses.delete',
    method: 'DELETE',
    path: '/addresses/{id}',
    response: 'none',
    fields: [],
  },
];

/** One call of each endpoint, with the expected request line, headers and body. */
export const WIRE: ReadonlyArray<{
  readonly id: string;
  readonly input: {
    params?: Record<string, string>;
    query?: Record<string, unknown>;
    body?: unknown;
  };
  readonly line: string;
  readonly body: string;
}> = [
  {
    id: 'requisitions.create',
    input: {
      body: {
        title: 'Spare parts',
        groups: [
          { deliveryMethod: 'delivery', addressId: 'a1', items: [{ quantity: 2, itemId: 'i1' }] },
        ],
      },
    },
    line: 'POST /api/v1/requisitions/ HTTP/1.1',
    body: '{"title":"Spare parts","groups":[{"deliveryMethod":"delivery","addressId":"a1","items":[{"quantity":2,"itemId":"i1"}]}]}',
  },
  {
    id: 'requisitions.group-add',
    input: { params: { id: 'r 1' }, body: { name: 'Plant', addressId: 'a1' } },
    line: 'POST /api/v1/requisitions/r%201/groups HTTP/1.1',
    body: '{"name":"Plant","addressId":"a1"}',
  },
  {
    id: 'requisitions.group-remove',
    input: { params: { id: 'r1', groupId: 'g?1' } },
    line: 'DELETE /api/v1/requisitions/r1/groups/g%3F1 HTTP/1.1',
    body: '',
  },
  {
    id: 'requisitions.item-add',
    input: { params: { id: 'r1', groupId: 'g1' }, body: { quantity: 4, itemId: 'i1' } },
    line: 'POST /api/v1/requisitions/r1/groups/g1/items HTTP/1.1',
    body: '{"quantity":4,"itemId":"i1"}',
  },
  {
    id: 'requisitions.item-list',
    input: { params: { id: 'r1', groupId: 'g1' } },
    line: 'GET /api/v1/requisitions/r1/groups/g1/items HTTP/1.1',
    body: '',
  },
  {
    id: 'requisitions.item-remove',
    input: { params: { id: 'r1', groupId: 'g1', itemId: '✓' } },
    line: 'DELETE /api/v1/requisitions/r1/groups/g1/items/%E2%9C%93 HTTP/1.1',
    body: '',
  },
  {
    id: 'orders.list',
    input: { query: { limit: 20, offset: 40, sort: 'code', dir: 'desc' } },
    line: 'GET /api/v1/orders/?limit=20&offset=40&sort=code&dir=desc HTTP/1.1',
    body: '',
  },
  {
    id: 'items.list',
    input: { query: { limit: 0 } },
    line: 'GET /api/v1/items/?limit=0 HTTP/1.1',
    body: '',
  },
  {
    id: 'items.create',
    input: { body: { name: 'Chain', attributes: null } },
    line: 'POST /api/v1/items/ HTTP/1.1',
    body: '{"name":"Chain","attributes":null}',
  },
  {
    id: 'imputations.create',
    input: { body: { orderId: 'po-1', amount: 12.5, currency: 'USD', createdAt: null } },
    line: 'POST /api/v1/imputations/ HTTP/1.1',
    body: '{"orderId":"po-1","amount":12.5,"currency":"USD","createdAt":null}',
  },
  { id: 'sectors.list', input: {}, line: 'GET /api/v1/sectors/ HTTP/1.1', body: '' },
  {
    id: 'sectors.get',
    input: { params: { id: 's1' } },
    line: 'GET /api/v1/sectors/s1 HTTP/1.1',
    body: '',
  },
  {
    id: 'sectors.patch',
    input: { params: { id: 's1' }, body: { name: 'Brakes' } },
    line: 'PATCH /api/v1/sectors/s1 HTTP/1.1',
    body: '{"name":"Brakes"}',
  },
  {
    id: 'sectors.delete',
    input: { params: { id: 's1' } },
    line: 'DELETE /api/v1/sectors/s1 HTTP/1.1',
    body: '',
  },
  {
    id: 'addresses.get',
    input: { params: { id: 'a1' } },
    line: 'GET /api/v1/addresses/a1 HTTP/1.1',
    body: '',
  },
  {
    id: 'addresses.patch',
    input: { params: { id: 'a1' }, body: { latitude: -31.4, city: 'Córdoba' } },
    line: 'PATCH /api/v1/addresses/a1 HTTP/1.1',
    body: '{"latitude":-31.4,"city":"Córdoba"}',
  },
  {
    id: 'addresses.delete',
    input: { params: { id: 'a1' } },
    line: 'DELETE /api/v1/addresses/a1 HTTP/1.1',
    body: '',
  },
];
