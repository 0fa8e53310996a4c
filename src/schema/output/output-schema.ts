import { type JsonSchema, jsonSchemaOf } from '../json-schema.ts';
import { IMPORT_SHAPES } from './import-shapes.ts';
import { LINE_SHAPES, OWN_SHAPES } from './own-shapes.ts';
import { SERVICE_SHAPES } from './service-shapes.ts';
import type { Form, Shape, Shapes } from './shape.ts';

const COMMANDS: Shapes = { ...SERVICE_SHAPES, ...IMPORT_SHAPES, ...OWN_SHAPES };

/** Names that are not commands: kinds of lines on stderr, and the requests of `--dry-run`. */
export const LINES: readonly string[] = Object.keys(LINE_SHAPES);

/**
 * Unknown fields are allowed, because later versions may add fields. Undefined for an unknown command.
 *
 * @param name the words of the command in their canonical form, or one of `LINES`
 */
export function outputSchema(name: string): JsonSchema | undefined {
  const isLine = Object.hasOwn(LINE_SHAPES, name);
  if (!isLine && !Object.hasOwn(COMMANDS, name)) return undefined;
  const found = isLine ? LINE_SHAPES[name]! : COMMANDS[name]!;
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: isLine ? name : `proc ${name}`,
    ...(found.doc === undefined ? {} : { description: found.doc }),
    ...formsOf(found),
  };
}

function formsOf({ forms }: Shape): JsonSchema {
  const schemas = forms.map(schemaOf);
  return schemas.length === 1 ? schemas[0]! : { anyOf: schemas };
}

function schemaOf({ many, schema }: Form): JsonSchema {
  // The output is text, so no JSON document is valid.
  if (schema === undefined) return { not: {} };
  const one = jsonSchemaOf(schema);
  return many ? { type: 'array', items: one } : one;
}

export function printedWord(name: string): string | undefined {
  if (!Object.hasOwn(COMMANDS, name)) return undefined;
  const { forms } = COMMANDS[name]!;
  if (forms.some(({ schema }) => schema === undefined)) return 'text';
  return [...new Set(forms.map(({ many }) => (many ? 'list' : 'record')))].join(' or ');
}
