import { type Context, command } from '../../context.ts';
import type { FlagValues } from '../../core/command-spec.ts';
import { EXIT, READ_CODES } from '../../core/errors.ts';
import type { RowsResult, TextResult } from '../../core/result.ts';
import { inShell } from '../../core/wording.ts';
import { isPage } from '../../output/format.ts';
import { select } from '../../output/select.ts';
import { FILTER_FLAGS, listOrders } from './index.ts';
import { orderFilter } from './order-filter.ts';
import { type Dimension, OrderTotals } from './order-totals.ts';

const DIMENSIONS = { status: 'its status', currency: 'its currency', month: 'when it was created' };

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
      kind: 'strings',
      value: 'a,b',
      choices: DIMENSIONS,
      defaultText: 'status,currency',
      doc: 'group by these, separated by commas',
    },
    ...FILTER_FLAGS,
  },
  examples: [
    { run: 'proc orders summary', doc: 'by status and currency' },
    {
      run: 'proc orders summary --by month --status complete --since 365d',
      doc: 'orders with the status complete, by month',
    },
    {
      run: 'proc orders summary --out orders.html',
      doc: 'a page to mail or to print',
    },
  ],
  exitCodes: [...READ_CODES, EXIT.incomplete],
  endpoints: [listOrders],
  run: (ctx, _args, flags) => sumOrders(ctx, flags),
});

interface SummaryFlags extends FlagValues<typeof FILTER_FLAGS> {
  readonly by: readonly Dimension[];
}

async function sumOrders(ctx: Context, flags: SummaryFlags): Promise<RowsResult | TextResult> {
  const totals = new OrderTotals(flags.by.length === 0 ? ['status', 'currency'] : flags.by);
  const filter = orderFilter(flags, ctx.clock.now(), ctx.io.say);
  const page = isPage(ctx.flags.out)
    ? new (await import('./orders-page.ts')).OrdersPage()
    : undefined;
  const target = await ctx.target();
  const pages = ctx.http().pages(listOrders, { stableSort: 'code' });
  const orders = select({ rows: pages.rows, filter }, { where: [], fields: undefined });
  for await (const batch of orders.batches) {
    for (const order of batch) {
      totals.add(order);
      page?.add(order);
    }
  }
  orders.report(ctx.io.say);
  const rows = totals.rows();
  const without = rows.reduce((sum, row) => sum + Number(row.withoutAmount), 0);
  const lacking = without === 1 ? '1 order has' : `${without} orders have`;
  const text = `${lacking} no usable amount and count${without === 1 ? 's' : ''} as 0`;
  if (without > 0) ctx.io.say({ kind: 'warning', text });
  const keys = Object.keys(rows[0] ?? {});
  // The amount shows its currency, so only totals by currency alone need the column.
  const isByMore = keys.some((key) => key === 'status' || key === 'month');
  const columns = keys.filter(
    (key) => key !== 'amount' && key !== 'withoutAmount' && !(key === 'currency' && isByMore),
  );
  const failure = pages.failure();
  if (page !== undefined) {
    const isWhole = failure === undefined;
    const about = { filter: typedFilter(flags), isWhole, now: ctx.clock.now() };
    return { kind: 'text', text: page.page(rows, target, about), failure };
  }
  return {
    kind: 'rows',
    columns: [...columns, 'amount'].map((key) => ({
      ...{ key, header: key.toUpperCase() },
      kind: key === 'orders' ? 'count' : key === 'amount' ? 'amount' : 'text',
    })),
    rows,
    fields: keys,
    isCut: pages.isCut,
    failure,
    empty: 'No orders.',
  };
}

function typedFilter(flags: FlagValues<typeof FILTER_FLAGS>): string {
  return (['status', 'since', 'until'] as const)
    .flatMap((name) => (flags[name] === undefined ? [] : [`--${name} ${inShell(flags[name])}`]))
    .join(' ');
}
