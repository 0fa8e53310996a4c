import type { IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Handler } from 'hono';
import { messageOf } from '../../core/errors.ts';
import { check } from '../../core/validate.ts';
import type { QueryReader } from '../database/list-query.ts';
import type { Writer } from '../database/writer.ts';
import type { Draw, Drawer } from '../faults/faults.ts';
import type { Call, Route } from '../routes.ts';
import { answer, parseBody, type Reply, readBody, refusal, send } from './http.ts';
import { Problem, problemBody } from './problem.ts';
import { SANDBOX_KEYS } from './sandbox-keys.ts';

export interface Exchanges {
  readonly writer: Writer;
  readonly draw: Drawer | undefined;
  readonly lateCommitMs: number;
  /** Runs a commit after `ms`, or earlier if the sandbox stops. */
  later(ms: number, commit: () => void): void;
  nextRequestId(): string;
}

export type Bindings = { Bindings: HttpBindings };

const NO_BODY = Buffer.alloc(0);

/**
 * Handles a request in this order: body, faults, key, validation, handler, response. The response
 * to a write follows its commit.
 */
export function handlerOf(
  shared: Exchanges,
  route: Route,
  readQuery: QueryReader,
): Handler<Bindings> {
  const { writer } = shared;
  const isWrite = route.spec.method !== 'GET';

  const run = async (call: Call<never>, draw: Draw | undefined): Promise<Reply | undefined> => {
    const work = () => route.handle(call);
    if (!isWrite) return work();
    if (draw?.fault !== 'reset-after') return writer.write(work);
    if (shared.lateCommitMs === 0) await writer.write(work);
    // Nothing waits for a late commit, so its error is ignored.
    else shared.later(shared.lateCommitMs, () => void writer.write(work).catch(() => {}));
    return undefined;
  };

  return async (c) => {
    const { incoming, outgoing } = c.env;
    const requestId = shared.nextRequestId();
    const body = isWrite ? await readBody(incoming) : NO_BODY;
    if (body === 'gone') return RESPONSE_ALREADY_SENT;
    const bytes = body === 'too-large' ? NO_BODY : body;
    const draw = shared.draw?.(route.spec.method, incoming.url!, bytes);
    if (draw !== undefined && draw.latencyMs > 0) await delay(draw.latencyMs);
    const reply = await outcome(draw, () => {
      if (body === 'too-large') throw new Problem(413, 'The body is larger than 8 MiB');
      const organizationId = authenticate(incoming);
      const [, question = ''] = /\?(.*)$/s.exec(incoming.url!) ?? [];
      const call: Call<never> = {
        organizationId,
        params: c.req.param(),
        list: readQuery(question),
        body: checkBody(route, incoming, bytes) as never,
      };
      return run(call, draw);
    });
    if (reply === undefined) incoming.socket.resetAndDestroy();
    else if (!isWrite) return answer(c, requestId, reply);
    else if (draw?.fault !== 'truncate' || reply.status >= 400)
      return answer(c, requestId, bent(reply, draw));
    else {
      const status = reply.status === 204 ? 200 : reply.status;
      send(outgoing, requestId, { ...reply, status, body: reply.body ?? {} }, 0.5);
    }
    return RESPONSE_ALREADY_SENT;
  };
}

async function outcome(
  draw: Draw | undefined,
  work: () => Promise<Reply | undefined>,
): Promise<Reply | undefined> {
  if (draw?.fault === 'reset-before') return undefined;
  const away = turnedAway(draw);
  if (away !== undefined) return away;
  try {
    return await work();
  } catch (thrown) {
    return draw?.fault === 'reset-after' ? undefined : failure(thrown);
  }
}

function turnedAway(draw: Draw | undefined): Reply | undefined {
  if (draw?.fault !== '429' && draw?.fault !== '503' && draw?.fault !== 'rate') return undefined;
  const reply =
    draw.fault === '503'
      ? refusal(new Problem(503, 'The service is busy, nothing was done'))
      : refusal(new Problem(429, 'Too many requests, nothing was done'));
  return { ...reply, retryAfter: draw.retryAfter };
}

/** The faults `html` and `500` change only responses to successful writes. */
function bent(reply: Reply, draw: Draw | undefined): Reply {
  if (reply.status >= 400) return reply;
  if (draw?.fault === 'html') {
    const status = reply.status === 204 ? 200 : reply.status;
    return { status, type: 'text/html', body: HTML_PAGE };
  }
  if (draw?.fault === '500') {
    return refusal(new Problem(500, 'Something failed after the work was done'));
  }
  return reply;
}

const HTML_PAGE =
  '<!doctype html><html><head><title>Gateway</title></head><body><h1>Please sign in</h1></body></html>';

function failure(thrown: unknown): Reply {
  if (thrown instanceof Problem) return refusal(thrown);
  const body = problemBody(500, `The sandbox could not do this: ${messageOf(thrown)}`);
  return { status: 500, body, type: 'application/problem+json' };
}

const BY_KEY = new Map(SANDBOX_KEYS.map((key) => [key.apiKey, key.organizationId]));
const BY_TOKEN = new Map(SANDBOX_KEYS.map((key) => [key.token, key.organizationId]));

/** If a request has an API key and a bearer token, the API key decides. */
function authenticate({ headers }: IncomingMessage): string {
  const key = headers['x-api-key'];
  const bearer = /^Bearer +(.+)$/i.exec(headers.authorization ?? '')?.[1];
  const organizationId = typeof key === 'string' ? BY_KEY.get(key) : BY_TOKEN.get(bearer ?? '');
  if (organizationId !== undefined) return organizationId;
  throw new Problem(
    401,
    key === undefined && bearer === undefined
      ? 'A key is needed: x-api-key, or authorization: Bearer'
      : 'The key is not known',
  );
}

function checkBody(route: Route, incoming: IncomingMessage, body: Buffer): unknown {
  const schema = route.spec.body;
  if (schema === undefined) return undefined;
  const type = incoming.headers['content-type'] ?? '';
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    throw new Problem(415, `The content type must be application/json, got "${type}"`);
  }
  const value = parseBody(body);
  if (value === undefined) throw new Problem(400, 'The body is not JSON');
  // Validate first without messages: that is fast, and messages are seldom needed.
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issues = check(schema, value).issues.map(({ field, message }) => ({ field, message }));
  const detail = issues.map((issue) => `${issue.field || 'The body'} ${issue.message}`).join('; ');
  throw new Problem(400, detail, issues);
}
