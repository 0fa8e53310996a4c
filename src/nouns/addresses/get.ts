import { command } from '../../context.ts';
import { READ_CODES } from '../../core/errors.ts';
import { eachRecord } from '../shared/each-record.ts';
import { addressRecords } from '../shared/references.ts';
import { ADDRESS_COLUMNS, ADDRESSES, getAddress } from './index.ts';

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
  run: (ctx, { ids }) =>
    eachRecord(
      ctx,
      {
        ...{ refs: ids, columns: ADDRESS_COLUMNS, reads: getAddress },
        resolve: addressRecords,
      },
      async (id, _known, record) => record(await ctx.http().call(getAddress, { params: { id } })),
    ),
});
