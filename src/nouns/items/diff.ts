import { command } from '../../core/command.ts';
import type { FlagSpecs } from '../../core/command-spec.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { ALLOW_COMPARED, FILE_FLAGS, IMPORT_FILE } from '../../import/import-flags.ts';
import { READ_CODES } from '../shared/exit-code-sets.ts';
import { listItems } from './index.ts';

const { map, mapFile, sheet, path, decimal, encoding, headerRow, skipRows } = FILE_FLAGS;

const DIFF_FLAGS = {
  map: { ...map, group: 'Flags', doc: 'map a field, e.g. code=SKU' },
  only: {
    kind: 'choice',
    choices: ['new', 'renamed', 'gone', 'duplicate', 'invalid'],
    value: 'change',
    doc: 'list only these rows',
  },
  summary: { kind: 'boolean', doc: 'print only the counts' },
  exitCode: { kind: 'boolean', doc: 'exit 8 if there are differences' },
  mapFile,
  mapValue: FILE_FLAGS.mapValue,
  null: FILE_FLAGS.null,
  fillDown: FILE_FLAGS.fillDown,
  sheet,
  path,
  headerRow,
  skipRows,
  encoding,
  decimal,
  allow: {
    ...ALLOW_COMPARED,
    group: 'Flags',
    doc: 'compare rows that an import would reject',
  },
} as const satisfies FlagSpecs;

export const diff = command({
  path: ['items', 'diff'],
  changes: 'nothing',
  prints: 'list',
  shape: ({ z, textOrNull, numberOrNull, forms }) =>
    forms(
      [
        {
          many: true,
          schema: z.looseObject({
            change: z.string(),
            row: numberOrNull,
            line: numberOrNull,
            code: textOrNull,
            name: textOrNull,
            catalogueName: textOrNull,
            id: textOrNull,
            reason: textOrNull,
          }),
        },
        {
          many: false,
          schema: z.looseObject({
            source: z.string(),
            rows: z.number(),
            catalogue: z.number(),
            duplicates: z.number(),
            notCompared: z.array(z.string()),
          }),
        },
      ],
      'The rows that differ; with --summary the counts.',
    ),
  filtersSource: true,
  summary: 'Compare a file with the catalogue: new, gone and renamed items',
  description:
    'Compares by code. gone: only in the catalogue; renamed: the names differ. Exits 10 if proc cannot verify that the list of items is complete.',
  details:
    'The list of items has only id, code and name, so other columns are not compared. Flags about the file work as for proc items import.',
  args: { file: { doc: IMPORT_FILE.file.doc } },
  flags: DIFF_FLAGS,
  examples: [
    { run: 'proc items diff examples/items.csv', doc: 'the rows that differ, and how many' },
    {
      run: 'proc items diff examples/stock.csv --map code=SKU --only gone',
      doc: 'items that the file lacks',
    },
  ],
  exitCodes: [...READ_CODES, EXIT.someRejected, EXIT.incomplete],
  endpoints: [listItems],
  needs: ['io', 'api', 'ask', 'store', 'self'],
  run: ({ args, flags }, ports) =>
    ports.api.shownAs(
      listItems,
      { query: { limit: 100, offset: 0, sort: 'code', dir: 'asc' } },
      async () => (await import('../../catalogue/diff-file.ts')).diffFile(args.file, flags, ports),
    ),
});
