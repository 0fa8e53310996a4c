import { command } from '../../core/command.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { READ_CODES } from '../shared/exit-code-sets.ts';
import { listItems } from './index.ts';

export const audit = command({
  path: ['items', 'audit'],
  changes: 'nothing',
  prints: 'list',
  shape: ({ z, textOrNull, list }) =>
    list(
      z.looseObject({
        tier: z.number(),
        group: z.number(),
        match: z.string(),
        differs: textOrNull,
        id: textOrNull,
        code: textOrNull,
        name: textOrNull,
      }),
    ),
  summary: 'Find likely duplicates in the catalogue',
  description:
    'The audit ignores case, spaces, dashes and other separators in codes. Tier 1: items with the same code whose names do not contradict each other. Tier 2, for you to check: items with the same code whose names differ in a number, size, colour, material, pack or another detail; and items whose names have the same words.',
  examples: [
    { run: 'proc items audit', doc: 'all groups, the most certain first' },
    {
      run: 'proc items audit --where tier=1 --out duplicates.xlsx',
      doc: 'the same codes, as a workbook',
    },
  ],
  exitCodes: [...READ_CODES, EXIT.incomplete],
  endpoints: [listItems],
  needs: ['io', 'api', 'store', 'self'],
  run: (_, ports) =>
    ports.api.shownAs(
      listItems,
      { query: { limit: 100, offset: 0, sort: 'code', dir: 'asc' } },
      async () => (await import('../../catalogue/audit-catalogue.ts')).auditCatalogue(ports),
    ),
});
