import { command } from '../../core/command.ts';
import { EXIT } from '../../core/exit-codes.ts';
import type { Row } from '../../core/result.ts';
import { NearRows, sentence } from '../../listing/near-rows.ts';
import { nearText } from '../../messages/problems.ts';
import { READ_CODES } from '../shared/exit-code-sets.ts';
import { listItems } from './api.ts';
import { ITEM_COLUMNS } from './columns.ts';

export const find = command({
  path: ['items', 'find'],
  changes: 'nothing',
  prints: 'list',
  summary: 'Find items by part of their code or name',
  description: 'The service has no search, so proc reads all items.',
  args: { text: { doc: 'part of the code or name; case is ignored' } },
  examples: [
    { run: 'proc items find bolt', doc: 'items with "bolt" in code or name' },
    { run: 'proc items find AR-53 -o id', doc: 'only the ids' },
  ],
  exitCodes: [...READ_CODES, EXIT.incomplete],
  endpoints: [listItems],
  needs: ['api'],
  async run({ args }, ports) {
    const wanted = args.text.toLowerCase();
    const near = new NearRows('items');
    return ports.api.list(listItems, { sort: 'code', dir: 'asc' }, (pages) => ({
      kind: 'rows',
      noun: 'items',
      columns: ITEM_COLUMNS,
      rows: matching(pages.rows, near, ({ code, name }) =>
        [code, name].some(
          (text) => typeof text === 'string' && text.toLowerCase().includes(wanted),
        ),
      ),
      empty: () => {
        const nearest = near.describe(args.text, pages.complete() ? 'whole' : 'part');
        return `No items with ${JSON.stringify(args.text)} in their code or name. ${nearest === undefined ? '' : sentence(nearText(nearest))}`;
      },
      isCut: pages.isCut,
      failure: pages.failure,
    }));
  },
});

async function* matching(
  batches: AsyncIterable<readonly Row[]>,
  near: NearRows,
  isMatch: (row: Row) => boolean,
): AsyncGenerator<readonly Row[]> {
  for await (const batch of batches) {
    near.add(batch);
    yield batch.filter(isMatch);
  }
}
