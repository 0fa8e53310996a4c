import type { Ports } from '../core/ports.ts';
import type { Column, Row, RowsResult } from '../core/result.ts';
import { rowsIn } from '../import/report/words.ts';
import { keepHeapSmall } from '../listing/keep-heap-small.ts';
import { LikelyDuplicates } from './likely-duplicates.ts';
import { readCatalogueTo } from './read-catalogue.ts';
import { SCRATCH } from './scratch-folder.ts';

const COLUMNS: readonly Column[] = [
  { key: 'tier', header: 'TIER', kind: 'number', priority: 3 },
  { key: 'group', header: 'GROUP', kind: 'number', priority: 3 },
  { key: 'match', header: 'SAME', priority: 3 },
  { key: 'code', header: 'CODE', priority: 4 },
  { key: 'name', header: 'NAME' },
  { key: 'id', header: 'ID', priority: 2 },
  { key: 'differs', header: 'DIFFERS' },
];

/**
 * Finds groups of likely duplicates in the whole catalogue.
 *
 * @param tier undefined: both tiers
 * @throws ProcError `incomplete` if the list cannot be read to a verified end
 */
export async function auditCatalogue(
  tier: 1 | 2 | undefined,
  ports: Ports<'io' | 'api' | 'store' | 'self'>,
): Promise<RowsResult> {
  keepHeapSmall();
  const found = new LikelyDuplicates(await ports.store.open(SCRATCH));
  const items = await readCatalogueTo((rows) => found.add(rows), ports);
  const { codes, names } = found.group();
  const part = ({ groups, items: count }: typeof codes) =>
    `${rowsIn(groups, 'group')} (${rowsIn(count, 'item')})`;
  ports.io.say({
    kind: 'notice',
    text: `${rowsIn(items, 'item')}: ${part(codes)} with the same code, ${part(names)} to check`,
  });
  return {
    kind: 'rows',
    columns: COLUMNS,
    fields: ['tier', 'group', 'match', 'differs', 'id', 'code', 'name'],
    rows: members(found, tier),
    empty: 'No likely duplicates.',
  };
}

async function* members(
  found: LikelyDuplicates,
  tier: 1 | 2 | undefined,
): AsyncGenerator<readonly Row[]> {
  for (const batch of found.members(tier)) yield batch.map((one) => ({ ...one }));
}
