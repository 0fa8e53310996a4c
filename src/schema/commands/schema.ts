import { command } from '../../command.ts';
import { patchAddress } from '../../nouns/addresses/index.ts';
import { createImputation } from '../../nouns/imputations/index.ts';
import { createItem } from '../../nouns/items/index.ts';
import { createRequisition } from '../../nouns/requisition/index.ts';
import { patchSector } from '../../nouns/sectors/index.ts';
import { payloadSchema } from '../json-schema.ts';

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
