import { deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import type { Outcome } from '../../../src/core/outcome.ts';
import { judge } from '../../../src/http/judge.ts';
import type { PreparedRequest } from '../../../src/http/request.ts';

const says = (...parts: readonly string[]) => ({ text: expect.stringMatching(parts.join('.*')) });

type Kept = Pick<PreparedRequest, 'method'> & Partial<PreparedRequest>;

const CREATE: Kept = {
  method: 'POST',
  body: JSON.stringify({ name: 'A', amount: 100 }),
  expects: { kind: 'record', schema: z.object({}), created: 'id' },
};
const READ: Kept = {
  method: 'GET',
  expects: { kind: 'record', schema: z.object({}), identifiedBy: ['id'] },
  subject: 'a',
};
const PATCH: Kept = {
  method: 'PATCH',
  body: '{"name":"A"}',
  expects: { kind: 'record', schema: z.object({}) },
};
const DELETE: Kept = { method: 'DELETE', expects: { kind: 'none' } };
const RAW: Kept = { ...CREATE, expects: { kind: 'raw' } };
const LIST: Kept = { method: 'GET', expects: { kind: 'list', schema: z.object({}) } };

const PAGE = '<!DOCTYPE html><html><title>Sign in</title></html>';

function judged(
  request: Kept,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Outcome {
  const whole = {
    ...{ origin: 'http://127.0.0.1', path: '/', headers: {}, body: undefined },
    ...{ credential: undefined, subject: undefined, expects: { kind: 'none' } as const },
    ...request,
  };
  const bytes = Buffer.isBuffer(body)
    ? body
    : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  return judge(whole, { status, headers, body: bytes }, 0);
}

const FAILED = { kind: 'unknown', reason: 'failed' };
const NO_ID = { kind: 'unknown', reason: 'no-id' };
const PAGED = { kind: 'unknown', reason: 'undecodable' };
const CONTRADICTS = { kind: 'unknown', reason: 'contradicts' };
const wait = (seconds: number) => ({ 'retry-after': String(seconds) });

describe('the status of a response', () => {
  it.each<[request: Kept, status: number, expected: object, headers?: Record<string, string>]>([
    [CREATE, 400, { kind: 'rejected', status: 400 }],
    [CREATE, 422, { kind: 'rejected' }],
    ...[199, 202, 408, 421, 425, 460, 499, 500, 503].map((status): [Kept, number, object] => [
      ...([CREATE, status, FAILED] as const),
    ]),
    [CREATE, 302, { kind: 'rejected', location: '/b' }, { location: '/b' }],
    [CREATE, 303, { ...FAILED, status: 303 }],
    [READ, 303, { kind: 'rejected', location: undefined }],
    [CREATE, 500, { ...FAILED, retryAfterMs: 2000 }, wait(2)],
    [CREATE, 429, { kind: 'throttled', status: 429, retryAfterMs: undefined }],
    [CREATE, 429, { kind: 'throttled', retryAfterMs: 3000 }, wait(3)],
    [CREATE, 503, { kind: 'throttled', status: 503 }, wait(3)],
    [CREATE, 503, { problem: says('503') }],
  ])('$method %i: %o', (request, status, expected, headers) => {
    const outcome = judged(request, status, { message: 'no' }, headers);
    expect(outcome).toMatchObject({ error: { message: 'no' }, ...expected });
    // Only raw calls show the response itself.
    expect(outcome).not.toHaveProperty('response');
  });
});

describe('a successful response', () => {
  const RECORD = { id: 'a', name: 'A' };
  const bytes = Buffer.from('{"amount":100}');
  const harmless = (stored: string) => ({
    ...{ kind: 'done', altered: `name was sent as "A", but is "${stored}"` },
  });

  it.each<[what: string, request: Kept, status: number, body: unknown, expected: object]>([
    ['creates a record', CREATE, 201, RECORD, { kind: 'done', value: RECORD, requestId: 'r' }],
    ['is no JSON', CREATE, 201, 'created', NO_ID],
    ['has no id', CREATE, 201, { name: 'A' }, NO_ID],
    ...['', ' ', 'a\0', '\ud800', 0, true, [1], {}].map(
      (id): [string, Kept, number, unknown, object] => [
        ...([`has ${JSON.stringify(id)} as its id`, CREATE, 201, { id }, NO_ID] as const),
      ],
    ),
    [
      'has other values',
      CREATE,
      201,
      { id: 'a', name: 'A', amount: 9 },
      { ...CONTRADICTS, misfit: { fields: ['amount'], answer: { amount: 9 } } },
    ],
    ['has harmless differences', CREATE, 201, { id: 'a', name: 'a' }, harmless('a')],
    [
      'says an error',
      CREATE,
      201,
      { id: 'a', error: 'no' },
      { ...CONTRADICTS, problem: says('201', 'error: "no"') },
    ],
    ['is a page', CREATE, 200, PAGE, PAGED],
    ['to a read is a page', READ, 200, PAGE, PAGED],
    ['to a read is a record', READ, 200, { id: 'a', error: 'x' }, { kind: 'done' }],
    ['to a read is another record', READ, 200, { id: 'b' }, NO_ID],
    ['to a patch has other values', PATCH, 200, { name: 'B' }, harmless('B')],
    ['to a delete is empty', DELETE, 204, '', { kind: 'done', value: undefined }],
    ['to a delete is a record', DELETE, 200, { id: 'a' }, { kind: 'done', value: undefined }],
    ['to a delete is a text', DELETE, 200, 'gone', { ...CONTRADICTS, problem: says('gone') }],
    ['to a delete says an error', DELETE, 200, { success: false }, CONTRADICTS],
    ['to a raw call', RAW, 200, bytes, { kind: 'done', value: { status: 200, bytes } }],
    [
      'to a raw call has other values',
      RAW,
      200,
      { amount: 1 },
      { ...CONTRADICTS, response: { status: 200 } },
    ],
    ['to a raw read', { ...RAW, method: 'GET' }, 200, bytes, { kind: 'done', value: { bytes } }],
  ])('%s', (_, request, status, body, expected) => {
    const outcome = judged(request, status, body, { 'x-request-id': 'r' });
    expect(outcome).toMatchObject(expected);
    if (outcome.kind === 'done') expect('altered' in outcome).toBe('altered' in expected);
  });

  it('keeps every byte of a raw call', () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    expect(judged({ ...RAW, method: 'GET' }, 200, bytes)).toMatchObject({ value: { bytes } });
  });
});

it('a page with 404 is no answer to a read, but one to a write', () => {
  expect(judged(READ, 404, PAGE)).toMatchObject(PAGED);
  expect(judged(READ, 404, { message: 'no' })).toMatchObject({ kind: 'rejected', status: 404 });
  expect(judged(READ, 410, PAGE)).toMatchObject({ kind: 'rejected' });
  expect(judged(DELETE, 404, PAGE)).toMatchObject({ kind: 'rejected' });
});

describe('an encoded response', () => {
  const record = { id: 'a', name: 'Ä' };
  const bytes = Buffer.from(JSON.stringify(record));
  it.each<[encoding: string, body: Buffer]>([
    ['gzip', gzipSync(bytes)],
    ['deflate', deflateSync(bytes)],
    ['identity', bytes],
    ['', bytes],
    ['GZIP', gzipSync(bytes)],
  ])('%s', (encoding, body) => {
    const headers = { 'content-encoding': encoding };
    expect(judged({ ...READ, subject: 'a' }, 200, body, headers)).toMatchObject({
      kind: 'done',
      value: record,
    });
  });

  it('loses the headers of its encoding', () => {
    const headers = { 'content-encoding': 'gzip', 'content-length': '9', a: 'b' };
    const outcome = judged({ ...RAW, method: 'GET' }, 200, gzipSync(bytes), headers);
    expect(outcome).toMatchObject({ value: { headers: { a: 'b' }, bytes } });
    expect(Object.keys((outcome as { value: { headers: object } }).value.headers)).toEqual(['a']);
  });

  it.each<[encoding: string, body: Buffer]>([
    ['gzip', bytes.subarray(1)],
    ['gzip', gzipSync(Buffer.alloc((64 << 20) + 1))],
  ])('that cannot be read: %s', (encoding, body) => {
    const outcome = judged(CREATE, 201, body, { 'content-encoding': encoding });
    expect(outcome).toMatchObject({ ...PAGED, status: 201 });
  });

  it('of an error may be not encoded at all', () => {
    const error = Buffer.from(JSON.stringify({ message: 'no such sector' }));
    const headers = { 'content-encoding': 'gzip' };
    expect(judged(CREATE, 400, error, headers)).toMatchObject({
      kind: 'rejected',
      error: { message: 'no such sector' },
    });
  });

  it('may be a list', () => {
    const headers = { 'content-encoding': 'gzip' };
    const rows = [{ id: 'a' }, { id: 'b' }];
    expect(judged(LIST, 200, gzipSync(JSON.stringify(rows)), headers)).toMatchObject({
      kind: 'done',
      value: rows,
    });
    expect(judged(LIST, 200, gzipSync('{"error":"no"}'), headers)).toMatchObject({
      kind: 'unknown',
    });
    expect(judged(LIST, 200, gzipSync('[1'), headers)).toMatchObject({ kind: 'unknown' });
  });
});
