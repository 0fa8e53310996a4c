import * as z from 'zod/mini';
import type { EndpointSpec } from '../core/endpoint.ts';

export interface JsonSchema {
  $schema?: string;
  title?: string;
  description?: string;
  type?: string;
  enum?: readonly unknown[];
  properties?: Record<string, JsonSchema>;
  required?: readonly string[];
  additionalProperties?: unknown;
  items?: JsonSchema;
  anyOf?: readonly JsonSchema[];
  not?: JsonSchema;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  minItems?: number;
  'x-gap'?: string;
}

type Docs = Readonly<Record<string, string>>;

/** @param fields path of a field → its description */
export function jsonSchemaOf(schema: z.ZodMiniType, fields: Docs = {}): JsonSchema {
  const { $schema: _, ...plain } = z.toJSONSchema(schema, { io: 'input' }) as JsonSchema;
  return annotated(plain, '', fields);
}

/** The bound of exact integers in JavaScript, which is not a rule of the API. */
const SAFE = Number.MAX_SAFE_INTEGER;

function annotated(schema: JsonSchema, path: string, fields: Docs): JsonSchema {
  const { maximum, minimum, ...rest } = schema;
  const bounded: JsonSchema = {
    ...rest,
    ...(maximum === undefined || maximum === SAFE ? {} : { maximum }),
    ...(minimum === undefined || minimum === -SAFE ? {} : { minimum }),
  };
  if (Object.hasOwn(fields, path)) bounded.description = fields[path]!;
  if (schema.items !== undefined) bounded.items = annotated(schema.items, `${path}[]`, fields);
  if (schema.properties !== undefined) {
    bounded.properties = Object.fromEntries(
      Object.entries(schema.properties).map(([key, inner]) => [
        key,
        annotated(inner, path === '' ? key : `${path}.${key}`, fields),
      ]),
    );
  }
  return bounded;
}

/**
 * The schema of a payload file. It allows no unknown fields, because the command warns about them.
 * It allows `$schema`, which is for editors.
 */
export function payloadSchema(spec: EndpointSpec): JsonSchema {
  const body = closed(jsonSchemaOf(spec.body!, spec.fields));
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: `Body of ${spec.method} ${spec.path}`,
    ...body,
    properties: {
      $schema: { type: 'string', description: 'for editors; not sent' },
      ...body.properties,
    },
  };
}

function closed(schema: JsonSchema): JsonSchema {
  const inner = { ...schema };
  if (schema.items !== undefined) inner.items = closed(schema.items);
  if (schema.properties === undefined) return inner;
  inner.properties = Object.fromEntries(
    Object.entries(schema.properties).map(([key, property]) => [key, closed(property)]),
  );
  inner.additionalProperties = false;
  return inner;
}
