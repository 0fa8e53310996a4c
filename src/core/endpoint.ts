import * as z from 'zod/mini';

/** No endpoint of the contract uses PUT; raw calls may. */
export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'PUT';

export interface RawResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly bytes: Uint8Array;
}

/** The names between braces in a path template: `'/a/{id}/b/{groupId}'` → `'id' | 'groupId'`. */
export type PathParam<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParam<Rest>
  : never;

/** A successful response. The client checks no fields except `created` and those in `identifiedBy`. */
type ResponseSpec =
  | { readonly kind: 'list'; readonly schema: z.ZodMiniObject }
  | {
      readonly kind: 'record';
      readonly schema: z.ZodMiniObject;
      /** For a create: the field that proves the creation. Without this field, the outcome is unknown. */
      readonly created?: string;
      /**
       * One of these fields must equal `{id}` of the path; case does not matter. Otherwise a read fails, and
       * the outcome of a write is unknown. The response to a write may also be empty.
       */
      readonly identifiedBy?: readonly string[];
    }
  | { readonly kind: 'none' }
  /** Any 2xx, as a {@link RawResponse}. `created` is as for a record. */
  | { readonly kind: 'raw'; readonly created?: string };

/**
 * One endpoint of the service, as plain data. Client, sandbox, flags, schemas and reference pages are derived from it.
 */
export interface EndpointSpec {
  /** `noun.verb`, unique: `items.create`. Dialect settings name a list by its noun: `items.limit=max`. */
  readonly id: string;
  readonly method: Method;
  /** Appended to the base URL. A trailing slash is kept. */
  readonly path: string;
  /** Fields with canonical names (`limit`). The dialect translates them for the service. */
  readonly query?: z.ZodMiniObject;
  readonly body?: z.ZodMiniObject;
  readonly response: ResponseSpec;
  /** Field → its description, which is also the help text of its flag. */
  readonly fields?: Readonly<Record<string, string>>;
}

/** Declares an endpoint, with its exact types. */
export function endpoint<const E extends EndpointSpec>(spec: E): E {
  return spec;
}

type ParamsOf<E extends EndpointSpec> = [PathParam<E['path']>] extends [never]
  ? { readonly params?: undefined }
  : { readonly params: Readonly<Record<PathParam<E['path']>, string>> };

type QueryOf<E extends EndpointSpec> = E extends { readonly query: infer Q extends z.ZodMiniObject }
  ? { readonly query?: z.input<Q> }
  : { readonly query?: undefined };

export type BodyOf<E extends EndpointSpec> = E extends {
  readonly body: infer B extends z.ZodMiniObject;
}
  ? z.input<B>
  : undefined;

/** The input of a call; {@link AnyInput} if the endpoint is known only at run time. */
export type InputOf<E extends EndpointSpec> = EndpointSpec extends E
  ? AnyInput
  : ParamsOf<E> &
      QueryOf<E> &
      (E extends { readonly body: z.ZodMiniObject }
        ? { readonly body: BodyOf<E> }
        : { readonly body?: undefined });

export type OutputOf<E extends EndpointSpec> = EndpointSpec extends E
  ? unknown
  : E['response'] extends {
        readonly kind: 'list';
        readonly schema: infer S extends z.ZodMiniObject;
      }
    ? z.output<S>[]
    : E['response'] extends {
          readonly kind: 'record';
          readonly schema: infer S extends z.ZodMiniObject;
        }
      ? z.output<S>
      : E['response'] extends { readonly kind: 'raw' }
        ? RawResponse
        : undefined;

export interface AnyInput {
  readonly params?: Readonly<Record<string, string>> | undefined;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly body?: unknown;
  /** For raw calls: the body exactly as sent. `body` has the same content, decoded for the history. */
  readonly rawBody?: string | undefined;
}

/** The fields of a record, or of the rows of a list, that the contract documents. */
export function documentedFields({ response }: EndpointSpec): readonly string[] {
  return 'schema' in response ? Object.keys(response.schema.shape) : [];
}

/** The field with the id of what a create has created. */
export function idFieldOf({ response }: Pick<EndpointSpec, 'response'>): string {
  return ('created' in response ? response.created : undefined) ?? 'id';
}

export function nounOf(spec: Pick<EndpointSpec, 'id'>): string {
  return spec.id.slice(0, spec.id.indexOf('.'));
}

/** A response field: documented, but never validated. */
export const text = z.nullish(z.string());
export const number = z.nullish(z.number());

const optionalText = () => z.optional(z.string());

/** Optional texts of a body. */
export function texts<const Name extends string>(...names: readonly Name[]) {
  type Fields = Record<Name, ReturnType<typeof optionalText>>;
  return Object.fromEntries(names.map((name) => [name, optionalText()])) as Fields;
}

/**
 * Paging and sorting parameters of a list (docs/service-contract.md §4 and §8). The contract does not name
 * them. These names are ours, and a dialect translates them.
 */
export function listQuery<const Fields extends readonly [string, ...string[]]>(fields: Fields) {
  return z.object({
    limit: z.optional(z.int().check(z.gte(0), z.lte(100))),
    offset: z.optional(z.int().check(z.gte(0))),
    sort: z.optional(z.enum(fields)),
    dir: z.optional(z.enum(['asc', 'desc'])),
  });
}

export const LIST_FIELDS = {
  limit: 'at most this many rows, 0 to 100',
  offset: 'skip this many rows',
  sort: 'sort by this field',
  dir: 'sort direction',
} as const;
