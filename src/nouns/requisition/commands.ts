import { pathSegment } from '../../client/request.ts';
import { command } from '../../core/command.ts';
import { ProcError } from '../../core/errors.ts';
import { phrase } from '../../messages/writes.ts';
import { commands as wizardCommands } from '../../wizard/commands/commands.ts';
import { bodyFields, bodyFlags } from '../shared/body-flags.ts';
import { READ_CODES, WRITE_CODES } from '../shared/exit-code-sets.ts';
import { FILE_FLAG } from '../shared/file-flag.ts';
import { addressId, itemId } from '../shared/references/references.ts';
import { addGroup, addLine, listLines, removeGroup, removeLine } from './api.ts';
import { GROUP_COLUMNS, LINE_COLUMNS } from './columns.ts';
import { create } from './create.ts';

const REQUISITION = { doc: 'id of the requisition' } as const;
const GROUP = { doc: 'id of the group' } as const;

const groupAdd = command({
  path: ['requisition', 'group', 'add'],
  changes: 'service',
  prints: 'record',
  summary: 'Add a group to a requisition',
  args: { requisition: REQUISITION },
  flags: { ...FILE_FLAG, ...bodyFlags(addGroup) },
  examples: [
    {
      run: 'proc requisition group add req-1 --name Plant --address adr-1',
      doc: 'with a delivery address',
    },
    {
      run: 'proc requisition group add req-1 --name "Head office" -o id',
      doc: 'printing the id alone',
    },
  ],
  exitCodes: WRITE_CODES,
  endpoints: [addGroup],
  async handler({ args, flags }, ctx) {
    const fields = bodyFields(addGroup, flags);
    if (typeof fields.addressId === 'string') {
      fields.addressId = await addressId(ctx, fields.addressId);
    }
    const body = await ctx.body(addGroup, { file: flags.file, fields });
    const value = await ctx.call(
      addGroup,
      { params: { id: args.requisition }, body: body.value },
      {
        what: phrase('addGroup', body.value.name ?? '', args.requisition),
        weight: 'create',
      },
    );
    return { kind: 'record', columns: GROUP_COLUMNS, value };
  },
});

const groupRemove = command({
  path: ['requisition', 'group', 'remove'],
  changes: 'service',
  prints: 'record',
  summary: 'Delete a group of items from a requisition',
  args: { requisition: REQUISITION, group: GROUP },
  examples: [
    {
      run: 'proc requisition group remove req-1 grp-2',
      doc: 'by the ids of requisition and group',
    },
    { run: 'proc requisition group remove req-1 grp-2 --dry-run', doc: 'what would be sent' },
  ],
  exitCodes: WRITE_CODES,
  endpoints: [removeGroup],
  async handler({ args }, ctx) {
    await ctx.call(
      removeGroup,
      { params: { id: args.requisition, groupId: args.group } },
      {
        what: phrase('removeGroup', args.group, args.requisition),
        weight: 'delete',
      },
    );
    return { kind: 'record', value: { id: args.group, deleted: true } };
  },
});

const itemAdd = command({
  path: ['requisition', 'item', 'add'],
  changes: 'service',
  prints: 'record',
  summary: 'Add an existing item to a group',
  args: { requisition: REQUISITION, group: GROUP },
  flags: { ...FILE_FLAG, ...bodyFlags(addLine) },
  examples: [
    {
      run: 'proc requisition item add req-1 grp-1 --item itm-1 --quantity 4',
      doc: 'four of an item',
    },
    {
      run: 'proc requisition item add req-1 grp-1 --item itm-1 --quantity 4 --curl',
      doc: 'the same as a curl line',
    },
  ],
  exitCodes: WRITE_CODES,
  endpoints: [addLine],
  async handler({ args, flags }, ctx) {
    pathSegment('requisition', args.requisition);
    pathSegment('group', args.group);
    const fields = bodyFields(addLine, flags);
    const body = await ctx.body(addLine, { file: flags.file, fields });
    if (body.value.itemId === undefined) {
      if (flags.file === undefined) {
        throw new ProcError('invalid_usage', 'no item was named', { hint: 'Add --item ID' });
      }
      ctx.say({ kind: 'warning', text: `${flags.file}: no itemId, so the line names nothing` });
    }
    const intentFor = (item: string) => {
      const what = phrase('addLine', String(body.value.quantity), item, args.group);
      return { what, weight: 'create' } as const;
    };
    await ctx.ensureAskable(intentFor(body.value.itemId ?? '(none)'));
    // An id in a file stays what it is; looked up is what a person typed.
    const item =
      typeof fields.itemId === 'string' ? await itemId(ctx, fields.itemId) : body.value.itemId;
    const value = await ctx.call(
      addLine,
      {
        params: { id: args.requisition, groupId: args.group },
        body: { ...body.value, ...(item === undefined ? {} : { itemId: item }) },
      },
      intentFor(item ?? '(none)'),
    );
    return { kind: 'record', columns: LINE_COLUMNS, value };
  },
});

const itemList = command({
  path: ['requisition', 'item', 'list'],
  changes: 'nothing',
  prints: 'list',
  summary: 'List the line items of a group',
  args: { requisition: REQUISITION, group: GROUP },
  examples: [
    {
      run: 'proc requisition item list req-1 grp-1',
      doc: 'as a table on a terminal, as JSON otherwise',
    },
    { run: 'proc requisition item list req-1 grp-1 -o id', doc: 'the ids of the lines' },
  ],
  exitCodes: READ_CODES,
  endpoints: [listLines],
  async handler({ args }, ctx) {
    const rows = await ctx.call(listLines, {
      params: { id: args.requisition, groupId: args.group },
    });
    return { kind: 'rows', columns: LINE_COLUMNS, rows, empty: 'No items in this group.' };
  },
});

const itemRemove = command({
  path: ['requisition', 'item', 'remove'],
  changes: 'service',
  prints: 'record',
  summary: 'Delete an item from a group',
  args: { requisition: REQUISITION, group: GROUP, line: { doc: 'id of the line item' } },
  examples: [
    {
      run: 'proc requisition item remove req-1 grp-1 lin-1',
      doc: 'by the ids of requisition, group and line',
    },
    { run: 'proc requisition item remove req-1 grp-1 lin-1 --dry-run', doc: 'what would be sent' },
  ],
  exitCodes: WRITE_CODES,
  endpoints: [removeLine],
  async handler({ args }, ctx) {
    await ctx.call(
      removeLine,
      { params: { id: args.requisition, groupId: args.group, itemId: args.line } },
      { what: phrase('removeLine', args.line, args.group), weight: 'delete' },
    );
    return { kind: 'record', value: { id: args.line, deleted: true } };
  },
});

export const commands = [
  create,
  ...wizardCommands,
  groupAdd,
  groupRemove,
  itemAdd,
  itemList,
  itemRemove,
];
