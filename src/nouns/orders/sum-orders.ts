import type { Context } from '../../context.ts';
import type { FlagValues } from '../../core/command-spec.ts';
import type { RowsResult, TextResult } from '../../core/result.ts';
import { inShell } from '../../core/text/typed.ts';
import { isPage } from '../../output/format.ts';
import { select } from '../../output/select.ts';
import { listOrders } from './index.ts';
import { type FILTER_FLAGS, orderFilter } from './order-filter.ts';
import { type Dimension, OrderTotals } from './order-totals.ts';
import { OrdersPage } from './orders-page.ts';

interface SummaryFlags extends FlagValues<typeof FILTER_FLAGS> {
  readonly by: readonly Dimension[];
}

export async function sumOrders(
  ctx: Context,
  flags: SummaryFlags,
): Promise<RowsResult | TextResult> {
  const totals = new OrderTotals(flags.by.length === 0 ? ['status', 'currency'] : flags.by);
  const filter = orderFilter(flags, ctx.clock.now(), ctx.io.say);
  const page = isPage(ctx.flags.out) ? new OrdersPage() : undefined;
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
  const failure = pages.failure();
  if (page !== undefined) {
    const isWhole = failure === undefined;
    const about = { filter: typedFilter(flags), isWhole, now: ctx.clock.now() };
    return { kind: 'text', text: page.page(rows, target, about), failure };
  }
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
