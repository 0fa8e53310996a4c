import { command } from '../../../core/command.ts';
import { phrase } from '../../../messages/writes.ts';
import { WRITE_CODES } from '../../shared/exit-code-sets.ts';
import { removeLine } from '../api.ts';
import { GROUP, REQUISITION } from '../requisition-args.ts';

export const itemRemove = command({
  path: ['requisition', 'item', 'remove'],
  changes: 'service',
  prints: 'record',
  summary: 'Remove an item from a group',
  args: { requisition: REQUISITION, group: GROUP, line: { doc: 'id of the line item' } },
  examples: [
    {
      run: 'proc requisition item remove req-1 grp-1 lin-1',
      doc: 'by ids of requisition, group and line',
    },
    {
      run: 'proc requisition item remove req-1 grp-1 lin-1 --dry-run',
      doc: 'show the request, send nothing',
    },
  ],
  exitCodes: WRITE_CODES,
  endpoints: [removeLine],
  needs: ['api'],
  async run({ args }, ports) {
    return ports.api.send(
      removeLine,
      { params: { id: args.requisition, groupId: args.group, itemId: args.line } },
      { what: phrase('removeLine', args.line, args.group), weight: 'delete' },
      () => ({ kind: 'record', value: { id: args.line, deleted: true } }),
    );
  },
});
