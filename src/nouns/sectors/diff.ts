import { command } from '../../core/command.ts';
import { EXIT } from '../../core/exit-codes.ts';
import type { Column, Row } from '../../core/result.ts';
import { READ_CODES } from '../shared/exit-code-sets.ts';
import { listSectors } from './index.ts';
import { FILE_ARG, FILE_FLAGS } from './sector-args.ts';

const COLUMNS: readonly Column[] = [
  { key: 'sector', header: 'SECTOR', priority: 4 },
  { key: 'field', header: 'FIELD', priority: 4 },
  { key: 'current', header: 'IN THE SERVICE', priority: 3 },
  { key: 'desired', header: 'IN THE FILE', priority: 3 },
  { key: 'id', header: 'ID', priority: 0 },
];

export const diff = command({
  path: ['sectors', 'diff'],
  changes: 'nothing',
  prints: 'list',
  shape: ({ z, textOrNull, anyValue, list }) =>
    list(
      z.looseObject({
        sector: z.string(),
        field: z.string(),
        current: anyValue,
        desired: anyValue,
        id: textOrNull,
      }),
    ),
  summary: 'Compare a file with the sectors of the service',
  description:
    'Shows each field that differs. Empty cells are not compared. Rows that match no sector of the service are listed as unknown.',
  args: FILE_ARG,
  flags: {
    ...FILE_FLAGS,
    exitCode: { kind: 'boolean', doc: 'exit 8 if anything differs' },
  },
  examples: [
    { run: 'proc sectors diff examples/sectors.csv', doc: 'what proc sectors apply would change' },
    { run: 'proc sectors diff examples/sectors.csv --exit-code --quiet', doc: 'in a script' },
  ],
  exitCodes: [...READ_CODES, EXIT.someRejected],
  endpoints: [listSectors],
  withoutIds: true,
  needs: ['io', 'api', 'lookup', 'ask', 'self'],
  run({ args, flags }, ports) {
    return ports.api.shownAs(listSectors, {}, async () => {
      const { readComparison } = await import('./file/read-comparison.ts');
      const { changes, unknown } = await readComparison(args.file, flags, ports);
      const rows: Row[] = [
        ...changes.flatMap(({ id, sector, body }) =>
          Object.entries(body).map(([field, desired]) => ({
            sector: sector.key ?? id,
            field,
            current: sector[field] ?? null,
            desired,
            id,
          })),
        ),
        ...unknown.map(({ name }) => ({
          sector: name,
          field: 'unknown',
          current: null,
          desired: null,
          id: null,
        })),
      ];
      return {
        kind: 'rows',
        columns: COLUMNS,
        rows,
        fields: COLUMNS.map(({ key }) => key),
        empty: 'No differences.',
        reportedExit: flags.exitCode && rows.length > 0 ? EXIT.someRejected : EXIT.done,
      };
    });
  },
});
