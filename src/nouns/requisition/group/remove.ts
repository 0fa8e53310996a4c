import { command } from '../../../core/command.ts';
import { phrase } from '../../../messages/writes.ts';
import { WRITE_CODES } from '../../shared/exit-code-sets.ts';
import { removeGroup } from '../api.ts';
import { GROUP, REQUISITION } from '../requisition-args.ts';

export const groupRemove = command({
  path: ['requisition', 'group', 'remove'],
  changes: 'service',
  prints: 'record',
  summary: 'Remove a group of items from a requisition',
  args: { requisition: REQUISITION, group: GROUP },
  examples: [
    {
      run: 'proc requisition group remove req-1 grp-2',
      doc: 'by ids of requisition and group',
    },
    {
      run: 'proc requisition group remove req-1 grp-2 --dry-run',
      doc: 'show the request, send nothing',
    },
  ],
  exitCodes: WRITE_CODES,
  endpoints: [removeGroup],
  needs: ['api'],
  async run({ args }, ports) {
    return ports.api.send(
      removeGroup,
      { params: { id: args.requisition, groupId: args.group } },
      {
        what: phrase('removeGroup', args.group, args.requisition),
        weight: 'delete',
      },
      () => ({ kind: 'record', value: { id: args.group, deleted: true } }),
    );
  },
});
