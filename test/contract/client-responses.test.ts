import { describe, expect, it } from 'vitest';
import {
  always,
  drip,
  endless,
  http,
  type Responder,
  startHostile,
  targetOf,
} from '../support/hostile-service.ts';
import { runHere } from '../support/in-process.ts';
import { errorOf, jsonLines, openWorld, type Ran } from '../support/run.ts';

interface Case {
  readonly respond: Responder;
  /** Exit codes: `[list, get, create, patch, delete]`. */
  readonly exits: readonly [number, number, number, number, number];
  /** Reads are retried. */
  readonly retried?: boolean;
  /** Writes are retried too, because they provably had no effect. */
  readonly writesRetried?: boolean;
  readonly says?: RegExp;
  readonly flags?: readonly string[];
}

const READ_FAILED = [7, 7, 9, 9, 9] as const;
const REFUSED = [6, 6, 6, 6, 6] as const;
const TURNED_AWAY = [7, 7, 7, 7, 7] as const;
/** A 2xx that is not JSON. A delete is refused because the record is still there. */
const NOT_JSON = [7, 7, 9, 9, 6] as const;
/** An empty 2xx: enough for a change and a delete. */
const EMPTY = [7, 7, 9, 0, 0] as const;
/** A 2xx that is no record, and no contradiction for a delete. */
const NO_RECORD = [7, 7, 9, 9, 0] as const;
/** Short, but a request can still leave while many commands run at once. */
const QUICK = ['--timeout', '2s', '--retries', '0'];

const HTML = '<html><head><title>Gateway</title></head><body><h1>Down</h1></body></html>';

const CASES: Readonly<Record<string, Case>> = {
  'HTML with 200': {
    respond: always(http(200, HTML, { 'content-type': 'text/html' })),
    exits: [7, 7, 9, 9, 9],
    says: /not a JSON|HTML page/,
  },
  'an empty body with 200': { respond: always(http(200)), exits: EMPTY, says: /empty|still there/ },
  '204 without a body': {
    respond: always(Buffer.from('HTTP/1.1 204 No Content\r\n\r\n')),
    exits: EMPTY,
    says: /empty|still there/,
  },
  'truncated JSON': { respond: always(http(200, '[{"id":"a"},{"id"')), exits: NOT_JSON },
  'a create without its id': {
    respond: always(http(201, '{"name":"X"}')),
    exits: NO_RECORD,
    says: /no id|not a JSON array|not the record "s1"|still there/,
  },
  'another record': {
    respond: always(http(200, '{"id":"s2","key":"k2"}')),
    exits: [7, 7, 0, 9, 0],
    says: /not a JSON array|not the record "s1"|still there/,
  },
  'an error of a gateway with 200': {
    respond: always(http(200, '{"error":"upstream timeout","status":502}')),
    exits: [7, 7, 9, 9, 6],
    says: /upstream timeout/,
  },
  'an array': { respond: always(http(200, '[{"id":"a"}]')), exits: [0, 7, 9, 9, 0] },
  'gzip that was not asked for': {
    respond: always(http(200, Buffer.from('1f8b0800', 'hex'), { 'content-encoding': 'gzip' })),
    exits: READ_FAILED,
    says: /cannot be decompressed/,
  },
  '302': {
    respond: always(http(302, '', { location: 'http://127.0.0.1:1/elsewhere' })),
    exits: REFUSED,
    says: /302.*elsewhere/,
  },
  '303': {
    respond: always(http(303, '', { location: '/elsewhere' })),
    exits: [6, 6, 9, 9, 9],
    says: /303/,
  },
  '401': {
    respond: always(http(401)),
    exits: [4, 4, 4, 4, 4],
    says: /key is missing or incorrect/,
  },
  '404': { respond: always(http(404)), exits: [5, 5, 5, 5, 5], says: /not found/ },
  '500': {
    respond: always(http(500, 'out of order')),
    exits: READ_FAILED,
    retried: true,
    says: /500.*out of order/,
  },
  '503 with Retry-After': {
    respond: always(http(503, '', { 'retry-after': '0' })),
    exits: TURNED_AWAY,
    retried: true,
    writesRetried: true,
    says: /is busy and refused the request/,
  },
  '429': {
    respond: always(http(429)),
    exits: TURNED_AWAY,
    retried: true,
    writesRetried: true,
    says: /429/,
  },
  '429 with a day in Retry-After': {
    respond: always(http(429, '', { 'retry-after': '86400' })),
    exits: TURNED_AWAY,
    says: /86400 s, until \d{4}-\d\d-\d\dT/,
  },
  'one row without end': {
    respond: endless('x', '[{"id":"'),
    exits: READ_FAILED,
    flags: ['--retries', '0', '--timeout', '5m'],
    says: /larger than/,
  },
  'an error body without end': { respond: endless('x', '', 400), exits: REFUSED },
  'a drip': {
    respond: drip(http(200, `[${' '.repeat(1000)}]`), 20),
    exits: READ_FAILED,
    flags: QUICK,
    says: /\b2 s/,
  },
  'nothing at all': {
    respond: () => undefined,
    exits: READ_FAILED,
    flags: QUICK,
    says: /no complete response within 2 s/,
  },
  'a reset after the request': {
    respond: (socket) => socket.resetAndDestroy(),
    exits: READ_FAILED,
    retried: true,
    says: /broke/,
  },
  'a body shorter than its content-length': {
    respond: (socket) => socket.end(http(200, '[{"id":"a"}]', { 'content-length': '900' })),
    exits: READ_FAILED,
    retried: true,
  },
  'no HTTP': {
    respond: (socket) => socket.end('SSH-2.0-OpenSSH_9.9\r\n'),
    exits: READ_FAILED,
    retried: true,
  },
  'headers without end': {
    respond: always(http(200, '[]', { 'x-long': 'x'.repeat(1 << 20) })),
    exits: READ_FAILED,
    retried: true,
  },
};

/** The request that gets the response, and its command. The service answers other requests normally. */
const COMMANDS = [
  ['GET /api/v1/sectors/', ['sectors', 'list']],
  ['GET /api/v1/sectors/s1', ['sectors', 'get', 'id=s1']],
  ['POST /api/v1/items/', ['items', 'create', '--name', 'X']],
  ['PATCH /api/v1/sectors/s1', ['sectors', 'patch', 'id=s1', '--name', 'X']],
  ['DELETE /api/v1/sectors/s1', ['sectors', 'delete', 'id=s1', '--yes']],
] as const;

describe.concurrent.each(Object.entries(CASES))('the service answers %s', (_, given) => {
  it.each(COMMANDS.map(([about, args], at) => [about, args, at] as const))(
    'to %s',
    async (about, args, at) => {
      const isRead = about.startsWith('GET');
      await using service = await startHostile((socket, request, nth) => {
        if (!isRead && request.method === 'GET') socket.write(http(200, '{"id":"s1"}'));
        else given.respond(socket, request, nth);
      });
      await using world = await openWorld(targetOf(service));
      const ran = await runHere([...args, ...(given.flags ?? ['--retries', '1'])], world.env);
      expect({ ...ran, expected: ran.exitCode }).toMatchObject({ expected: given.exits[at] });
      expectOneMessage(ran, given.says);
      const own = service.requests.filter(({ line }) => line === `${about} HTTP/1.1`);
      const retried = isRead ? given.retried : given.writesRetried;
      expect(own).toHaveLength(retried === true ? 2 : 1);
    },
  );
});

function expectOneMessage(ran: Ran, says: RegExp | undefined): void {
  expect(ran.stderr).not.toMatch(/\n\s+at |node:internal|TypeError/);
  if (ran.exitCode === 0) {
    expect(ran.stdout).not.toBe('');
    expect(jsonLines(ran.stderr).filter((line) => line.notice === undefined)).toEqual([]);
    return;
  }
  expect(ran.stdout).toBe('');
  const error = errorOf(ran);
  expect(error.exitCode).toBe(ran.exitCode);
  expect(error.message.length).toBeLessThan(1000);
  if (says !== undefined) expect(error.message).toMatch(says);
}
