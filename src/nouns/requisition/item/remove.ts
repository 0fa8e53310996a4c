import { command } from '../../../core/command.ts';
import { idText } from '../../../core/service/same-value.ts';
import { phrase } from '../../../messages/writes.ts';
import { provedByLines } from '../../shared/delete-record.ts';
import { WRITE_CODES } from '../../shared/exit-code-sets.ts';
import { listLines, removeLine } from '../api.ts';
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
  endpoints: [removeLine, listLines],
  needs: ['io', 'api', 'lookup', 'self'],
  async run({ args }, ports) {
    const params = { id: args.requisition, groupId: args.group };
    const check = provedByLines(ports, `line ${args.line}`, params, (rows) =>
      rows.some(({ id }) => idText(id) === args.line) ? 'there' : 'gone',
    );
    const { comparedDelete } = await import('../../../rehearsal/expected.ts');
    return ports.api.send(
      removeLine,
      { params: { ...params, itemId: args.line } },
      {
        what: phrase('removeLine', args.line, args.group),
        weight: 'delete',
        check: comparedDelete('lines', check, ports),
      },
      () => ({ kind: 'record', value: { id: args.line, deleted: true } }),
    );
  },
});
