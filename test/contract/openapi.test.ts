import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { ENDPOINTS } from '../../src/nouns/endpoints.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/server/server.ts';
import { openApi } from '../../src/schema/openapi.ts';
import { type RawRequest, raw } from '../support/raw-http.ts';
import { API_TABLE } from './api-table.ts';

interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<
    Record<string, { readonly $ref?: string; readonly content?: Content }>
  >;
  readonly [key: string]: unknown;
}

type Content = Readonly<Record<string, { readonly schema: object }>>;

const document = JSON.parse(JSON.stringify(openApi())) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly responses: Readonly<Record<string, { readonly content: Content }>>;
  };
};

describe('the OpenAPI document', () => {
  it('is valid OpenAPI 3.1', async () => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate(structuredClone(document));
    expect(errors ?? []).toEqual([]);
    expect([valid, validator.version]).toEqual([true, '3.1']);
  });

  it('is reported as invalid if it is invalid', async () => {
    const broken = structuredClone(document) as unknown as {
      paths: { '/orders/': { get: object } };
    };
    broken.paths['/orders/'].get = { responses: { nine: {} } };
    expect((await new Validator().validate(broken)).valid).toBe(false);
  });

  it('has exactly the endpoints of the contract', () => {
    const found = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(found.sort()).toEqual(API_TABLE.map(({ method, path }) => `${method} ${path}`).sort());
  });

  it('states responses as strictly as the contract', () => {
    const responseOf = (path: string, method: string) => {
      const { responses } = document.paths[path]![method]!;
      const { content } = responses['2XX'] ?? responses['201']!;
      return content!['application/json']!.schema;
    };
    expect(responseOf('/requisitions/{id}/groups', 'post')).toMatchObject({
      required: ['id', 'name', 'deliveryMethod'],
      properties: { name: { type: 'string' }, deliveryMethod: { enum: ['pickup', 'delivery'] } },
    });
    expect(responseOf('/requisitions/{id}/groups/{groupId}/items', 'get')).toMatchObject({
      type: 'array',
      items: {
        required: ['id', 'quantity', 'itemId'],
        properties: { quantity: { type: 'integer' } },
      },
    });
    expect(responseOf('/sectors/{id}', 'patch')).toMatchObject({
      required: ['id', 'key', 'name', 'description'],
    });
    const orders = responseOf('/orders/', 'get') as { items: object };
    expect(orders.items).toMatchObject({ properties: { amount: { type: 'number' } } });
    // §2 lists the fields of an order, but does not say that all are returned.
    expect(orders.items).not.toHaveProperty('required');
    expect(JSON.stringify(document)).not.toContain('"null"');
  });

  it('marks what the contract does not show', () => {
    const orders = JSON.stringify(document.paths['/orders/']!.get);
    expect(orders).toContain('Names and purposes of the list parameters are not shown');
    expect(JSON.stringify(document.paths['/sectors/{id}']!.patch)).toContain('accept a subset');
    expect(orders).toContain('The status of a success');
    expect(JSON.stringify(document.paths['/requisitions/']!.post!.responses)).not.toContain(
      'The status of a success',
    );
    expect(JSON.stringify(document.paths['/imputations/']!.post!.requestBody)).toContain(
      'The type is not shown',
    );
  });
});

describe('the sandbox answers as the document describes', () => {
  let sandbox: Sandbox;
  const seen = new Set<string>();
  beforeAll(async () => {
    sandbox = await startSandbox();
    return () => sandbox.close();
  });

  const ajv = new Ajv2020({ strict: false });

  async function exchange(
    method: string,
    template: string,
    path: string,
    request: RawRequest = {},
  ) {
    const received = await raw(sandbox.baseUrl, method, path, request);
    const operation = document.paths[template]![method.toLowerCase()]!;
    const { responses } = operation;
    const status = String(received.status);
    const key = [status, `${status[0]}XX`, 'default'].find((one) => responses[one] !== undefined)!;
    const response = responses[key]!;
    const { content } =
      response.$ref === undefined
        ? response
        : document.components.responses[response.$ref.split('/').at(-1)!]!;
    const schema = content?.['application/json']?.schema ?? {};
    seen.add(operation.operationId);
    if (received.json !== undefined) {
      expect(ajv.validate(schema, received.json), `${method} ${path}: ${ajv.errorsText()}`).toBe(
        true,
      );
    }
    return { ...received, key, schema, value: received.json as Record<string, string> };
  }

  it('for every endpoint', async () => {
    await exchange('POST', '/items/', '/items/', { body: { name: 'Bolt without a code' } });
    const item = await exchange('POST', '/items/', '/items/', {
      body: { name: 'Bolt', code: 'B-1' },
    });
    const requisition = await exchange('POST', '/requisitions/', '/requisitions/', {
      body: {
        title: 'Parts',
        groups: [{ deliveryMethod: 'pickup', items: [{ quantity: 2, itemId: item.value.id }] }],
      },
    });
    expect(requisition.key).toBe('201');
    const base = `/requisitions/${requisition.value.requisitionId}/groups`;
    const groups = '/requisitions/{id}/groups';
    const group = await exchange('POST', groups, base, { body: { name: 'Plant' } });
    const lines = `${base}/${group.value.id}/items`;
    const line = await exchange('POST', `${groups}/{groupId}/items`, lines, {
      body: { quantity: 1, itemId: item.value.id },
    });
    await exchange('GET', `${groups}/{groupId}/items`, lines);
    await exchange('DELETE', `${groups}/{groupId}/items/{itemId}`, `${lines}/${line.value.id}`);
    await exchange('DELETE', `${groups}/{groupId}`, `${base}/${group.value.id}`);
    await exchange('GET', '/orders/', '/orders/?limit=100');
    await exchange('GET', '/items/', '/items/');
    await exchange('POST', '/imputations/', '/imputations/', {
      body: {
        ...{ reference: 'r', account: '4711', orderId: 'po-1', amount: 12.5, currency: 'EUR' },
        createdAt: null,
      },
    });
    await exchange('GET', '/sectors/', '/sectors/');
    await exchange('GET', '/sectors/{id}', '/sectors/sec-1');
    await exchange('PATCH', '/sectors/{id}', '/sectors/sec-1', { body: { name: 'Bikes' } });
    await exchange('DELETE', '/sectors/{id}', '/sectors/sec-2');
    await exchange('GET', '/addresses/{id}', '/addresses/adr-1');
    await exchange('PATCH', '/addresses/{id}', '/addresses/adr-1', { body: { city: 'Lima' } });
    await exchange('DELETE', '/addresses/{id}', '/addresses/adr-2');
    expect([...seen].sort(), 'one exchange above for each endpoint').toEqual(
      ENDPOINTS.map(({ id }) => id).sort(),
    );
  });

  it('for each documented error', async () => {
    const bad = await exchange('POST', '/requisitions/', '/requisitions/', { body: {} });
    const none = await exchange('GET', '/orders/', '/orders/', { key: null });
    const foreign = await exchange('GET', '/sectors/{id}', '/sectors/zz-sec-1');
    const missing = await exchange('GET', '/sectors/{id}', '/sectors/none');
    expect([bad.key, none.key, foreign.key, missing.key]).toEqual(['400', '401', '403', 'default']);
  });

  it('and a different response would be detected', async () => {
    const { schema } = await exchange('GET', '/orders/', '/orders/');
    expect(ajv.validate(schema, { data: [] })).toBe(false);
    expect(ajv.validate(schema, [{ id: 'po-1', amount: 'much' }])).toBe(false);
    expect(ajv.validate(schema, [{ id: 'po-1', title: null }])).toBe(false);
  });
});
