import { requisitionId } from '../../compose/earlier.ts';
import type { Context } from '../../context.ts';
import { isObject } from '../../core/is-object.ts';
import type { Row } from '../../core/result.ts';
import { subjectOf, wasApplied } from '../../history/entry.ts';
import { withHistory } from '../../history/history.ts';
import { readAfter } from '../shared/change-record.ts';
import {
  addGroup,
  addLine,
  createRequisition,
  listLines,
  removeGroup,
  removeLine,
} from './index.ts';

interface KnownGroup {
  readonly id: string;
  /** As it was sent; empty for a group of which only lines are known. */
  readonly fields: Row;
  /** The lines that were added one by one, as they were sent, each with its id. */
  readonly lines: readonly Row[];
}

/** What this machine knows of a requisition, from what it sent. The service shows neither names nor groups. */
export interface KnownParts {
  readonly id: string;
  readonly title: string | undefined;
  /** The groups that were added later, and are still there. */
  readonly groups: readonly KnownGroup[];
}

export async function knownParts(ref: string, ctx: Context): Promise<KnownParts> {
  const requisition = await requisitionId(ref, ctx);
  const scope = await ctx.scope();
  const entries = await withHistory(ctx, [], (history) =>
    history.entries({ scope, noun: 'requisitions', isOldestFirst: true }),
  );
  let title: string | undefined;
  const groups = new Map<string, { fields: Row; lines: Map<string, Row> }>();
  const groupOf = (id: string, fields: Row = {}) => {
    const found = groups.get(id) ?? { fields, lines: new Map() };
    groups.set(id, found);
    return found;
  };
  const base = `/requisitions/${encodeURIComponent(requisition)}/groups`;
  for (const entry of entries) {
    const { endpoint, path, created } = entry;
    if (!wasApplied(entry)) continue;
    const sent = isObject(entry.payload) ? entry.payload : {};
    if (endpoint === createRequisition.id && created === requisition) {
      title = typeof sent.title === 'string' ? sent.title : undefined;
    }
    if (!path.startsWith(base)) continue;
    const [group = ''] = path
      .slice(base.length + 1)
      .split('/', 1)
      .map(decodeURIComponent);
    if (endpoint === addGroup.id && created !== undefined) groupOf(created, sent);
    else if (endpoint === removeGroup.id) groups.delete(group);
    else if (endpoint === addLine.id && created !== undefined) {
      groupOf(group).lines.set(created, { id: created, ...sent });
    } else if (endpoint === removeLine.id) groupOf(group).lines.delete(subjectOf(entry)!);
  }
  return {
    id: requisition,
    title,
    groups: [...groups]
      .map(([id, { fields, lines }]) => ({ id, fields, lines: [...lines.values()] }))
      .filter(({ fields, lines }) => lines.length + Object.keys(fields).length > 0),
  };
}

/** The title in quotes, or the id. */
export function titleOf({ title, id }: KnownParts): string {
  return title === undefined ? id : `"${title}"`;
}

/** The name of a group in quotes, or its id as it was typed. */
export function groupNameOf({ groups }: KnownParts, id: string): string {
  const name = groups.find((group) => group.id === id)?.fields.name;
  return typeof name === 'string' && name !== '' ? `"${name}"` : id;
}

/** For a question about a delete: the id tells apart what has the same name. */
export function withId(name: string, id: string): string {
  return name === id ? id : `${name} (${id})`;
}

/** The lines of a group, after a write whose outcome is unknown: the only part of a requisition that a service shows. */
export async function linesAfter(
  ctx: Context,
  params: { readonly id: string; readonly groupId: string },
): Promise<readonly Row[] | undefined> {
  const lines = await readAfter(ctx, listLines, params);
  return Array.isArray(lines) ? (lines as readonly Row[]) : undefined;
}
