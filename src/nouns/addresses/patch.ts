import { command } from '../../context.ts';
import { WRITE_CODES } from '../../core/errors.ts';
import type { Row } from '../../core/result.ts';
import { bodyFlags, FILE_FLAG } from '../shared/body.ts';
import { patchRecord } from '../shared/patch-record.ts';
import { addressRecords } from '../shared/references.ts';
import { ADDRESS_COLUMNS, getAddress, patchAddress } from './index.ts';

export const patch = command({
  path: ['addresses', 'patch'],
  changes: 'service',
  prints: 'record',
  summary: 'Change fields of an address',
  description: 'Sends only the fields that you give, and shows what changes.',
  args: { id: { doc: 'id of the address' } },
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
  run: (ctx, args, flags) =>
    patchRecord(
      ctx,
      args.id,
      flags,
      { noun: 'address', read: getAddress, patch: patchAddress, resolve: addressRecords },
      ({ before, body, value }) => {
        const stale = outdatedAddress(before, body, value);
        const text = `formattedAddress is still ${JSON.stringify(stale)}; to change it too, add --formatted-address`;
        if (stale !== undefined) ctx.io.say({ kind: 'warning', text });
        return { kind: 'record', columns: ADDRESS_COLUMNS, value };
      },
    ),
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
