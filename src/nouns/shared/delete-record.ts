import type { Context } from '../../context.ts';
import type { EndpointSpec } from '../../core/endpoint.ts';
import { isSignalled, ProcError } from '../../core/errors.ts';
import type { Column, RecordResult, Row, ShownRequest } from '../../core/result.ts';
import type { Settled } from '../../write.ts';
import { ensureAskable, write } from '../../write.ts';
import { listLines } from '../requisition/index.ts';
import { recordName } from './references/record-name.ts';

export const DELETED_COLUMNS: readonly Column[] = [
  { key: 'id', header: 'ID' },
  { key: 'deleted', header: 'DELETED' },
  { key: 'was', header: 'WAS' },
];

interface Deletion {
  readonly read: EndpointSpec;
  readonly remove: EndpointSpec;
  readonly id: string;
  readonly what: (name: string) => string;
}

/** Deletes a record that cannot be created again. Reads it first, to show it. */
export async function deleteRecord(
  ctx: Context,
  { read, remove, id, what }: Deletion,
  then: (deleted: Row) => RecordResult | Promise<RecordResult>,
): Promise<ShownRequest> {
  const params = { id };
  await ensureAskable(ctx, remove, what(id));
  const { interactive } = ctx.io.terminal;
  const before = await readBefore(ctx, read, params, interactive);
  const settle = async (): Promise<Settled | undefined> => {
    const now = await readAfter(ctx, read, params);
    const place = read.path.slice(1).replace('{id}', id);
    if (now === 'gone') return { is: 'done', seen: `${place} is gone` };
    return now && { is: 'not done', seen: `${place} is still there` };
  };
  // The id tells apart records of one name.
  const name = before === undefined ? id : withId(recordName(before), id);
  return write(ctx, remove, { params }, { what: what(name), before, settle }, () =>
    then({ id, deleted: true, was: before }),
  );
}

function withId(name: string, id: string): string {
  return name === id || name.startsWith(`${id} `) ? name : `${name} (${id})`;
}

/** A dry run reads it only for a person to see, and if there is a key. */
export async function readBefore(
  ctx: Context,
  read: EndpointSpec,
  params: Readonly<Record<string, string>>,
  isShown: boolean,
): Promise<Row | undefined> {
  if (ctx.flags.dryRun && !(isShown && (await ctx.http().canRead()))) return undefined;
  return (await ctx.http().call(read, { params })) as Row;
}

const GONE = 410;

/** Reads a record after a write whose outcome is unknown. Undefined if the read fails. */
export async function readAfter(
  ctx: Context,
  read: EndpointSpec,
  params: Readonly<Record<string, string>>,
): Promise<Row | 'gone' | undefined> {
  try {
    return (await ctx.http().call(read, { params })) as Row;
  } catch (thrown) {
    if (!(thrown instanceof ProcError) || isSignalled(thrown)) throw thrown;
    return thrown.code === 'not_found' || thrown.status === GONE ? 'gone' : undefined;
  }
}

/** The lines of a group are the only part of a requisition that the service shows. */
export async function linesAfter(
  ctx: Context,
  params: { readonly id: string; readonly groupId: string },
): Promise<readonly Row[] | undefined> {
  const lines = await readAfter(ctx, listLines, params);
  return Array.isArray(lines) ? (lines as readonly Row[]) : undefined;
}
