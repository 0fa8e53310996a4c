import { command } from '../../core/command.ts';
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
  needs: ['io', 'api', 'self'],
  async run({ args }, ports) {
    return eachId(
      ports,
      {
        refs: args.ids,
        columns: ADDRESS_COLUMNS,
        reads: getAddress,
        resolve: async () => addressId,
      },
      (id, record) =>
        ports.api.read(getAddress, { params: { id } }, async (value) => record(value)),
    );
  },
});
