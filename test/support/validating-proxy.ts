import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

type Json = Readonly<Record<string, unknown>>;

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema: Json;
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Json };
  readonly responses: Readonly<Record<string, { readonly $ref?: string; readonly content?: Json }>>;
}

export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly responses: Operation['responses'] };
}

/** A proxy that checks every request and response against an OpenAPI document. */
export interface ValidatingProxy extends AsyncDisposable {
  readonly baseUrl: string;
  /** What did not match the document, in words. */
  readonly violations: readonly string[];
  /** The `operationId`s that were called. */
  readonly called: ReadonlySet<string>;
}

export async function startValidatingProxy(
  document: OpenApiDocument,
  target: string,
): Promise<ValidatingProxy> {
  const ajv = new Ajv2020({ strict: false, coerceTypes: false });
  const compiled = new Map<unknown, ValidateFunction>();
  const violations: string[] = [];
  const called = new Set<string>();
  const basePath = new URL(target).pathname;

  const validate = (schema: unknown, value: unknown, what: string): void => {
    if (!compiled.has(schema)) compiled.set(schema, ajv.compile(schema as Json));
    const isValid = compiled.get(schema)!;
    if (isValid(value)) return;
    violations.push(`${what}: ${ajv.errorsText(isValid.errors)} in ${JSON.stringify(value)}`);
  };

  const find = (method: string, path: string): Operation | undefined => {
    for (const [template, methods] of Object.entries(document.paths)) {
      const pattern = template.replace(/\{\w+\}/g, '[^/]+');
      if (new RegExp(`^${pattern}$`).test(path)) {
        const found = methods[method.toLowerCase()];
        if (found !== undefined) return found;
      }
    }
    return undefined;
  };

  const checkRequest = (what: string, url: URL, operation: Operation, body: string): void => {
    const known = (operation.parameters ?? []).filter((one) => one.in === 'query');
    for (const [name, text] of url.searchParams) {
      const parameter = known.find((one) => one.name === name);
      if (parameter === undefined) violations.push(`${what}: unknown parameter ${name}`);
      else {
        const isNumber = parameter.schema.type === 'integer';
        validate(parameter.schema, isNumber ? Number(text) : text, `${what} ?${name}`);
      }
    }
    const schema = jsonSchema(operation.requestBody?.content);
    if (schema === undefined && body !== '') violations.push(`${what}: has a body`);
    if (schema !== undefined) validate(schema, JSON.parse(body), `${what} request`);
  };

  const checkResponse = (
    what: string,
    status: number,
    operation: Operation,
    text: string,
  ): void => {
    const { responses } = operation;
    const key = [`${status}`, `${Math.floor(status / 100)}XX`, 'default'].find((one) =>
      Object.hasOwn(responses, one),
    );
    if (key === undefined) {
      violations.push(`${what}: status ${status} is not documented`);
      return;
    }
    const { $ref } = responses[key]!;
    const response =
      $ref === undefined
        ? responses[key]!
        : document.components.responses[$ref.slice($ref.lastIndexOf('/') + 1)]!;
    const schema = jsonSchema(response.content);
    if (text !== '') validate(schema ?? false, JSON.parse(text), `${what} response ${status}`);
  };

  const server = createServer(async (incoming, outgoing) => {
    const url = new URL(incoming.url!, target);
    const path = url.pathname.slice(basePath.length);
    const what = `${incoming.method} ${path}`;
    const body = await buffer(incoming);
    const operation = find(incoming.method!, path);
    if (operation === undefined) violations.push(`${what} is not documented`);
    else {
      called.add(operation.operationId);
      checkRequest(what, url, operation, body.toString());
    }
    const response = await fetch(url, {
      method: incoming.method!,
      headers: headersOf(incoming),
      ...(body.length === 0 ? {} : { body }),
    });
    const text = await response.text();
    if (operation !== undefined) checkResponse(what, response.status, operation, text);
    const type = response.headers.get('content-type');
    outgoing.writeHead(response.status, type === null ? {} : { 'content-type': type });
    outgoing.end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}${basePath}`,
    violations,
    called,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function jsonSchema(content: Json | undefined): unknown {
  return (content?.['application/json'] as { schema?: unknown } | undefined)?.schema;
}

function headersOf({ headers }: IncomingMessage): Record<string, string> {
  const passed = ['x-api-key', 'authorization', 'content-type', 'accept'];
  return Object.fromEntries(
    passed.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]])),
  );
}
