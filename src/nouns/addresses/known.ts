import { command } from '../../core/command.ts';
import { EXIT } from '../../core/exit-codes.ts';
import type { Column } from '../../core/result.ts';
import { knownAddresses } from '../../wizard/questions/known-addresses.ts';

const KNOWN_COLUMNS: readonly Column[] = [
  { key: 'id', header: 'ID', priority: 3 },
  { key: 'alias', header: 'ALIAS', priority: 2 },
  { key: 'formattedAddress', header: 'ADDRESS' },
  { key: 'city', header: 'CITY' },
  { key: 'country', header: 'COUNTRY' },
];

export const known = command({
  path: ['addresses', 'known'],
  changes: 'nothing',
  prints: 'list',
  summary: 'List the addresses seen before on this machine',
  description:
    'The service cannot list addresses. proc keeps those that it showed (get, patch, the wizard) and those that were sent in requisitions, for each organization; nothing is asked of the service.',
  examples: [
    { run: 'proc addresses known', doc: 'with their aliases, the latest first' },
    { run: 'proc addresses known -o id', doc: 'the ids alone' },
  ],
  exitCodes: [EXIT.configuration],
  needs: ['api', 'store', 'self'],
  async run(_, ports) {
    const addresses = await knownAddresses(ports);
    return {
      kind: 'rows',
      columns: KNOWN_COLUMNS,
      rows: addresses.map(({ id, aliases, formattedAddress, city, country, seenAt }) => ({
        id,
        alias: aliases.join(', '),
        formattedAddress: formattedAddress ?? null,
        city: city ?? null,
        country: country ?? null,
        lastSeen: seenAt === 0 ? null : new Date(seenAt).toISOString(),
      })),
      empty: 'No address was seen yet: proc addresses get ID shows one and keeps it.',
    };
  },
});
