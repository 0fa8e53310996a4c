import { command } from '../../command.ts';
import { ProcError } from '../../core/errors.ts';
import type { Row } from '../../core/result.ts';
import { inShell } from '../../core/text/typed.ts';
import { addressId } from '../../listing/match-reference.ts';
import { readBody } from '../shared/body.ts';
import { WRITE_CODES } from '../shared/exit-code-sets.ts';
import { patchRecord } from '../shared/send-patch.ts';
import { bodyFields, bodyFlags, FILE_FLAG } from '../shared/write-flags.ts';
import { ADDRESS_COLUMNS, getAddress, patchAddress } from './index.ts';

const ADDRESS = {
  id: { doc: 'id of the address' },
} as const;

export const patch = command({
  path: ['addresses', 'patch'],
  changes: 'service',
  prints: 'record',
  summary: 'Change fields of an address',
  description: 'Sends only the fields that you give, and shows what changes.',
  args: ADDRESS,
  flags: { ...FILE_FLAG, ...bodyFlags(patchAddress) },
  examples: [
    {
      run: 'proc addresses patch adr-1 --city Córdoba --formatted-address Córdoba',
      doc: 'change two fields',
    },
    { run: 'proc addresses patch adr-1 --file examples/address.json', doc: 'from a file' },
  ],
  exitCodes: WRITE_CODES,
  endpoints: [patchAddress, getAddress],
  async run(ctx, args, flags) {
    const body = await readBody(ctx, patchAddress, {
      file: flags.file,
      fields: bodyFields(patchAddress, flags),
    });
    if (Object.keys(body.value).length === 0) {
      throw new ProcError('invalid_usage', 'no fields to change', {
        hint: `Give at least one, e.g.: proc addresses patch ${inShell(args.id)} --city TEXT`,
      });
    }
    const id = addressId(args.id);
    const patch = {
      read: getAddress,
      patch: patchAddress,
      id,
      body: body.value,
      what: (name: string) => `change ${Object.keys(body.value).join(', ')} of address ${name}`,
    };
    return patchRecord(ctx, patch, async ({ before, value }) => {
      const stale = outdatedAddress(before, body.value, value);
      if (stale !== undefined) {
        ctx.io.say({
          kind: 'warning',
          text: `formattedAddress is still ${JSON.stringify(stale)}; to change it too, add --formatted-address`,
        });
      }
      return { kind: 'record', columns: ADDRESS_COLUMNS, value };
    });
  },
});

const PARTS = ['street', 'streetNumber', 'city', 'state', 'postalCode', 'country'] as const;

/**
 * The formatted address, if it lacks a part that was changed. Undefined if it is up to date or cannot be
 * checked.
 */
function outdatedAddress(before: Row | undefined, body: Row, after: Row): string | undefined {
  const text = after.formattedAddress;
  if (typeof text !== 'string' || text === '' || text !== before?.formattedAddress)
    return undefined;
  if (body.formattedAddress !== undefined) return undefined;
  const isMissing = PARTS.some((part) => {
    const value = body[part];
    return typeof value === 'string' && value !== '' && !text.includes(value);
  });
  return isMissing ? text : undefined;
}
