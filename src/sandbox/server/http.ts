import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { type Problem, problemBody } from './problem.ts';

const MAX_BODY_BYTES = 8 * 1024 * 1024;

export interface Reply {
  readonly status: number;
  readonly body?: unknown;
  readonly retryAfter?: number;
  readonly type?: 'application/json' | 'application/problem+json' | 'text/html';
}

export function refusal(problem: Problem): Reply {
  const { status, message, errors } = problem;
  return {
    status,
    body: problemBody(status, message, errors),
    type: 'application/problem+json',
  };
}

/**
 * `too-large`: the body exceeds the limit; the rest is read and dropped. `gone`: the client
 * disconnected.
 */
export function readBody(incoming: IncomingMessage): Promise<Buffer | 'too-large' | 'gone'> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    incoming.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= MAX_BODY_BYTES) chunks.push(chunk);
      else resolve('too-large');
    });
    incoming.on('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
    incoming.on('error', () => resolve('gone'));
    incoming.on('close', () => resolve('gone'));
  });
}

export function parseBody(body: Buffer): unknown {
  if (!isUtf8(body)) return undefined;
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

function wire(requestId: string, reply: Reply) {
  const text =
    reply.status === 204 || reply.body === undefined
      ? ''
      : typeof reply.body === 'string'
        ? reply.body
        : JSON.stringify(reply.body);
  const headers: Record<string, string> = { 'x-request-id': requestId };
  if (reply.status !== 204) {
    headers['content-type'] = reply.type ?? 'application/json';
    headers['content-length'] = String(Buffer.byteLength(text));
  }
  if (reply.retryAfter !== undefined) headers['retry-after'] = String(reply.retryAfter);
  return { headers, text };
}

export function answer(c: Context, requestId: string, reply: Reply): Response {
  const { headers, text } = wire(requestId, reply);
  if (reply.status === 204) return c.body(null, 204, headers);
  return c.body(text, reply.status as ContentfulStatusCode, headers);
}

/**
 * Writes a response without hono: only for faults, whose bytes or connection are not those of the request.
 *
 * @param cutAfter a fraction from 0 to 1: sends this part of the body, then ends the connection
 */
export function send(
  outgoing: ServerResponse,
  requestId: string,
  reply: Reply,
  cutAfter?: number,
): void {
  const { headers, text } = wire(requestId, reply);
  outgoing.writeHead(reply.status, headers);
  if (cutAfter === undefined) {
    outgoing.end(text);
    return;
  }
  const part = Buffer.from(text).subarray(0, Math.floor(text.length * cutAfter));
  outgoing.write(part, () => outgoing.socket?.end());
}
