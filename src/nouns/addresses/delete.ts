import { command } from '../../command.ts';
import { addressId } from '../../listing/match-reference.ts';
import { ensureAskable } from '../../write.ts';
import { DELETED_COLUMNS, deleteRecord } from '../shared/delete-record.ts';
import { eachId } from '../shared/each-id.ts';
import { WRITE_CODES } from '../shared/exit-code-sets.ts';
import { ADDRESSES } from './address-args.ts';
import { deleteAddress, getAddress } from './index.ts';

export const remove = command({
  path: ['addresses', 'delete'],
  changes: 'service',
  prints: 'list',
  summary: 'Delete addresses permanently',
  description:
    'You cannot undo this: the contract has no way to create an address. proc reads and shows the address first. In a script, add --yes.',
  args: ADDRESSES,
  examples: [
    { run: 'proc addresses delete adr-9', doc: 'show it and ask' },
    { run: 'proc addresses delete adr-8 --yes', doc: 'in a script' },
  ],
  exitCodes: WRITE_CODES,
  endpoints: [deleteAddress, getAddress],
  async run(ctx, args) {
    const endpoints = { read: getAddress, remove: deleteAddress };
    return eachId(
      ctx,
      {
        refs: args.ids,
        columns: DELETED_COLUMNS,
        begin: (first, others) =>
          ensureAskable(
            ctx,
            deleteAddress,
            `delete address ${first}${others === 0 ? '' : ` and ${others} more`}`,
          ),
        resolve: async () => addressId,
      },
      (id, record) =>
        deleteRecord(
          ctx,
          { ...endpoints, id, what: (name) => `delete address ${name}` },
          async (deleted) => record(deleted),
        ),
    );
  },
});
