import type { Context } from '../../context.ts';
import type { EndpointSpec } from '../../core/endpoint.ts';
import type { Column, Result } from '../../core/result.ts';
import { ensureAskable, type Settled, write } from '../../write.ts';
import { type Each, eachRecord } from './each-record.ts';
import { type Changeable, placeOf, readAfter, readBefore } from './patch-record.ts';
import { recordName } from './references.ts';

const DELETED_COLUMNS: readonly Column[] = [
  { key: 'id', header: 'ID' },
  { key: 'deleted', header: 'DELETED' },
  { key: 'was', header: 'WAS' },
];

/** Shows each record, asks and deletes it. The contract has no way to create it again. */
export function deleteRecords(
  ctx: Context,
  refs: readonly string[],
  { noun, read, resolve, remove }: Changeable & { readonly remove: EndpointSpec },
): Promise<Result> {
  const each: Each = {
    ...{ refs, columns: DELETED_COLUMNS, resolve },
    begin: (first, others) =>
      ensureAskable(
        ctx,
        remove,
        `delete ${noun} ${first}${others === 0 ? '' : ` and ${others} more`}`,
      ),
  };
  return eachRecord(ctx, each, async (id, known, record) => {
    const params = { id };
    const before = await readBefore(ctx, read, known);
    const settle = async (): Promise<Settled | undefined> => {
      const now = await readAfter(ctx, read, params);
      const place = placeOf(read, id);
      if (now === 'gone') return { is: 'done', seen: `${place} is gone` };
      return now && { is: 'not done', seen: `${place} is still there` };
    };
    // The id tells apart records of one name.
    const name = before === undefined ? id : recordName(before);
    const what = `delete ${noun} ${name.split(' ')[0] === id ? name : `${name} (${id})`}`;
    return write(ctx, remove, { params }, { what, before, settle }, () =>
      record({ id, deleted: true, was: before }),
    );
  });
}
