import { command } from '../../../context.ts';
import { WRITE_CODES } from '../../../core/errors.ts';
import { write } from '../../../write.ts';
import { bodyFields, bodyFlags, FILE_FLAG, readBody } from '../../shared/body.ts';
import { addressId } from '../../shared/references.ts';
import { addGroup, GROUP_COLUMNS } from '../index.ts';
import { knownParts } from '../known-parts.ts';
import { REQUISITION } from '../requisition-args.ts';

export const groupAdd = command({
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
      doc: 'print only the id',
    },
  ],
  exitCodes: WRITE_CODES,
  endpoints: [addGroup],
  async run(ctx, args, flags) {
    const fields = bodyFields(addGroup, flags);
    if (typeof fields.addressId === 'string') {
      fields.addressId = addressId(fields.addressId);
    }
    const body = await readBody(ctx, addGroup, { file: flags.file, fields });
    const { name } = body.value;
    const parts = await knownParts(args.requisition, ctx);
    return write(
      ctx,
      addGroup,
      { params: { id: parts.id }, body: body.value },
      {
        what: `add ${name ? `group "${name}"` : 'a group'} to requisition ${parts.title}`,
      },
      (value) => ({ kind: 'record', columns: GROUP_COLUMNS, value }),
    );
  },
});
