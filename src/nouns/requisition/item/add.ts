import { command } from '../../../context.ts';
import { ProcError, WRITE_CODES } from '../../../core/errors.ts';
import { textOf } from '../../../core/numbers.ts';
import { pathSegment } from '../../../http/request.ts';
import { ensureAskable, write } from '../../../write.ts';
import { listItems } from '../../items/index.ts';
import { bodyFields, bodyFlags, FILE_FLAG, readBody } from '../../shared/body.ts';
import { itemOf } from '../../shared/catalogue.ts';
import { recordName, recordsMeant } from '../../shared/references.ts';
import { addLine, LINE_COLUMNS } from '../index.ts';
import { knownParts } from '../known-parts.ts';
import { GROUP, REQUISITION } from '../requisition-args.ts';

export const itemAdd = command({
  path: ['requisition', 'item', 'add'],
  changes: 'service',
  prints: 'record',
  summary: 'Add an existing item to a group',
  args: { requisition: REQUISITION, group: GROUP },
  flags: { ...FILE_FLAG, ...bodyFlags(addLine) },
  examples: [
    {
      run: 'proc requisition item add req-1 grp-1 --item itm-1 --quantity 4',
      doc: 'add four of an item',
    },
  ],
  exitCodes: WRITE_CODES,
  endpoints: [addLine],
  async run(ctx, args, flags) {
    pathSegment('requisition', args.requisition);
    pathSegment('group', args.group);
    const fields = bodyFields(addLine, flags);
    const body = await readBody(ctx, addLine, { file: flags.file, fields });
    if (body.value.itemId === undefined) {
      if (flags.file === undefined) {
        throw new ProcError('invalid_usage', 'no item given', { hint: 'Add --item ID' });
      }
      ctx.io.say({
        kind: 'warning',
        text: `${flags.file}: itemId is missing, so the line names no item`,
      });
    }
    const parts = await knownParts(args.requisition, ctx);
    const whatFor = (item: string) => {
      const group = parts.groupName(args.group);
      const requisition = parts.title;
      return `add ${String(body.value.quantity)} × ${item} to ${group} of ${requisition}`;
    };
    await ensureAskable(ctx, addLine, whatFor(body.value.itemId ?? '(none)'));
    // Only a flag may have a reference to look up. An id in a file is sent unchanged.
    const found =
      typeof fields.itemId === 'string'
        ? (await recordsMeant(ctx, listItems, [fields.itemId]))(fields.itemId)
        : undefined;
    const item = textOf(found?.id) ?? body.value.itemId;
    return write(
      ctx,
      addLine,
      {
        params: { id: parts.id, groupId: args.group },
        body: { ...body.value, ...(item === undefined ? {} : { itemId: item }) },
      },
      {
        what: whatFor(recordName({ ...found, id: item ?? '(none)' })),
        shown: async () => {
          const { showLine } = await import('../../../compose/review-table.ts');
          const [known] = itemOf(found ?? { id: item });
          const named = known && { kind: 'known' as const, ...known };
          const heading = `${parts.title} · ${parts.groupName(args.group)}`;
          showLine(heading, { quantity: body.value.quantity, item: named }, ctx);
        },
      },
      (value) => ({ kind: 'record', columns: LINE_COLUMNS, value }),
    );
  },
});
