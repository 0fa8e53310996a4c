import * as mini from 'zod/mini';
import type { EndpointSpec } from '../endpoint.ts';

/** What a command prints, for `proc schema NOUN VERB --prints`. */
export interface Shape {
  readonly forms: readonly Form[];
  readonly doc?: string;
}

/**
 * `many`: a list of values with this schema. Without a schema: text, which `-o` does not change.
 */
export interface Form {
  readonly many: boolean;
  readonly schema?: mini.ZodMiniType;
}

/** The part of zod/mini that shapes use. All of it would make every start of proc slower. */
const z = {
  array: mini.array,
  boolean: mini.boolean,
  enum: mini.enum,
  extend: mini.extend,
  literal: mini.literal,
  looseObject: mini.looseObject,
  null: mini.null,
  nullable: mini.nullable,
  number: mini.number,
  object: mini.object,
  partial: mini.partial,
  record: mini.record,
  string: mini.string,
};

/** What a shape is made of. A command gets it as an argument, so that only `proc schema` makes shapes. */
export const SHAPE_KIT = {
  z,
  textOrNull: z.nullable(z.string()),
  numberOrNull: z.nullable(z.number()),
  /** A value whose type depends on people or on the service, e.g. a payload or a response. */
  anyValue: mini.unknown(),
  maybe: mini.optional,
  /** What to run next, the most urgent first. */
  nextSteps: z.array(z.looseObject({ command: z.string(), why: z.string() })),
  forms,
  record: (schema: mini.ZodMiniType, doc?: string) => forms([{ many: false, schema }], doc),
  list: (schema: mini.ZodMiniType, doc?: string) => forms([{ many: true, schema }], doc),
  each: (schema: mini.ZodMiniType) =>
    forms(
      [
        { many: false, schema },
        { many: true, schema },
      ],
      'One object for one reference, a list for several.',
    ),
  either: (doc: string, ...schemas: readonly mini.ZodMiniType[]) =>
    forms(
      schemas.map((schema) => ({ many: false, schema })),
      doc,
    ),
  /** Text, which `-o json` does not change. */
  noJson: (doc: string) => forms([{ many: false }], doc),
  responseOf,
};

export type ShapeKit = typeof SHAPE_KIT;

function forms(all: readonly Form[], doc?: string): Shape {
  return { forms: all, ...(doc === undefined ? {} : { doc }) };
}

/** A response as proc accepts it: a field may be null, missing, or unknown to the contract. */
function responseOf({ response }: EndpointSpec): mini.ZodMiniObject {
  if (!('schema' in response)) throw new Error('the endpoint answers nothing');
  return response.schema as mini.ZodMiniObject;
}
