import type { CommandSpec } from '../core/command-spec.ts';
import { type Form, SHAPE_KIT, type Shape } from '../core/shape/output-shape.ts';
import { type JsonSchema, jsonSchemaOf } from './json-schema.ts';

const { z, anyValue, maybe, numberOrNull, record, textOrNull } = SHAPE_KIT;

const LINE_SHAPES: Readonly<Record<string, Shape>> = {
  errors: record(
    z.looseObject({
      error: z.looseObject({
        code: z.string(),
        message: z.string(),
        hint: maybe(textOrNull),
        status: maybe(numberOrNull),
        requestId: maybe(textOrNull),
        exitCode: z.number(),
        retry: z.enum(['now', 'later', 'after-check', 'never']),
        details: maybe(anyValue),
      }),
    }),
    'A line of stderr: one for each failure.',
  ),
  warnings: record(z.looseObject({ warning: z.string() }), 'A line of stderr.'),
  notices: record(z.looseObject({ notice: z.string() }), 'A line of stderr.'),
  progress: record(
    z.looseObject({ progress: z.looseObject({}) }),
    'A line of stderr. Its fields depend on the command.',
  ),
  http: record(
    z.looseObject({ http: z.looseObject({ method: z.string() }) }),
    'A line of stderr with --verbose: one for each attempt.',
  ),
  requests: record(
    z.looseObject({
      dryRun: z.literal(true),
      method: z.string(),
      url: z.string(),
      headers: z.record(z.string(), z.string()),
      body: anyValue,
    }),
    'What --dry-run prints, for a command that sends a request.',
  ),
};

/** Names that are not commands: kinds of lines on stderr, and the requests of `--dry-run`. */
export const LINES: readonly string[] = Object.keys(LINE_SHAPES);

/** Undefined if there is no such kind of line. */
export function lineSchema(name: string): JsonSchema | undefined {
  return Object.hasOwn(LINE_SHAPES, name) ? published(name, LINE_SHAPES[name]!) : undefined;
}

export function outputSchema({ path, shape }: Pick<CommandSpec, 'path' | 'shape'>): JsonSchema {
  const name = path.join(' ');
  return published(`proc ${name}`, shape(SHAPE_KIT));
}

/** Unknown fields are allowed, because later versions may add fields. */
function published(title: string, { forms, doc }: Shape): JsonSchema {
  const schemas = forms.map(schemaOf);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title,
    ...(doc === undefined ? {} : { description: doc }),
    ...(schemas.length === 1 ? schemas[0]! : { anyOf: schemas }),
  };
}

function schemaOf({ many, schema }: Form): JsonSchema {
  // The output is text, so no JSON document is valid.
  if (schema === undefined) return { not: {} };
  const one = jsonSchemaOf(schema);
  return many ? { type: 'array', items: one } : one;
}

/** `list`, `record`, both, or `text`. */
export function printedWord({ shape }: Pick<CommandSpec, 'shape'>): string {
  const { forms } = shape(SHAPE_KIT);
  if (forms.some(({ schema }) => schema === undefined)) return 'text';
  return [...new Set(forms.map(({ many }) => (many ? 'list' : 'record')))].join(' or ');
}
