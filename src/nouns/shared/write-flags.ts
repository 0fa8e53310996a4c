import type { FlagSpec, FlagSpecs } from '../../core/command-spec.ts';
import type { EndpointSpec } from '../../core/endpoint.ts';
import { ProcError } from '../../core/errors.ts';

export const FILE_FLAG = {
  file: {
    kind: 'string',
    value: 'file',
    short: 'f',
    doc: 'read the body from a JSON file (- for stdin); flags override it',
  },
} as const satisfies FlagSpecs;

const LONGEST = 255;

export const ONCE_FLAG = {
  once: {
    kind: 'string',
    value: 'key',
    doc: 'create at most once with this key, which never expires; run again, it prints the first result',
  },
} as const satisfies FlagSpecs;

/** @throws ProcError `invalid_usage` */
export function onceKey({ once }: { readonly once?: string | undefined }): string | undefined {
  if (once === undefined) return undefined;
  if (once.length > LONGEST || /\p{C}/u.test(once)) {
    throw new ProcError(
      'invalid_usage',
      `--once: expected at most ${LONGEST} characters, without control characters`,
      { hint: 'Use e.g. --once inv-77, or --once "$(uuidgen)" kept beside the job' },
    );
  }
  return once.normalize('NFC');
}

interface FieldDef {
  readonly type: string;
  readonly format?: string;
  readonly innerType?: { readonly _zod: { readonly def: FieldDef } };
}

/** The name of a field without a trailing `Id`: `order` for `orderId`. */
export function flagKey(field: string): string {
  return field.endsWith('Id') && field.length > 2 ? field.slice(0, -2) : field;
}

/**
 * A flag for each scalar field of an endpoint's body. Flags of nested fields are written by hand.
 */
export function bodyFlags(spec: EndpointSpec): FlagSpecs {
  const flags: Record<string, FlagSpec> = {};
  for (const [field, kind] of scalarsOf(spec)) {
    const doc = spec.fields?.[field] ?? field;
    // Of a patch, an empty string clears the field. Of a create, it comes from an unset shell variable.
    flags[flagKey(field)] = {
      kind,
      doc,
      value: kind === 'string' ? 'text' : 'n',
      mayBeEmpty: spec.method === 'PATCH',
    };
  }
  return flags;
}

export function bodyFields(
  spec: EndpointSpec,
  flags: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const [field] of scalarsOf(spec)) {
    const value = flags[flagKey(field)];
    if (value !== undefined) fields[field] = value;
  }
  return fields;
}

function scalarsOf({ body }: EndpointSpec) {
  return Object.entries(body?._zod.def.shape ?? {}).flatMap(([field, schema]) => {
    const kind = scalarKind(schema._zod.def as unknown as FieldDef);
    return kind === undefined ? [] : [[field, kind] as const];
  });
}

function scalarKind(def: FieldDef): 'string' | 'number' | 'integer' | undefined {
  if (def.innerType !== undefined) return scalarKind(def.innerType._zod.def);
  if (def.type === 'string') return 'string';
  if (def.type === 'number') return def.format === 'safeint' ? 'integer' : 'number';
  return undefined;
}
