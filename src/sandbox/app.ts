import { isUtf8 } from 'node:buffer';
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type Context, type Handler, Hono } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { EndpointSpec } from '../core/endpoint.ts';
import { messageOf } from '../core/errors.ts';
import { check, type FieldIssue } from '../core/validate.ts';
import type { ChanceName, Drawer } from './faults.ts';
import { badField, type Call, Problem, type Route, routesOf } from './routes.ts';
import { SANDBOX_KEYS } from './seed.ts';
import type { ListQuery, Store } from './store.ts';

export const BASE_PATH = '/api/v1';

export interface Exchanges {
  readonly draw: Drawer | undefined;
  readonly lateCommitMs: number;
  later(ms: number, commit: () => void): void;
  nextRequestId(): string;
}

interface Reply {
  readonly status: number;
  readonly body?: unknown;
  readonly type?: 'application/json' | 'application/problem+json' | 'text/html';
}

type Bindings = { Bindings: HttpBindings };

/** A slash at the end counts: `/items/` is an endpoint and `/items` is a 404. @param base the path of the base URL */
export function buildApp(store: Store, shared: Exchanges, base = BASE_PATH): Hono<Bindings> {
  const app = new Hono<Bindings>();
  for (const route of routesOf(store)) {
    const path = base + route.spec.path.replace(/\{(\w+)\}/g, ':$1');
    app.on(route.spec.method, path, handlerOf(store, shared, route));
  }
  const refuse = (c: Context, status: number, detail: string) =>
    answer(c, shared.nextRequestId(), refusal(status, detail));
  app.notFound((c) => {
    const { method, url } = c.env.incoming;
    return refuse(c, 404, `There is no endpoint ${method} ${url!.split('?', 1)[0]}`);
  });
  app.onError((thrown, c) => refuse(c, 500, `The sandbox could not do this: ${messageOf(thrown)}`));
  return app;
}

/** The body of an error, as in RFC 9457. */
function refusal(status: number, detail: string, errors: readonly FieldIssue[] = []): Reply {
  const body = { type: 'about:blank', title: STATUS_CODES[status], status, detail, errors };
  return { status, type: 'application/problem+json', body };
}

/** These come before the request has any effect. */
const TURNED_AWAY: Partial<Record<ChanceName, Reply>> = {
  '429': refusal(429, 'Too many requests, nothing was done'),
  '503': refusal(503, 'The service is busy, nothing was done'),
};

/** These change the response to a write that was done. */
const BENT: Partial<Record<ChanceName, Reply>> = {
  '500': refusal(500, 'Something failed after the work was done'),
  html: {
    status: 200,
    type: 'text/html',
    body: '<!doctype html><html><head><title>Gateway</title></head><body><h1>Please sign in</h1></body></html>',
  },
};

const NO_BODY = Buffer.alloc(0);

/** Handles a request in this order: body, faults, key, validation, handler, response. */
function handlerOf(store: Store, shared: Exchanges, route: Route): Handler<Bindings> {
  const isWrite = route.spec.method !== 'GET';
  return async (c) => {
    const { incoming, outgoing } = c.env;
    const requestId = shared.nextRequestId();
    const body = isWrite ? await bodyOf(incoming) : NO_BODY;
    const drawn = shared.draw?.(route.spec.method, incoming.url!, body);
    if (drawn !== undefined && drawn.latencyMs > 0) await delay(drawn.latencyMs);
    const fault = drawn?.fault;
    if (fault === 'reset-before') return reset(incoming);
    const away = fault && TURNED_AWAY[fault];
    if (away !== undefined) return answer(c, requestId, away, drawn?.retryAfter);
    let reply: Reply;
    try {
      const call = callOf(c, route, body);
      const work = () => store.transaction(() => route.handle(call));
      if (fault === 'reset-after' && shared.lateCommitMs > 0) {
        shared.later(shared.lateCommitMs, () => {
          try {
            work();
          } catch {
            // Nobody waits for the response.
          }
        });
        return reset(incoming);
      }
      reply = isWrite ? work() : route.handle(call);
    } catch (thrown) {
      if (fault === 'reset-after') return reset(incoming);
      if (!(thrown instanceof Problem)) throw thrown;
      reply = refusal(thrown.status, thrown.message, thrown.errors);
    }
    if (fault === 'reset-after') return reset(incoming);
    if (!isWrite || reply.status >= 400) return answer(c, requestId, reply);
    if (fault === 'truncate') return cutOff(outgoing, requestId, reply);
    return answer(c, requestId, (fault && BENT[fault]) ?? reply);
  };
}

async function bodyOf(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function reset(incoming: IncomingMessage): Response {
  incoming.socket.resetAndDestroy();
  return RESPONSE_ALREADY_SENT;
}

/** Sends half of the response, then ends the connection. */
function cutOff(
  outgoing: ServerResponse,
  requestId: string,
  { status, body = {} }: Reply,
): Response {
  const text = textOf(body);
  outgoing.writeHead(status === 204 ? 200 : status, {
    'x-request-id': requestId,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
  });
  const half = Buffer.from(text).subarray(0, Math.floor(text.length / 2));
  outgoing.write(half, () => outgoing.socket?.end());
  return RESPONSE_ALREADY_SENT;
}

function answer(c: Context, requestId: string, reply: Reply, retryAfter?: number): Response {
  const headers: Record<string, string> = { 'x-request-id': requestId };
  if (retryAfter !== undefined) headers['retry-after'] = String(retryAfter);
  if (reply.status === 204) return c.body(null, 204, headers);
  headers['content-type'] = reply.type ?? 'application/json';
  return c.body(textOf(reply.body), reply.status as ContentfulStatusCode, headers);
}

/** The contract has no null: fields without a value are left out. */
function textOf(body: unknown): string {
  if (typeof body === 'string') return body;
  return JSON.stringify(body, (_, value: unknown) => value ?? undefined);
}

/** @throws Problem 400, 401, 415 */
function callOf(c: Context<Bindings>, route: Route, body: Buffer): Call<never> {
  const { incoming } = c.env;
  return {
    organizationId: authenticated(incoming),
    params: c.req.param(),
    list: listQueryOf(route.spec.query, incoming.url!),
    body: checkedBody(route.spec.body, incoming, body) as never,
  };
}

const ORGANIZATIONS = new Map(
  SANDBOX_KEYS.flatMap(({ apiKey, token, organizationId }) => [
    [`key ${apiKey}`, organizationId],
    [`token ${token}`, organizationId],
  ]),
);

/** If a request has an API key and a bearer token, the API key decides. */
function authenticated({ headers }: IncomingMessage): string {
  const key = headers['x-api-key'];
  const bearer = /^Bearer +(.+)$/i.exec(headers.authorization ?? '')?.[1];
  const found = ORGANIZATIONS.get(key === undefined ? `token ${bearer}` : `key ${key}`);
  if (found !== undefined) return found;
  const isMissing = key === undefined && bearer === undefined;
  const wanted = 'A key is needed: x-api-key, or authorization: Bearer';
  throw new Problem(401, isMissing ? wanted : 'The key is not known');
}

const DEFAULT_LIMIT = 20;
const LIST_NAMES = ['limit', 'offset', 'sort', 'dir'] as const;

function listQueryOf(schema: EndpointSpec['query'], url: string): ListQuery {
  const given: Partial<Record<string, string | number>> = {};
  const query = new URLSearchParams(url.split('?').slice(1).join('?'));
  for (const name of schema === undefined ? [] : LIST_NAMES) {
    const [value, ...others] = query.getAll(name);
    if (others.length > 0) throw badField(name, 'is given twice');
    if (value === undefined) continue;
    // A value that is not an integer stays text: the schema refuses it and quotes it in the message.
    const isInteger = /^(limit|offset)$/.test(name) && /^-?\d{1,15}$/.test(value);
    given[name] = isInteger ? Number(value) : value;
  }
  const { limit = DEFAULT_LIMIT, offset = 0, sort, dir = 'asc' } = valid(schema, given);
  return { limit, offset, sort, dir } as ListQuery;
}

function checkedBody(
  schema: EndpointSpec['body'],
  incoming: IncomingMessage,
  body: Buffer,
): unknown {
  if (schema === undefined) return undefined;
  const type = incoming.headers['content-type'] ?? '';
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    throw new Problem(415, `The content type must be application/json, got "${type}"`);
  }
  return valid(schema, parsed(body));
}

function parsed(body: Buffer): unknown {
  try {
    if (isUtf8(body)) return JSON.parse(body.toString());
  } catch {
    // Refused below.
  }
  throw new Problem(400, 'The body is not JSON');
}

function valid(schema: EndpointSpec['body'], value: unknown): Readonly<Record<string, unknown>> {
  if (schema === undefined) return {};
  // Messages are seldom needed and slow.
  const { success, data } = schema.safeParse(value);
  if (success) return data;
  const issues = check(schema, value).issues.map(({ field, message }) => ({ field, message }));
  const detail = issues.map(({ field, message }) => `${field || 'The body'} ${message}`).join('; ');
  throw new Problem(400, detail, issues);
}
