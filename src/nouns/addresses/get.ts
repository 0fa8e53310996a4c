import { command } from '../../command.ts';
import { addressId } from '../../listing/match-reference.ts';
import { eachId } from '../shared/each-id.ts';
import { READ_CODES } from '../shared/exit-code-sets.ts';
import { ADDRESSES } from './address-args.ts';
import { ADDRESS_COLUMNS, getAddress } from './index.ts';

export const get = command({
  path: ['addresses', 'get'],
  changes: 'nothing',
  prints: 'list',
  summary: 'Show addresses',
  description: 'The contract has no way to list addresses: you need the id.',
  args: ADDRESSES,
  examples: [
    { run: 'proc addresses get adr-1', doc: 'by id' },
    { run: 'proc addresses get adr-1 adr-2 -o json', doc: 'several, as JSON' },
  ],
  exitCodes: READ_CODES,
  endpoints: [getAddress],
  async run(ctx, args) {
    return eachId(
      ctx,
      {
        refs: args.ids,
        columns: ADDRESS_COLUMNS,
        reads: getAddress,
        resolve: async () => addressId,
      },
      async (id, record) => record(await ctx.http().call(getAddress, { params: { id } })),
    );
  },
});
