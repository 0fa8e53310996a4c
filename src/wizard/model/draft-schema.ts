import * as z from 'zod/mini';
import { ITEM_FIELDS, type Sheet } from '../../compose/requisition-sheet.ts';

const answer = z.optional(z.nullable(z.string()));

const knownItem = z.object({
  kind: z.literal('known'),
  id: z.string(),
  code: z.optional(z.string()),
  name: z.optional(z.string()),
});

const newItem = z.object({
  kind: z.literal('new'),
  fields: z.partialRecord(z.enum(ITEM_FIELDS), z.nullable(z.string())),
  more: z.optional(z.array(z.enum(ITEM_FIELDS))),
});

const group = z.object({
  name: answer,
  deliveryMethod: z.optional(z.enum(['pickup', 'delivery'])),
  address: z.optional(z.nullable(z.object({ id: z.string(), label: z.optional(z.string()) }))),
  lines: z.array(
    z.object({
      item: z.optional(z.discriminatedUnion('kind', [knownItem, newItem])),
      text: z.optional(z.string()),
      quantity: z.optional(z.number()),
      isSeparate: z.optional(z.boolean()),
      isOwnItem: z.optional(z.boolean()),
    }),
  ),
  isComplete: z.optional(z.boolean()),
  pasted: z.optional(z.array(z.string())),
  leftOut: z.optional(z.array(z.string())),
});

export const draftSchema = z.object({
  version: z.literal(1),
  /** `created` and `updated` are milliseconds since the epoch. */
  created: z.number(),
  updated: z.number(),
  baseUrl: z.string(),
  /** Missing only in a preview without a key, which stores no draft. */
  organization: z.optional(z.string()),
  sheet: z.object({
    title: z.optional(z.string()),
    type: answer,
    sector: z.optional(z.nullable(z.object({ value: z.string(), label: z.optional(z.string()) }))),
    code: answer,
    groups: z.array(group),
  }),
  /** Fingerprints of the payloads that were sent or were about to be sent. */
  attempts: z.array(z.string()),
});

export type Draft = Omit<z.output<typeof draftSchema>, 'sheet'> & { readonly sheet: Sheet };
