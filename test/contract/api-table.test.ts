import { describe, expect, it } from 'vitest';
import type { EndpointSpec } from '../../src/core/endpoint.ts';
import { type Credential, Secret } from '../../src/core/secret.ts';
import { check } from '../../src/core/validate.ts';
import { openTransport } from '../../src/http/connection.ts';
import { prepare } from '../../src/http/request.ts';
import { send } from '../../src/http/send-once.ts';
import { ENDPOINTS } from '../../src/nouns/endpoints.ts';
import { always, http, startHostile } from '../support/hostile-service.ts';
import { targetAt } from '../support/target.ts';
import { API_TABLE, type ApiRow, WIRE } from './api-table.ts';

const byId = new Map(ENDPOINTS.map((spec) => [spec.id, spec]));

describe('the endpoint descriptors match the contract', () => {
  it('has the endpoints of §4 in the same order', () => {
    expect(API_TABLE.map(({ row }) => row)).toEqual(API_TABLE.map((_, at) => at + 1));
    expect(ENDPOINTS.map(({ id }) => id)).toEqual(API_TABLE.map(({ id }) => id));
  });

  describe.each(API_TABLE.map((row) => [row.id, row] as const))('%s', (id, row) => {
    const spec = byId.get(id)!;

    it('has the method and path', () => {
      expect(`${spec.method} ${spec.path}`).toBe(`${row.method} ${row.path}`);
    });

    it('has the body', () => {
      expect(fieldsOf(spec.body)).toEqual([...Object.keys(row.body ?? {})].sort());
      for (const [field, stated] of Object.entries(row.body ?? {})) {
        expect(accepted(spec, row, field), field).toEqual(acceptedBy(stated));
      }
    });

    it('has the query', () => {
      expect(fieldsOf(spec.query)).toEqual([...Object.keys(row.query ?? {})].sort());
      for (const [name, stated] of Object.entries(row.query ?? {})) {
        for (const [value, right] of queryValues(stated)) {
          const { issues } = check(spec.query!, { [name]: value });
          expect(issues.length === 0, `${name}=${value}`).toBe(right);
        }
      }
      if (spec.query !== undefined) expect(check(spec.query, {}).issues).toEqual([]);
    });

    it('has the response', () => {
      const { response } = spec;
      const containers: Record<string, string> = { list: 'array', record: 'object', none: 'none' };
      expect(containers[response.kind]).toBe(row.response);
      expect('schema' in response ? fieldsOf(response.schema) : []).toEqual([...row.fields].sort());
    });
  });
});

/** The content of a requisition's groups (docs/service-contract.md §2), rule by rule. */
describe('the payload of a requisition', () => {
  const { body } = byId.get('requisitions.create')!;
  const line = { quantity: 1, itemId: 'i1' };
  const group = { deliveryMethod: 'pickup', items: [line] };
  const whole = (groups: unknown) => ({ title: 't', groups });
  const withGroup = (changes: object) => whole([{ ...group, ...changes }]);
  const withLine = (changes: object) => withGroup({ items: [{ ...line, ...changes }] });

  it.each([
    ['pickup', withGroup({})],
    ['delivery', withGroup({ deliveryMethod: 'delivery', addressId: 'a', name: 'n' })],
    ['no items in a group', withGroup({ items: [] })],
    ['a new item in place', withLine({ itemId: undefined, item: { name: 'n' } })],
    [
      'every field of a new item',
      withLine({
        item: {
          name: 'n',
          code: 'c',
          description: 'd',
          unitOfMeasure: 'u',
          brand: 'b',
          material: 'm',
          certification: 'c',
          type: 't',
        },
      }),
    ],
  ])('accepts %s', (_, value) => {
    const checked = check(body!, value);
    expect(checked.issues).toEqual([]);
    expect(checked.unknown).toEqual([]);
  });

  it.each([
    ['no title', { groups: [group] }, 'title'],
    ['no groups', { title: 't' }, 'groups'],
    ['an empty list of groups', whole([]), 'groups'],
    ['groups that are no list', whole(group), 'groups'],
    ['no deliveryMethod', whole([{ items: [line] }]), 'groups[0].deliveryMethod'],
    ['another deliveryMethod', withGroup({ deliveryMethod: 'drone' }), 'groups[0].deliveryMethod'],
    ['no items', whole([{ deliveryMethod: 'pickup' }]), 'groups[0].items'],
    ['quantity 0', withLine({ quantity: 0 }), 'groups[0].items[0].quantity'],
    ['quantity -1', withLine({ quantity: -1 }), 'groups[0].items[0].quantity'],
    ['quantity 1.5', withLine({ quantity: 1.5 }), 'groups[0].items[0].quantity'],
    ['quantity "3"', withLine({ quantity: '3' }), 'groups[0].items[0].quantity'],
    ['quantity null', withLine({ quantity: null }), 'groups[0].items[0].quantity'],
    ['quantity 1e21', withLine({ quantity: 1e21 }), 'groups[0].items[0].quantity'],
    ['no quantity', withLine({ quantity: undefined }), 'groups[0].items[0].quantity'],
    ['an item without a name', withLine({ item: { code: 'c' } }), 'groups[0].items[0].item.name'],
  ])('refuses %s', (_, value, field) => {
    expect(check(body!, value).issues.map((issue) => issue.field)).toContain(field);
  });
});

describe('on the wire', () => {
  it('calls each endpoint once', () => {
    expect(WIRE.map(({ id }) => id)).toEqual(API_TABLE.map(({ id }) => id));
  });

  const KEY = { scheme: 'api-key', secret: new Secret('k-1') } as const;
  const TOKEN = { scheme: 'bearer', secret: new Secret('a.b.c') } as const;

  it.each(WIRE.map((call) => [call.id, call] as const))('%s', async (id, call) => {
    for (const credential of [KEY, TOKEN]) {
      const { line, headers, body, head } = await sent(byId.get(id)!, call.input, credential);
      expect(line).toBe(call.line);
      expect(body).toBe(call.body);
      const names = headers.map(([name]) => name);
      expect(names).toEqual([...new Set(names)]);
      const expected = new Map([
        ['accept', 'application/json'],
        ['user-agent', 'proc-cli'],
        credential === KEY ? ['x-api-key', 'k-1'] : ['authorization', 'Bearer a.b.c'],
      ] as [string, string][]);
      if (call.input.body !== undefined) {
        expected.set('content-type', 'application/json');
        expected.set('content-length', String(Buffer.byteLength(call.body)));
      }
      const own = headers.filter(([name]) => !['host', 'connection'].includes(name));
      expect(Object.fromEntries(own)).toEqual(Object.fromEntries(expected));
      expect(head).not.toMatch(/accept-encoding|transfer-encoding/i);
    }
  });
});

async function sent(
  spec: EndpointSpec,
  input: (typeof WIRE)[number]['input'],
  credential: Credential,
) {
  await using service = await startHostile(always(http(200, '[]')));
  const transport = openTransport({ origin: service.origin, env: {}, connectTimeoutMs: 5_000 });
  const request = prepare(spec, input, targetAt(`${service.baseUrl}/`, { credential }));
  await send(request, transport, { timeoutMs: 5_000, now: Date.now });
  await transport.close();
  expect(service.requests).toHaveLength(1);
  const received = service.requests[0]!;
  expect(received.headers).toContainEqual(['host', `127.0.0.1:${service.port}`]);
  return received;
}

function fieldsOf(schema: EndpointSpec['body']): string[] {
  return Object.keys(schema?._zod.def.shape ?? {}).sort();
}

const SAMPLES = {
  text: 'x',
  integer: 3,
  decimal: 1.5,
  zero: 0,
  nothing: null,
  list: [{ deliveryMethod: 'pickup', items: [] }],
  object: {},
} as const;

/** The samples that a field accepts while all other fields are valid. `absent`: the field may be missing. */
function accepted(spec: EndpointSpec, row: ApiRow, field: string): string[] {
  const rest = Object.fromEntries(
    Object.entries(row.body ?? {})
      .filter(([name, stated]) => name !== field && stated.endsWith('!'))
      .map(([name, stated]) => [name, sampleOf(stated)]),
  );
  const names = Object.entries(SAMPLES)
    .filter(([, value]) => check(spec.body!, { ...rest, [field]: value }).issues.length === 0)
    .map(([name]) => name);
  return check(spec.body!, rest).issues.length === 0 ? [...names, 'absent'] : names;
}

function sampleOf(stated: string): unknown {
  return { 'string!': 'x', 'integer!': 3, 'array!': SAMPLES.list }[stated];
}

function acceptedBy(stated: string): string[] {
  const names: Record<string, string[]> = {
    string: ['text'],
    integer: ['integer'],
    number: ['integer', 'decimal', 'zero'],
    array: ['list'],
    any: Object.keys(SAMPLES),
  };
  const type = stated.replace('!', '');
  return stated.endsWith('!') ? names[type]! : [...names[type]!, 'absent'];
}

function queryValues(stated: string): Array<readonly [unknown, boolean]> {
  if (stated.startsWith('integer')) {
    const bounded = stated.endsWith('..100');
    return [
      [0, true],
      [100, true],
      [101, !bounded],
      [-1, false],
      [1.5, false],
      ['5', false],
    ];
  }
  const allowed = stated.split('|');
  const all = ['createdAt', 'updatedAt', 'code', 'name', 'asc', 'desc', 'ASC', ''];
  return all.map((value) => [value, allowed.includes(value)] as const);
}
