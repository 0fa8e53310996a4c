import { command } from '../../command.ts';
import type { Context } from '../../context.ts';
import type { FlagValues } from '../../core/command-spec.ts';
import { ProcError } from '../../core/errors.ts';
import { EXIT } from '../../core/exit-codes.ts';
import type { RowFilter, RowsResult } from '../../core/result.ts';
import { nearest } from '../../core/text/nearest.ts';
import { inShell } from '../../core/text/typed.ts';
import type { Pages } from '../../listing/list-pages.ts';
import { isPage } from '../../output/format.ts';
import { select } from '../../output/select.ts';
import { READ_CODES } from '../shared/exit-code-sets.ts';
import { listOrders } from './index.ts';
import { FILTER_FLAGS, orderFilter } from './order-filter.ts';
import { DIMENSIONS, type Dimension, OrderTotals } from './order-totals.ts';
import type { OrdersPage } from './orders-page.ts';

export const summary = command({
  path: ['orders', 'summary'],
  changes: 'nothing',
  prints: 'list',
  page: true,
  summary: 'Total orders by status, currency or month',
  description:
    'Reads all orders. proc adds amounts as exact decimals, never across currencies. Rows are sorted by the dimensions, in the order of --by. --out orders.html writes a page to mail or to print, which also has amounts by month and the largest orders.',
  flags: {
    by: {
      kind: 'string',
      value: 'a,b',
      default: 'status,currency',
      doc: `group by, separated by commas: ${DIMENSIONS.join(', ')}`,
    },
    ...FILTER_FLAGS,
  },
  examples: [
    { run: 'proc orders summary', doc: 'by status and currency' },
    {
      run: 'proc orders summary --by month --status complete --since 2012-01-01',
      doc: 'orders with the status complete, by month',
    },
    {
      run: 'proc orders summary --out orders.html',
      doc: 'a page to mail or to print',
    },
  ],
  exitCodes: [...READ_CODES, EXIT.incomplete],
  endpoints: [listOrders],
  async run(ctx, _args, flags) {
    const by = dimensionsIn(flags.by);
    const totals = new OrderTotals(by);
    const filter = orderFilter(flags, ctx.clock.now(), ctx.io.say);
    const page = isPage(ctx.flags.out)
      ? new (await import('./orders-page.ts')).OrdersPage()
      : undefined;
    const target = await ctx.target();
    const pages = ctx.http().pages(listOrders, { stableSort: 'code' });
    const result = await summed(pages.rows, { totals, filter, page }, ctx);
    const failure = pages.failure();
    if (page === undefined) return { ...result, isCut: pages.isCut, failure };
    const isWhole = failure === undefined;
    const about = { filter: typedFilter(flags), isWhole, now: ctx.clock.now() };
    return { kind: 'text', text: page.page(totals.rows(), target, about), failure };
  },
});

function typedFilter(flags: FlagValues<typeof FILTER_FLAGS>): string {
  return (['status', 'since', 'until'] as const)
    .flatMap((name) => (flags[name] === undefined ? [] : [`--${name} ${inShell(flags[name])}`]))
    .join(' ');
}

interface Summing {
  readonly totals: OrderTotals;
  readonly filter: RowFilter | undefined;
  readonly page: OrdersPage | undefined;
}

async function summed(
  all: Pages['rows'],
  { totals, filter, page }: Summing,
  ctx: Context,
): Promise<RowsResult> {
  const orders = select({ rows: all, filter }, { where: [], fields: undefined });
  for await (const batch of orders.batches) {
    for (const order of batch) {
      totals.add(order);
      page?.add(order);
    }
  }
  orders.report(ctx.io.say);
  const rows = totals.rows();
  const without = rows.reduce((sum, row) => sum + Number(row.withoutAmount), 0);
  if (without > 0)
    ctx.io.say({
      kind: 'warning',
      text: `${without === 1 ? '1 order has no usable amount and counts' : `${without} orders have no usable amount and count`} as 0`,
    });
  const keys = Object.keys(rows[0] ?? {});
  // The amount shows its currency, so only totals by currency alone need the column.
  const isByMore = keys.some((key) => key === 'status' || key === 'month');
  const columns = keys.filter(
    (key) => key !== 'amount' && key !== 'withoutAmount' && !(key === 'currency' && isByMore),
  );
  return {
    kind: 'rows',
    columns: [
      ...columns.map(
        (key) =>
          ({
            key,
            header: key.toUpperCase(),
            kind: key === 'orders' ? 'count' : 'text',
          }) as const,
      ),
      { key: 'amount', header: 'AMOUNT', kind: 'amount' },
    ],
    rows,
    fields: keys,
    empty: 'No orders.',
  };
}

function dimensionsIn(text: string): Dimension[] {
  const words = text.split(',').map((word) => word.trim());
  for (const word of words) {
    if (!(DIMENSIONS as readonly string[]).includes(word)) {
      const near = nearest(word, DIMENSIONS);
      throw new ProcError('invalid_usage', `--by ${text}: cannot group by "${word}"`, {
        hint:
          near === undefined
            ? `Use one or more of: ${DIMENSIONS.join(', ')}`
            : `Did you mean ${near}?`,
      });
    }
  }
  return [...new Set(words as Dimension[])];
}
