import { command } from '../../core/command.ts';
import { ProcError } from '../../core/errors.ts';
import { inShell } from '../../core/text/typed.ts';
import { phrase } from '../../messages/writes.ts';
import { forgetAddress, rememberAddress } from '../shared/address-book.ts';
import { bodyFields, bodyFlags } from '../shared/body-flags.ts';
import { DELETED_COLUMNS, deleteForGood } from '../shared/delete-for-good.ts';
import { eachId } from '../shared/each-id.ts';
import { READ_CODES, WRITE_CODES } from '../shared/exit-code-sets.ts';
import { FILE_FLAG } from '../shared/file-flag.ts';
import { patchShown } from '../shared/patch-shown.ts';
import { addressId, addressIds } from '../shared/references/references.ts';
import { staleText } from '../shared/stale-address.ts';
import { deleteAddress, getAddress, patchAddress } from './api.ts';
import { ADDRESS_COLUMNS } from './columns.ts';
import { knownCommands } from './known-commands.ts';

const ID = {
  id: { doc: 'id of the address, or an alias of yours', from: 'proc addresses known' },
} as const;
const IDS = {
  ids: {
    doc: 'ids or aliases of addresses; - reads them from standard input',
    variadic: true,
    from: 'proc addresses known',
  },
} as const;

const get = command({
  path: ['addresses', 'get'],
  changes: 'nothing',
  prints: 'list',
  summary: 'Show addresses',
  description: 'The service shows no way to list addresses: you need the id.',
  args: IDS,
  examples: [
    { run: 'proc addresses get adr-1', doc: 'by id' },
    { run: 'proc addresses get adr-1 adr-2 -o json', doc: 'several, as JSON' },
  ],
  exitCodes: READ_CODES,
  endpoints: [getAddress],
  async handler({ args }, ctx) {
    return eachId(
      ctx,
      args.ids,
      ADDRESS_COLUMNS,
      async (id) => {
        const value = await ctx.call(getAddress, { params: { id } });
        await rememberAddress(ctx, id, value);
        return value;
      },
      { resolve: (refs) => addressIds(ctx, refs) },
    );
  },
});

const patch = command({
  path: ['addresses', 'patch'],
  changes: 'service',
  prints: 'record',
  summary: 'Change fields of an address',
  description:
    'Only the fields that you give are sent. The address is read first, and what changes is shown; the service shows 4 of its 12 fields.',
  args: ID,
  flags: { ...FILE_FLAG, ...bodyFlags(patchAddress) },
  examples: [
    {
      run: 'proc addresses patch adr-1 --city Córdoba --formatted-address "Córdoba, Argentina"',
      doc: 'two fields',
    },
    { run: 'proc addresses patch adr-1 --file examples/address.json', doc: 'from a file' },
  ],
  exitCodes: WRITE_CODES,
  endpoints: [patchAddress, getAddress],
  async handler({ args, flags }, ctx) {
    const body = await ctx.body(patchAddress, {
      file: flags.file,
      fields: bodyFields(patchAddress, flags),
    });
    if (Object.keys(body.value).length === 0) {
      throw new ProcError('invalid_usage', 'nothing to change: no field was given', {
        hint: `For instance: proc addresses patch ${inShell(args.id)} --city TEXT`,
      });
    }
    const id = await addressId(ctx, args.id);
    const { before, value } = await patchShown(ctx, {
      read: getAddress,
      patch: patchAddress,
      id,
      body: body.value,
      what: phrase('patchAddress', id, Object.keys(body.value).join(', ')),
    });
    await rememberAddress(ctx, id, { ...before, ...value });
    const stale = staleText(before, body.value, value);
    if (stale !== undefined) {
      ctx.say({
        kind: 'warning',
        text: `formattedAddress still says ${JSON.stringify(stale)}: set it too, with --formatted-address`,
      });
    }
    return { kind: 'record', columns: ADDRESS_COLUMNS, value };
  },
});

const remove = command({
  path: ['addresses', 'delete'],
  changes: 'service',
  prints: 'list',
  summary: 'Delete addresses, for good',
  description:
    'The service shows no way to create an address: this cannot be undone. The address is read and shown first; off a terminal --yes is needed.',
  args: IDS,
  examples: [
    { run: 'proc addresses delete adr-9', doc: 'shows it and asks' },
    { run: 'proc addresses delete adr-8 --yes', doc: 'in a script' },
  ],
  exitCodes: WRITE_CODES,
  endpoints: [deleteAddress, getAddress],
  async handler({ args }, ctx) {
    const endpoints = { read: getAddress, remove: deleteAddress };
    return eachId(
      ctx,
      args.ids,
      DELETED_COLUMNS,
      async (id) => {
        const deleted = await deleteForGood(ctx, endpoints, id, phrase('deleteAddress', id));
        await forgetAddress(ctx, id);
        return deleted;
      },
      {
        begin: (first, others) =>
          ctx.ensureAskable({
            what: phrase('deleteAddresses', first, others),
            weight: 'delete',
            irreversible: true,
          }),
        resolve: (refs) => addressIds(ctx, refs),
      },
    );
  },
});

export const commands = [get, patch, remove, ...knownCommands];
