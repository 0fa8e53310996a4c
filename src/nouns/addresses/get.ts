import { command } from '../../core/command.ts';
import { rememberAddress } from '../shared/address-book.ts';
import { eachId } from '../shared/each-id.ts';
import { READ_CODES } from '../shared/exit-code-sets.ts';
import { idsMeant } from '../shared/references/references.ts';
import { ADDRESSES } from './address-args.ts';
import { ADDRESS_COLUMNS, getAddress } from './index.ts';

export const get = command({
  path: ['addresses', 'get'],
  changes: 'nothing',
  prints: 'list',
  shape: ({ each, responseOf }) => each(responseOf(getAddress)),
  summary: 'Show addresses',
  description:
    'The contract has no way to list addresses: you need the id. Ids seen before: proc addresses known',
  args: ADDRESSES,
  examples: [
    { run: 'proc addresses get adr-1', doc: 'by id' },
    { run: 'proc addresses get adr-1 adr-2 -o json', doc: 'several, as JSON' },
  ],
  exitCodes: READ_CODES,
  endpoints: [getAddress],
  needs: ['io', 'api', 'lookup', 'store', 'self'],
  async run({ args }, ports) {
    return eachId(
      ports,
      {
        refs: args.ids,
        columns: ADDRESS_COLUMNS,
        resolve: (refs) => idsMeant(ports, 'address', refs),
      },
      (id, record) =>
        ports.api.read(getAddress, { params: { id } }, async (value) => {
          await rememberAddress(ports, id, value);
          return record(value);
        }),
    );
  },
});
