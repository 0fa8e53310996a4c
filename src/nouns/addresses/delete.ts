import { command } from '../../context.ts';
import { EXIT, WRITE_CODES } from '../../core/errors.ts';
import { deleteRecords } from '../shared/delete-records.ts';
import { addressRecords } from '../shared/references.ts';
import { ADDRESSES, deleteAddress, getAddress } from './index.ts';

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
  exitCodes: [...WRITE_CODES, EXIT.incomplete],
  endpoints: [deleteAddress, getAddress],
  run: (ctx, { ids }) =>
    deleteRecords(ctx, ids, {
      ...{ noun: 'address', read: getAddress, remove: deleteAddress },
      resolve: addressRecords,
    }),
});
