import { rawContent } from '../../client/response/decode.ts';
import { command } from '../../core/command.ts';
import type { Method, RawResponse } from '../../core/endpoint.ts';
import { ProcError } from '../../core/errors.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { isObject } from '../../core/is-object.ts';
import type { Ports } from '../../core/ports.ts';
import type { Result, Row } from '../../core/result.ts';
import type { Dialect } from '../../core/service-target.ts';
import { show } from '../../core/validate.ts';
import { WRITE_CODES } from '../../nouns/shared/exit-code-sets.ts';
import { ONCE_FLAG, onceKey } from '../../nouns/shared/write-flags.ts';
import { readFields } from '../fields.ts';
import { type RawRequest, rawCall, rawIntent, rawList } from '../raw-call.ts';
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
    path: {
      doc: 'path below the base URL, e.g. /orders/; may include a query',
    },
  },
  flags: {
    rawField: {
      kind: 'strings',
      short: 'f',
      value: 'key=value',
      doc: 'add a text field: to the query of a GET, else to the body',
    },
    field: {
      kind: 'strings',
      short: 'F',
      value: 'key=value',
      doc: 'like -f, but sends numbers, true, false and null as JSON, not as text; @FILE sends the text of FILE',
    },
    input: {
      kind: 'string',
      value: 'file',
      doc: 'send this file as the body (- for stdin); set its type with -H content-type',
    },
    header: {
      kind: 'strings',
      short: 'H',
      value: "'name: value'",
      doc: 'add a header',
    },
    include: { kind: 'boolean', short: 'i', doc: 'print status and headers too' },
    paginate: {
      kind: 'boolean',
      doc: 'read all pages of a list',
    },
    ...ONCE_FLAG,
  },
  examples: [
    { run: 'proc api GET /sectors/sec-1', doc: 'print the response unchanged' },
    { run: 'proc api GET /orders/ -f limit=2 -f sort=code -o table', doc: 'as a table' },
    { run: 'proc api GET /sectors/ --out sectors.bin', doc: 'write the response to a file' },
    { run: 'proc api GET /orders/ --paginate -o ndjson', doc: 'all pages of a list' },
    {
      run: 'proc api POST /items/ -f name="Hex bolt" -f code=HB-8 -F attributes=null --include',
      doc: 'print status and headers too',
    },
    {
      run: 'proc api POST /items/ --input examples/item.json --dry-run',
      doc: 'send a body from a file',
    },
  ],
  exitCodes: [...WRITE_CODES, EXIT.incomplete],
  anyOut: true,
  needs: ['api', 'input', 'self'],
  async run({ args, flags }, ports) {
    const method = METHODS.find((one) => one === args.method.toUpperCase());
    if (method === undefined) {
      throw new ProcError(
        'invalid_usage',
        `<method> "${args.method}" is not a method: use one of ${METHODS.join(', ')}`,
      );
    }
    const ofLists = ports.self.flags.where.length > 0 ? '--where' : undefined;
    checkTogether(method, { ...flags, ofLists });
    const headers = readHeaders(flags.header);
    const { baseUrl, dialect } = await ports.api.target();
    const request: RawRequest = {
      method,
      path: rawPath(args.path, baseUrl),
      fields: await readFields(flags.rawField, flags.field, ports.input.readText),
      whole: flags.input === undefined ? undefined : await bodyIn(flags.input, headers, ports),
      headers,
    };
    if (flags.paginate) return paginate(request, dialect, ports);
    return send(request, flags.include, onceKey(flags), ports);
  },
});

/** JSON is read as text and sent as UTF-8. Other content types are sent byte for byte. */
function bodyIn(
  file: string,
  headers: Readonly<Record<string, string>>,
  ports: Ports<'input'>,
): Promise<string | Uint8Array> {
  const type = headers['content-type'] ?? 'application/json';
  return /^[\w.+-]+\/(?:[\w.+-]+\+)?json\b/i.test(type)
    ? ports.input.readText(file)
    : ports.input.readBytes(file);
}

interface Together {
  readonly rawField: readonly string[];
  readonly field: readonly string[];
  readonly input?: string | undefined;
  readonly header: readonly string[];
  readonly include: boolean;
  readonly paginate: boolean;
  readonly ofLists: string | undefined;
  readonly once?: string | undefined;
}

async function paginate(
  request: RawRequest,
  dialect: (noun: string) => Dialect,
  ports: Ports<'api'>,
): Promise<Result> {
  const { spec, limit, isPaged } = rawList(request, dialect);
  const list = { kind: 'rows', columns: [], empty: 'The list is empty.' } as const;
  if (!isPaged) {
    return ports.api.read(spec, {}, (rows) => ({ ...list, rows: rows as readonly Row[] }));
  }
  return ports.api.list(spec, { limit }, (pages) => ({
    ...list,
    rows: pages.rows,
    isCut: pages.isCut,
    failure: pages.failure,
  }));
}

function checkTogether(method: Method, flags: Together): void {
  const fields = flags.rawField.length + flags.field.length;
  const problem =
    flags.input !== undefined && method === 'GET'
      ? '--input cannot be used with GET, which has no body'
      : flags.input !== undefined && fields > 0
        ? '--input and fields cannot be combined: both set the body'
        : flags.once !== undefined && method !== 'POST'
          ? `--once cannot be used with ${method}, only with POST`
          : flags.paginate && method !== 'GET'
            ? `--paginate cannot be used with ${method}, only with GET`
            : flags.paginate && flags.include
              ? '--paginate and --include cannot be combined: there are several responses'
              : method !== 'GET' && flags.ofLists !== undefined
                ? `${flags.ofLists} cannot be used with ${method}, only with GET`
                : flags.paginate && flags.header.length > 0
                  ? '--paginate and --header cannot be combined: pages are read with the headers of proc'
                  : undefined;
  if (problem !== undefined) throw new ProcError('invalid_usage', problem);
}

async function send(
  request: RawRequest,
  include: boolean,
  once: string | undefined,
  ports: Ports<'api' | 'self'>,
): Promise<Result> {
  const { spec, input } = rawCall(request);
  try {
    const { output, query, fields, where } = ports.self.flags;
    const asData = output ?? query ?? fields ?? where[0];
    const then = (given: unknown): Result => {
      const response = given as RawResponse;
      if (asData !== undefined && !include) return rendered(response, request.method);
      return { kind: 'bytes', head: include ? headOf(response) : undefined, bytes: response.bytes };
    };
    if (request.method === 'GET') return await ports.api.read(spec, input, then);
    return await ports.api.send(spec, input, { ...rawIntent(spec), once }, then);
  } catch (thrown) {
    if (!(thrown instanceof ProcError) || !isRawResponse(thrown.cause)) throw thrown;
    const head = include ? headOf(thrown.cause) : undefined;
    return { kind: 'bytes', head, bytes: thrown.cause.bytes, failure: thrown };
  }
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

/** Headers that a user cannot set → the reason, for the error. */
const OWN: Readonly<Record<string, string>> = {
  'x-api-key':
    'comes from the environment of the profile; to set it: proc auth login, or PROC_API_KEY',
  authorization:
    'comes from the environment of the profile; to set it: proc auth login, or PROC_TOKEN',
  host: 'is set from the base URL',
  'content-length': 'is set from the body',
  'transfer-encoding': 'is set from the body',
  'accept-encoding': 'is not sent, because responses are printed unchanged',
  connection: 'belongs to the connection',
  'keep-alive': 'belongs to the connection',
  upgrade: 'belongs to the connection',
  expect: 'belongs to the connection',
  te: 'belongs to the connection',
  trailer: 'belongs to the connection',
  'proxy-authorization':
    'comes from the address of the proxy, e.g. HTTPS_PROXY=http://user:password@proxy:3128',
};

/**
 * The headers of `-H 'name: value'`, names in lower case.
 *
 * @throws ProcError `invalid_usage`
 */
function readHeaders(lines: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = Object.create(null);
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(0, colon)).trim().toLowerCase();
    const value = line.slice(colon + 1).trim();
    if (colon < 1 || !/^[\w!#$%&'*+.^`|~-]+$/.test(name)) {
      // Not quoted, because the text may contain a secret that was meant for another flag.
      throw new ProcError('invalid_usage', `--header: expected 'name: value'`, {
        hint: "Use e.g. -H 'accept-language: es'",
      });
    }
    if (Object.hasOwn(OWN, name)) {
      throw new ProcError('invalid_usage', `--header ${name}: this header ${OWN[name]}`);
    }
    if (Object.hasOwn(headers, name)) {
      throw new ProcError('invalid_usage', `--header ${show(name)} is given twice`);
    }
    if (/[^\t\u0020-\u007e\u00a0-\u00ff]/.test(value)) {
      throw new ProcError(
        'invalid_usage',
        `--header ${name}: the value contains a character that is not allowed in headers`,
      );
    }
    headers[name] = value;
  }
  return { ...headers };
}
