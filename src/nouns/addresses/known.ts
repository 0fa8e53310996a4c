import { knownAddresses } from '../../compose/known-addresses.ts';
import { command } from '../../core/command.ts';
import { EXIT } from '../../core/exit-codes.ts';
import type { Column } from '../../core/result.ts';

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
  shape: ({ z, textOrNull, list }) =>
    list(
      z.looseObject({
        id: z.string(),
        alias: z.string(),
        formattedAddress: textOrNull,
        city: textOrNull,
        country: textOrNull,
        lastSeen: textOrNull,
      }),
    ),
  summary: 'List addresses seen on this machine',
  description:
    'The service cannot list addresses. For each organization, proc remembers the addresses that it showed (get, patch, wizard) or sent in requisitions. Sends no request.',
  examples: [
    { run: 'proc addresses known', doc: 'with aliases, newest first' },
    { run: 'proc addresses known -o id', doc: 'only the ids' },
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
      empty: 'No addresses seen yet. To show and remember one, run: proc addresses get ID',
    };
  },
});
