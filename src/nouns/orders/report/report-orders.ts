import type { FlagValues } from '../../../core/command-spec.ts';
import type { ReportDocument } from '../../../core/document/document.ts';
import type { Ports } from '../../../core/ports.ts';
import type { Row } from '../../../core/result.ts';
import { inShell } from '../../../core/text/typed.ts';
import { readSnapshot } from '../changes/report-changes.ts';
import type { FILTER_FLAGS } from '../order-filter.ts';
import { OrderFigures } from './order-figures.ts';
import { type OrdersContent, ordersDocument } from './orders-document.ts';

export class OrderReport {
  readonly #figures: OrderFigures;

  constructor(figures: OrderFigures) {
    this.#figures = figures;
  }

  /** Compares all orders with the snapshot, before the filter omits some. Yields them unchanged. */
  async *read(rows: AsyncIterable<readonly Row[]>): AsyncGenerator<readonly Row[]> {
    for await (const batch of rows) {
      for (const order of batch) this.#figures.compare(order);
      yield batch;
    }
  }

  add(order: Row): void {
    this.#figures.add(order);
  }

  async document(
    given: Pick<OrdersContent, 'totals' | 'by' | 'limit' | 'isWhole'>,
    filter: Partial<FlagValues<typeof FILTER_FLAGS>>,
    ports: Ports<'io' | 'api' | 'self'>,
  ): Promise<ReportDocument> {
    const { baseUrl, profile, environment } = await ports.api.target();
    const typed = (['status', 'since', 'until'] as const).flatMap((flag) => {
      const value = filter[flag];
      return value === undefined ? [] : [`--${flag} ${inShell(value)}`];
    });
    return ordersDocument({
      ...given,
      figures: this.#figures,
      now: ports.self.clock.now(),
      baseUrl,
      profile,
      environment,
      filter: typed.join(' '),
    });
  }
}

export async function openReport(
  changesSince: string | undefined,
  ports: Ports<'io' | 'store' | 'self'>,
): Promise<OrderReport> {
  const before =
    changesSince === undefined
      ? undefined
      : await readSnapshot(changesSince, '--changes-since', ports);
  return new OrderReport(new OrderFigures(before));
}
