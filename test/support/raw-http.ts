import { type IncomingHttpHeaders, request } from 'node:http';
import { SANDBOX_KEYS } from '../../src/sandbox/seed.ts';

export const KEY = SANDBOX_KEYS[0].apiKey;
export const KEY_2 = SANDBOX_KEYS[1].apiKey;

export interface RawResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The parsed text; undefined if it is not JSON. */
  readonly json: unknown;
}

export interface RawRequest {
  /** Undefined: the key of the first organization. Null: no key. */
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** A string is sent unchanged, anything else as JSON. */
  readonly body?: unknown;
}

/** Sends one request on its own connection, even one that proc would never send. */
export function raw(
  baseUrl: string,
  method: string,
  path: string,
  { key = KEY, headers = {}, body }: RawRequest = {},
): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const url = new URL(baseUrl);
    const sent = request(
      {
        host: url.hostname,
        port: url.port,
        method,
        path: url.pathname.replace(/\/$/, '') + path,
        agent: false,
        headers: {
          ...(key === null ? {} : { 'x-api-key': key }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          resolve({
            status: response.statusCode!,
            headers: response.headers,
            text,
            json: parsed(text),
          });
        });
      },
    );
    sent.on('error', reject);
    sent.end(
      body === undefined
        ? undefined
        : typeof body === 'string' || Buffer.isBuffer(body)
          ? body
          : JSON.stringify(body),
    );
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
