import { requisitionId } from '../../compose/earlier.ts';
import type { Context } from '../../context.ts';
import type { EndpointSpec } from '../../core/endpoint.ts';
import { isObject } from '../../core/json.ts';
import type { Row } from '../../core/result.ts';
import { wasApplied } from '../../history/entry.ts';
import { withHistory } from '../../history/history.ts';
import { readAfter } from '../shared/patch-record.ts';
import { addGroup, addLine, createRequisition, listLines } from './index.ts';

/** What this machine knows of a requisition, from what it sent. The service shows neither names nor groups. */
interface KnownParts {
  readonly id: string;
  /** In quotes, or the id. */
  readonly title: string;
  /** The name of a group in quotes, or its id. */
  groupName(id: string): string;
  /** A line that was added by itself, as it was sent. */
  line(id: string): Row | undefined;
}

export async function knownParts(ref: string, ctx: Context): Promise<KnownParts> {
  const requisition = await requisitionId(ref, ctx);
  const scope = await ctx.scope();
  const entries = await withHistory(ctx, [], (history) =>
    history.entries({ scope, noun: 'requisitions' }),
  );
  const base = `/requisitions/${encodeURIComponent(requisition)}/groups`;
  const sentAs = ({ id: endpoint }: EndpointSpec, id: string): Row | undefined =>
    entries
      .filter((one) => one.endpoint === endpoint && one.created === id && wasApplied(one))
      .filter(({ path }) => endpoint === createRequisition.id || path.startsWith(base))
      .flatMap(({ payload }) => (isObject(payload) ? [payload as Row] : []))[0];
  const quoted = (name: unknown, id: string) =>
    typeof name === 'string' && name !== '' ? `"${name}"` : id;
  return {
    id: requisition,
    title: quoted(sentAs(createRequisition, requisition)?.title, requisition),
    groupName: (id) => quoted(sentAs(addGroup, id)?.name, id),
    line: (id) => sentAs(addLine, id),
  };
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
