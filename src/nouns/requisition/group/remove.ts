import { command } from '../../../context.ts';
import { WRITE_CODES } from '../../../core/errors.ts';
import { type Settled, write } from '../../../write.ts';
import { listLines, removeGroup } from '../index.ts';
import { knownParts, linesAfter, withId } from '../known-parts.ts';
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
  endpoints: [removeGroup, listLines],
  async run(ctx, args) {
    const parts = await knownParts(args.requisition, ctx);
    const params = { id: parts.id, groupId: args.group };
    // Some services list no lines for a group that does not exist.
    const settle = async (): Promise<Settled | undefined> => {
      const lines = await linesAfter(ctx, params);
      if (lines === undefined || lines.length === 0) return undefined;
      return { is: 'not done', seen: `group ${args.group} is still there` };
    };
    return write(
      ctx,
      removeGroup,
      { params },
      {
        what: `delete group ${withId(parts.groupName(args.group), args.group)} of requisition ${withId(parts.title, parts.id)}`,
        settle,
      },
      () => ({ kind: 'record', value: { id: args.group, deleted: true } }),
    );
  },
});
