import type { EndpointSpec } from '../core/endpoint.ts';
import { type JsonSchema, jsonSchemaOf } from './json-schema.ts';

/**
 * A payload file to fill in, as JSON. Its values are null: the command refuses the file until every
 * null is replaced or its field removed.
 *
 * Optional objects such as `item`, and fields where null is valid, are only in the YAML form, as
 * comments.
 */
export function jsonSkeleton(spec: EndpointSpec): string {
  return `${JSON.stringify(blank(jsonSchemaOf(spec.body!)), null, 2)}\n`;
}

function blank(schema: JsonSchema): unknown {
  if (schema.items !== undefined) return [blank(schema.items)];
  if (schema.properties === undefined) return null;
  const required = new Set(schema.required);
  return Object.fromEntries(
    Object.entries(schema.properties)
      .filter(([key, inner]) => inner.type !== undefined && (required.has(key) || !isObject(inner)))
      .map(([key, inner]) => [key, blank(inner)]),
  );
}

function isObject(schema: JsonSchema): boolean {
  return schema.properties !== undefined;
}

/**
 * A payload file to fill in, as YAML. Optional fields are comments.
 *
 * @param run the command that takes the file
 */
export function yamlSkeleton(spec: EndpointSpec, run: string): string {
  const schema = jsonSchemaOf(spec.body!, spec.doc.fields);
  return `# ${spec.doc.summary}
# Fill in the open fields. Lines that begin with "# " are optional: remove the "# " to use them.
# Then: ${run}
${mapping(schema).join('\n')}
`;
}

function mapping(schema: JsonSchema): string[] {
  const required = new Set(schema.required);
  return Object.entries(schema.properties ?? {}).flatMap(([key, inner]) => {
    const lines = field(key, inner);
    return required.has(key) ? lines : lines.map((line) => `# ${line}`);
  });
}

function field(key: string, schema: JsonSchema): string[] {
  const head = `${key}: # ${remark(schema)}`;
  if (schema.items !== undefined) {
    return [head, '  -', ...mapping(schema.items).map((line) => `    ${line}`)];
  }
  return [head, ...mapping(schema).map((line) => `  ${line}`)];
}

function remark(schema: JsonSchema): string {
  const kind =
    schema.enum !== undefined
      ? schema.enum.join(' or ')
      : schema.items !== undefined
        ? `a list${schema.minItems === undefined ? '' : ` of at least ${schema.minItems}`}`
        : schema.type === 'integer'
          ? `a whole number${schema.exclusiveMinimum === undefined ? '' : ` above ${schema.exclusiveMinimum}`}`
          : schema.type === 'number'
            ? 'a number'
            : schema.type === 'string'
              ? 'text'
              : schema.type === 'object'
                ? 'these fields'
                : 'anything';
  return schema.description === undefined ? kind : `${kind}: ${schema.description}`;
}
