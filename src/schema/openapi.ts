import { DEFAULT_DIALECT } from '../client/dialect.ts';
import { type EndpointSpec, nounOf } from '../core/endpoint.ts';
import type { Dialect } from '../core/service-target.ts';
import { ENDPOINTS } from '../nouns/endpoints.ts';
import { type JsonSchema, jsonSchemaOf, responseSchemaOf } from './json-schema.ts';

type Json = Readonly<Record<string, unknown>>;

const GAP = {
  names:
    'Names and purposes of the list parameters are not shown; these are assumptions (proc doctor detects them).',
  success:
    'The status of a success is shown only for creating a requisition (201). proc accepts any 2xx.',
  deleted: 'Response bodies of the DELETE operations are not shown.',
  subset: 'Whether update bodies accept a subset of their fields is not shown.',
  errorBody: 'The shape of error bodies is not shown.',
  errorStatus: 'Error statuses of the other operations are not shown.',
  required: 'Which fields are required is not shown.',
  newItem: 'The body that adds a new, not yet existing, item to a group is not shown.',
  further: 'Further fields are not shown; responses may contain them.',
  untyped: 'The type is not shown; the sample value is null.',
  bearer: 'How a bearer token is obtained, and its claims, are not shown.',
} as const;

const ERROR = { 'application/json': { schema: { 'x-gap': GAP.errorBody } } };

/**
 * The API as OpenAPI 3.1. `x-gap` marks what the contract leaves open.
 *
 * @param dialect the names of the list parameters, by noun
 */
export function openApi(dialect: (noun: string) => Dialect = () => DEFAULT_DIALECT): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const spec of ENDPOINTS) {
    paths[spec.path] = {
      ...paths[spec.path],
      [spec.method.toLowerCase()]: operation(spec, dialect),
    };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Procurement Service',
      version: '1.0.0',
      description:
        'The contract as proc understands it. What the contract does not show is marked x-gap.',
    },
    servers: [
      {
        url: '{baseUrl}',
        description: 'Ends in /api/v1; local, staging and production have one each.',
        variables: { baseUrl: { default: 'http://127.0.0.1:4010/api/v1' } },
      },
    ],
    security: [{ apiKey: [] }, { bearer: [] }],
    tags: [...new Set(ENDPOINTS.map(nounOf))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
        bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', 'x-gap': GAP.bearer },
      },
      responses: {
        invalid: { description: 'The request is invalid.', content: ERROR },
        unauthorized: { description: 'x-api-key is missing or incorrect.', content: ERROR },
        forbidden: { description: 'Outside the organization of the key.', content: ERROR },
        other: { description: 'Any other failure.', content: ERROR, 'x-gap': GAP.errorStatus },
      },
    },
  };
}

function operation(spec: EndpointSpec, dialect: (noun: string) => Dialect): Json {
  const parameters = [...pathParameters(spec), ...queryParameters(spec, dialect(nounOf(spec)))];
  return {
    operationId: spec.id,
    tags: [nounOf(spec)],
    summary: spec.doc.summary,
    description: `Service contract ${spec.doc.source}.`,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(spec.body === undefined ? {} : { requestBody: requestBody(spec) }),
    responses: responses(spec),
  };
}

function pathParameters(spec: EndpointSpec): Json[] {
  return Object.entries(spec.params).map(([name, what]) => ({
    name,
    in: 'path',
    required: true,
    description: `identifier of ${what}`,
    schema: { type: 'string' },
  }));
}

function queryParameters(spec: EndpointSpec, dialect: Dialect): Json[] {
  if (spec.query === undefined) return [];
  const { limit, offset, ...order } = jsonSchemaOf(spec.query).properties!;
  const { page, pageBase } = dialect;
  const position: Json =
    page === undefined
      ? { offset }
      : { page: { ...offset, minimum: pageBase, description: `page number, from ${pageBase}` } };
  // A service that always returns whole lists has no parameters for paging.
  const paging = dialect.paging === 'none' ? {} : { limit, ...position };
  return Object.entries({ ...paging, ...order }).map(([key, schema]) => {
    const { description, ...plain } = schema as JsonSchema;
    return {
      name: dialect[key as keyof Dialect],
      in: 'query',
      description: description ?? spec.doc.fields?.[key] ?? key,
      schema: plain,
      'x-gap': GAP.names,
    };
  });
}

function requestBody(spec: EndpointSpec): Json {
  const schema = jsonSchemaOf(spec.body!, spec.doc.fields);
  for (const inner of Object.values(schema.properties ?? {})) {
    if (inner.type === undefined) inner['x-gap'] = GAP.untyped;
  }
  const gap =
    spec.method === 'PATCH'
      ? GAP.subset
      : spec.id === 'requisitions.item-add'
        ? GAP.newItem
        : schema.required === undefined
          ? GAP.required
          : undefined;
  return {
    required: true,
    content: { 'application/json': { schema } },
    ...(gap === undefined ? {} : { 'x-gap': gap }),
  };
}

function responses(spec: EndpointSpec): Json {
  const isStated = spec.id === 'requisitions.create';
  return {
    [isStated ? '201' : '2XX']: {
      description: spec.response.kind === 'none' ? 'Done.' : spec.doc.summary,
      ...content(spec),
      ...(isStated ? {} : { 'x-gap': GAP.success }),
    },
    ...(isStated ? { '400': { $ref: '#/components/responses/invalid' } } : {}),
    '401': { $ref: '#/components/responses/unauthorized' },
    '403': { $ref: '#/components/responses/forbidden' },
    default: { $ref: '#/components/responses/other' },
  };
}

function content(spec: EndpointSpec): Json {
  if (!('schema' in spec.response)) {
    return { content: { 'application/json': { schema: { 'x-gap': GAP.deleted } } } };
  }
  const { created, carriesAll } = spec.response as { created?: string; carriesAll?: true };
  const row: JsonSchema = {
    ...(created === undefined ? {} : { required: [created] }),
    ...responseSchemaOf(spec.response.schema, carriesAll === true),
    'x-gap': GAP.further,
  };
  const schema = spec.response.kind === 'list' ? { type: 'array', items: row } : row;
  return { content: { 'application/json': { schema } } };
}
