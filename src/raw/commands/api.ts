import * as z from 'zod/mini';
import { type Context, command } from '../../context.ts';
import type { EndpointSpec, Method, RawResponse } from '../../core/endpoint.ts';
import { EXIT, ProcError, WRITE_CODES } from '../../core/errors.ts';
import { isObject, JsonError, readJson } from '../../core/json.ts';
import type { Result, Row } from '../../core/result.ts';
import type { Dialect } from '../../core/service.ts';
import { show } from '../../core/validate.ts';
import { rawContent } from '../../http/judge.ts';
import { ENDPOINTS } from '../../nouns/endpoints.ts';
import { ONCE_FLAG, onceKey, readText } from '../../nouns/shared/body.ts';
import { shownRequest, write } from '../../write.ts';
import { rawPath } from '../raw-path.ts';

const METHODS: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

export const api = command({
  path: ['api'],
  changes: 'service',
  writes: ({ args }) => args.method.toUpperCase() !== 'GET',
  prints: 'anything',
  summary: 'Send any request to the service',
  description:
    'Writes work as in other commands: they may need confirmation, are recorded in history, and are retried only if the first attempt provably had no effect. Prints the response byte for byte, even if the service refuses the request. With -o, -q, --fields or --where, formats it as data.',
  args: {
    method: { doc: METHODS.join(', '), suggest: METHODS },
    path: { doc: 'path below the base URL, e.g. /orders/; may include a query' },
  },
  flags: {
    field: {
      kind: 'strings',
      short: 'f',
      value: 'key=value',
      doc: 'add a text field: to the query of a GET, else to the body',
    },
    input: { kind: 'string', value: 'file', doc: 'send this JSON file as the body (- for stdin)' },
    include: { kind: 'boolean', short: 'i', doc: 'print status and headers too' },
    paginate: { kind: 'boolean', doc: 'read all pages of a list' },
    ...ONCE_FLAG,
  },
  examples: [
    { run: 'proc api GET /sectors/sec-1', doc: 'print the response unchanged' },
    { run: 'proc api GET /orders/ -f limit=2 -f sort=code -o table', doc: 'as a table' },
    { run: 'proc api GET /sectors/ --out sectors.bin', doc: 'write the response to a file' },
    { run: 'proc api GET /orders/ --paginate -o ndjson', doc: 'all pages of a list' },
    {
      run: 'proc api POST /items/ -f name="Hex bolt" -f code=HEX-8 --include',
      doc: 'print status and headers too',
    },
    {
      run: 'proc api POST /items/ --input examples/item.json --dry-run',
      doc: 'send a body from a file',
    },
  ],
  exitCodes: [...WRITE_CODES, EXIT.incomplete],
  anyOut: true,
  async run(ctx, args, flags) {
    const method = METHODS.find((one) => one === args.method.toUpperCase());
    if (method === undefined) {
      throw new ProcError(
        'invalid_usage',
        `<method> "${args.method}" is not a method: use one of ${METHODS.join(', ')}`,
      );
    }
    const { include, input, paginate: isPaged } = flags;
    const isRead = method === 'GET';
    const isFiltered = ctx.flags.where.length > 0;
    const [, problem] =
      [
        [isRead && input, '--input cannot be used with GET, which has no body'],
        [input && flags.field[0], '--input and fields cannot be combined: both set the body'],
        [method !== 'POST' && flags.once, `--once cannot be used with ${method}, only with POST`],
        [!isRead && isPaged, `--paginate cannot be used with ${method}, only with GET`],
        [!isRead && isFiltered, `--where cannot be used with ${method}, only with GET`],
        [isPaged && include, '--paginate and --include cannot be combined: several responses'],
      ].find(([applies]) => applies) ?? [];
    if (problem) throw new ProcError('invalid_usage', `${problem}`);
    const fields = readFields(flags.field);
    const { dialect } = await ctx.target();
    const given = rawPath(args.path);
    const path = isRead ? withQuery(given, fields) : given;
    if (isPaged) return paginate(path, dialect, ctx);
    const body =
      input === undefined
        ? bodyOfFields(method, fields)
        : await bodyIn(input, await readText(ctx, input));
    return send({ method, path, include, body, once: onceKey(flags) }, ctx);
  },
});

type Fields = ReadonlyMap<string, string>;

function readFields(texts: readonly string[]): Fields {
  const fields = new Map<string, string>();
  for (const text of texts) {
    const equals = text.indexOf('=');
    const key = text.slice(0, Math.max(0, equals));
    const problem =
      equals < 1
        ? `${show(text)}: expected key=value`
        : fields.has(key)
          ? `${show(key)} is given twice`
          : undefined;
    if (problem !== undefined) throw new ProcError('invalid_usage', `--field: ${problem}`);
    fields.set(key, text.slice(equals + 1));
  }
  return fields;
}

function withQuery(path: string, fields: Fields): string {
  if (fields.size === 0) return path;
  const pairs = [...fields].map(
    ([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(value)}`,
  );
  return `${path}${path.includes('?') ? '&' : '?'}${pairs.join('&')}`;
}

/** What is sent, and for history, what it means. */
interface Body {
  readonly body?: unknown;
  readonly rawBody?: string;
}

function bodyOfFields(method: Method, fields: Fields): Body {
  return method === 'GET' || fields.size === 0 ? {} : { body: Object.fromEntries(fields) };
}

/** JSON is sent as it is written. For history, a number that would be rounded stays text. */
function bodyIn(file: string, text: string): Body {
  try {
    return { body: readJson(text), rawBody: text };
  } catch (thrown) {
    if (!(thrown instanceof JsonError)) throw thrown;
    if (thrown.isRounding) return { body: text, rawBody: text };
    throw new ProcError('invalid_input', `--input ${file}: ${thrown.message}`, {
      hint: 'The body of a request is JSON',
    });
  }
}

interface RawCall {
  readonly method: Method;
  readonly path: string;
  readonly include: boolean;
  readonly body: Body;
  readonly once: string | undefined;
}

async function send({ method, path, include, body, once }: RawCall, ctx: Context): Promise<Result> {
  const known = knownEndpoint(method, path);
  const created = known && 'created' in known.response ? known.response.created : undefined;
  // A temporary endpoint, so that confirmation, retry and history work as for any other request.
  const spec: EndpointSpec = {
    id: known?.id ?? `${nounIn(path)}.raw`,
    method,
    path,
    response: { kind: 'raw', ...(created === undefined ? {} : { created }) },
  };
  const { output, query, fields, where } = ctx.flags;
  const asData = output ?? query ?? fields ?? where[0];
  const then = (given: unknown): Result => {
    const response = given as RawResponse;
    if (asData !== undefined && !include) return rendered(response, method);
    return { kind: 'bytes', head: include ? headOf(response) : undefined, bytes: response.bytes };
  };
  try {
    if (method === 'GET') {
      if (ctx.flags.dryRun) return await shownRequest(ctx, spec, body);
      return then(await ctx.http().call(spec, body as never));
    }
    return await write(ctx, spec, body, { what: `${method} ${path}`, once }, then);
  } catch (thrown) {
    if (!(thrown instanceof ProcError) || !isRawResponse(thrown.cause)) throw thrown;
    const head = include ? headOf(thrown.cause) : undefined;
    return { kind: 'bytes', head, bytes: thrown.cause.bytes, failure: thrown };
  }
}

/** Reads a list to its end, or in one request if the contract or the list names have no paging for it. */
async function paginate(
  asked: string,
  dialect: (noun: string) => Dialect,
  ctx: Context,
): Promise<Result> {
  const [path = '', search = ''] = asked.split('?');
  const known = knownEndpoint('GET', path);
  const words = dialect(nounIn(path));
  const list = { kind: 'rows', columns: [], empty: 'The list is empty.' } as const;
  const isWhole = known?.response.kind === 'list' && known.query === undefined;
  if (isWhole || words.paging === 'none') {
    return { ...list, rows: (await ctx.http().call(listAt(asked), {})) as readonly Row[] };
  }
  const query = new URLSearchParams(search);
  const taken = [words.limit, words.page ?? words.offset].find((name) => query.has(name));
  if (taken !== undefined) {
    throw new ProcError('invalid_usage', `--paginate sets "${taken}" itself`, {
      hint: `Remove "${taken}" or --paginate`,
    });
  }
  const { rows, isCut, failure } = ctx.http().pages(listAt(asked), {});
  return { ...list, rows, isCut, failure };
}

function listAt(path: string): EndpointSpec {
  return {
    id: `${nounIn(path)}.raw`,
    method: 'GET',
    path,
    // It may be paged.
    query: z.object({}),
    response: { kind: 'list', schema: z.looseObject({}) },
  };
}

function knownEndpoint(method: Method, path: string): EndpointSpec | undefined {
  const [plain = ''] = path.split('?');
  return ENDPOINTS.find((spec) => {
    const pattern = spec.path.replace(/\{\w+\}/g, '[^/]+');
    return spec.method === method && new RegExp(`^${pattern}$`).test(plain);
  });
}

function nounIn(path: string): string {
  return /^\/([^/?.]+)/.exec(path)?.[1] ?? 'root';
}

function isRawResponse(cause: unknown): cause is RawResponse {
  return typeof cause === 'object' && cause !== null && 'bytes' in cause && 'headers' in cause;
}

function headOf({ status, headers }: RawResponse): string {
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one) => `${name}: ${one}\n`),
  );
  return `HTTP/1.1 ${status}\n${lines.join('')}\n`;
}

/** A write that was applied is a success, whatever the response contains. */
function rendered(response: RawResponse, method: Method): Result {
  const value = rawContent(response);
  if (Array.isArray(value) && value.every(isObject)) {
    return { kind: 'rows', columns: [], rows: value, empty: 'The list is empty.' };
  }
  if (isObject(value)) {
    return { kind: 'record', value, fields: method === 'GET' ? [] : undefined };
  }
  if (method !== 'GET') return { kind: 'bytes', bytes: response.bytes };
  throw new ProcError('undecodable', 'the response is not a JSON object or list of objects', {
    status: response.status,
    hint: 'To print it unchanged, remove -o, -q, --fields and --where.',
  });
}
