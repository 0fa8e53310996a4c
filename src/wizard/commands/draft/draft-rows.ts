import type { Column, Row } from '../../../core/result.ts';
import type { ShapeKit } from '../../../core/shape/output-shape.ts';
import { wizardMessages } from '../../../messages/wizard-messages.ts';
import type { Draft } from '../../../wizard/model/draft-schema.ts';
import { payloadOf } from '../../../wizard/model/to-payload.ts';

export const DRAFT_COLUMNS: readonly Column[] = [
  { key: 'id', header: 'ID', priority: 4 },
  { key: 'title', header: 'TITLE', priority: 3 },
  { key: 'groups', header: 'GROUPS', kind: 'count' },
  { key: 'items', header: 'ITEMS', kind: 'count' },
  { key: 'missing', header: 'MISSING', priority: 2 },
  { key: 'sent', header: 'SENT', priority: 2 },
  { key: 'updated', header: 'UPDATED', kind: 'date', priority: 2 },
  { key: 'profile', header: 'PROFILE' },
  { key: 'environment', header: 'ENVIRONMENT' },
];

export function draftRow({ id, sheet, updated, profile, environment }: Draft): Row {
  const { problems } = payloadOf(sheet);
  return {
    id,
    title: sheet.title ?? null,
    groups: sheet.groups.length,
    items: sheet.groups.reduce(
      (count, { lines, pasted = [] }) => count + lines.length + pasted.length,
      0,
    ),
    missing: [...new Set(problems.map(({ code }) => wizardMessages.en.problems[code]))].join('; '),
    updated: new Date(updated).toISOString(),
    profile: profile ?? null,
    environment: environment ?? null,
  };
}

export function draftFields({ z, textOrNull }: ShapeKit) {
  return {
    id: z.string(),
    title: textOrNull,
    groups: z.number(),
    items: z.number(),
    missing: z.string(),
    updated: z.string(),
    profile: textOrNull,
    environment: textOrNull,
  };
}
