import * as z from 'zod/mini';
import { command } from '../../context.ts';
import type { EndpointSpec } from '../../core/endpoint.ts';
import { patchAddress } from '../../nouns/addresses/index.ts';
import { createImputation } from '../../nouns/imputations/index.ts';
import { createItem } from '../../nouns/items/index.ts';
import { createRequisition } from '../../nouns/requisition/index.ts';
import { patchSector } from '../../nouns/sectors/index.ts';

const PAYLOADS = {
  requisition: createRequisition,
  items: createItem,
  imputations: createImputation,
  sectors: patchSector,
  addresses: patchAddress,
};

export const schema = command({
  path: ['schema'],
  changes: 'nothing',
  prints: 'text',
  summary: 'Print the JSON Schema of a payload',
  description:
    'proc checks payloads against the same definitions. A payload file can name its schema in "$schema", for editors.',
  args: { noun: { doc: 'what is created or changed', choices: Object.keys(PAYLOADS) } },
  examples: [
    { run: 'proc schema requisition', doc: 'the payload of a requisition' },
    { run: 'proc schema items > item.schema.json', doc: 'write it to a file' },
  ],
  async run(_ctx, args) {
    const endpoint = PAYLOADS[args.noun as keyof typeof PAYLOADS];
    return { kind: 'text', text: `${JSON.stringify(payloadSchema(endpoint), null, 2)}\n` };
  },
});

/** Allows no unknown fields, because the command warns about them; but `$schema`, which is for editors. */
function payloadSchema({ body, fields = {}, method, path }: EndpointSpec) {
  const { $schema, ...schema } = z.toJSONSchema(body!, {
    io: 'input',
    override({ jsonSchema, path: keys }) {
      const description = fields[fieldOf(keys)];
      if (description !== undefined) jsonSchema.description = description;
      if (jsonSchema.properties !== undefined) jsonSchema.additionalProperties = false;
      // The bounds of exact integers in JavaScript are no rules of the API.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    },
  });
  return {
    $schema,
    title: `Body of ${method} ${path}`,
    ...schema,
    properties: {
      $schema: { type: 'string', description: 'for editors; not sent' },
      ...schema.properties,
    },
  };
}

/** `properties/groups/items/properties/name` → `groups[].name` */
function fieldOf(keys: readonly (string | number)[]): string {
  const names = keys.join('/').replace(/properties\/([^/]+)/g, '.$1');
  return names
    .replace(/\/items(?:\/|$)/g, '[]')
    .replaceAll('/', '')
    .slice(1);
}
