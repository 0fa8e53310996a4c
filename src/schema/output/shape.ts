import * as z from 'zod/mini';
import type { EndpointSpec } from '../../core/endpoint.ts';

export interface Shape {
  readonly forms: readonly Form[];
  readonly doc?: string;
}

/**
 * `many`: a list of values with this schema. Without a schema: text, which `-o` does not change.
 */
export interface Form {
  readonly many: boolean;
  readonly schema?: z.ZodMiniType;
}

export type Shapes = Readonly<Record<string, Shape>>;

export const textOrNull = z.nullable(z.string());
export const numberOrNull = z.nullable(z.number());
/** A value whose type depends on people or on the service, e.g. a payload or a response. */
export const anyValue = z.unknown();
export const maybe = z.optional;

/** What to run next, the most urgent first. */
export const nextSteps = z.array(z.looseObject({ command: z.string(), why: z.string() }));

export function record(schema: z.ZodMiniType, doc?: string): Shape {
  return shape([{ many: false, schema }], doc);
}

export function list(schema: z.ZodMiniType, doc?: string): Shape {
  return shape([{ many: true, schema }], doc);
}

export function each(schema: z.ZodMiniType): Shape {
  return shape(
    [
      { many: false, schema },
      { many: true, schema },
    ],
    'One object for one reference, a list for several.',
  );
}

export function either(doc: string, ...schemas: readonly z.ZodMiniType[]): Shape {
  return shape(
    schemas.map((schema) => ({ many: false, schema })),
    doc,
  );
}

/** Text, which `-o json` does not change. */
export function noJson(doc: string): Shape {
  return shape([{ many: false }], doc);
}

export function shape(forms: readonly Form[], doc?: string): Shape {
  return { forms, ...(doc === undefined ? {} : { doc }) };
}

/** A response as proc accepts it: a field may be null, missing, or unknown to the contract. */
export function responseOf({ response }: EndpointSpec): z.ZodMiniObject {
  if (!('schema' in response)) throw new Error('the endpoint answers nothing');
  return response.schema as z.ZodMiniObject;
}
