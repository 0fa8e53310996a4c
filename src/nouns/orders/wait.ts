import { command } from '../../command.ts';
import type { Context } from '../../context.ts';
import { isSignalled, ProcError } from '../../core/errors.ts';
import type { RecordResult, Row, RowsResult } from '../../core/result.ts';
import { nearest } from '../../core/text/nearest.ts';
import { durationText } from '../../core/time/duration.ts';
import { fieldNames } from '../../output/field-path.ts';
import { type Condition, matches, parseWhere } from '../../output/select.ts';
import { READ_CODES } from '../shared/exit-code-sets.ts';
import { recordName } from '../shared/references/record-name.ts';
import { listOrders, ORDER_COLUMNS } from './index.ts';
import type { OrderWatch } from './order-watch.ts';

const EVERY_MS = 10_000;
const WITHIN_MS = 600_000;

export const wait = command({
  path: ['orders', 'wait'],
  changes: 'nothing',
  prints: 'list',
  summary: 'Wait until orders meet conditions',
  description:
    'Reads the orders again and again until all of them meet every --for; with --any, until one does. If a read fails, proc reads again. After --within, proc prints the orders as it last read them and exits 7 (wait_timed_out).',
  args: {
    order: { doc: 'codes or ids of orders', variadic: true, from: 'proc orders list' },
  },
  flags: {
    for: {
      kind: 'strings',
      value: 'condition',
      doc: 'wait until this is true, e.g. status=complete; operators as in --where',
    },
    within: { kind: 'duration', value: 'time', defaultText: '10m', doc: 'give up after this time' },
    every: { kind: 'duration', value: 'time', defaultText: '10s', doc: 'time between two reads' },
    any: { kind: 'boolean', doc: 'end as soon as one of the orders meets the conditions' },
  },
  examples: [
    {
      run: 'proc orders wait PO-00042 --for status=complete --within 10m',
      doc: 'until the order is complete, at most 10 minutes',
    },
    {
      run: 'proc orders wait PO-00042 PO-00043 --for status=complete --any --every 30s',
      doc: 'until one of two orders is complete, reading every 30 seconds',
    },
  ],
  exitCodes: READ_CODES,
  endpoints: [listOrders],
  async run(ctx, args, flags) {
    const conditions = conditionsIn(flags.for);
    const { clock, signal } = ctx;
    const withinMs = flags.within ?? WITHIN_MS;
    const everyMs = flags.every ?? EVERY_MS;
    const end = clock.monotonic() + withinMs;
    const isOne = args.order.length === 1;
    const { OrderWatch } = await import('./order-watch.ts');
    const watch = new OrderWatch(ctx, args.order);
    const isMet = (order: Row) => matches(order, conditions);
    for (let isFirst = true; ; ) {
      if (await watch.read()) {
        if (isFirst) refuseUnknownFields(conditions, watch.orders);
        const met = watch.orders.filter(isMet).length;
        if (met === watch.orders.length || (flags.any && met > 0)) break;
        if (isFirst) await warnOfUnknownStatus(conditions, ctx);
        isFirst = false;
        const [order] = watch.orders as readonly [Row];
        const next = `next look in ${durationText(everyMs)}`;
        const text =
          watch.orders.length === 1
            ? `${recordName(order)}: ${stateOf(order, clock.now())}; ${next}`
            : `${met} of ${watch.orders.length} orders ${met === 1 ? 'meets' : 'meet'} the conditions; ${next}`;
        ctx.io.say({ kind: 'progress', text, data: { met, orders: watch.orders.length } });
      }
      const left = end - clock.monotonic();
      if (left <= 0) {
        const met = watch.orders.filter(isMet).length;
        const failure = timedOut(flags, { met, limit: durationText(withinMs), watch });
        if (watch.orders.length === 0) throw failure;
        return resultOf(isOne, watch.orders, isMet, failure);
      }
      await clock.sleep(Math.min(everyMs, left), signal);
    }
    return resultOf(isOne, watch.orders, isMet);
  },
});

/** `pending since 2026-01-31`: since the last change that the order tells. */
function stateOf({ status, updatedAt, createdAt }: Row, now: number): string {
  const at = Date.parse(String(updatedAt ?? createdAt));
  const since =
    Number.isNaN(at) || at > now ? '' : ` since ${new Date(at).toISOString().slice(0, 10)}`;
  return `${typeof status === 'string' ? status : 'no status'}${since}`;
}

function resultOf(
  isOne: boolean,
  orders: readonly Row[],
  isMet: (order: Row) => boolean,
  failure?: ProcError,
): RecordResult | RowsResult {
  if (isOne) return { kind: 'record', columns: ORDER_COLUMNS, value: orders[0]!, failure };
  return {
    kind: 'rows',
    columns: [...ORDER_COLUMNS, { key: 'met', header: 'MET', priority: 4 }],
    rows: orders.map((order) => ({ ...order, met: isMet(order) })),
    empty: 'No orders.',
    failure,
  };
}

function conditionsIn(texts: readonly string[]): readonly Condition[] {
  if (texts.length > 0) return parseWhere(texts, '--for');
  throw new ProcError('invalid_usage', '--for is missing: the condition to wait for', {
    hint: 'Add one, e.g. --for status=complete',
  });
}

const KNOWN = Object.keys(listOrders.response.schema.shape);

/**
 * Refuses misspelt fields, because waiting for them would be pointless. A field of the contract is
 * accepted even if all orders lack it now, because it may appear later.
 */
function refuseUnknownFields(conditions: readonly Condition[], orders: readonly Row[]): void {
  const fields = [...new Set([...KNOWN, ...fieldNames(orders)])];
  const unknown = conditions.find(({ field }) => !fields.includes(field.split('.')[0]!));
  if (unknown === undefined) return;
  const near = nearest(unknown.field, fields);
  throw new ProcError('invalid_usage', `--for: orders have no field "${unknown.field}"`, {
    hint: near === undefined ? `Fields: ${fields.join(', ')}` : `Did you mean ${near}?`,
  });
}

/** Statuses are looked for in so many rows: an order of each status is usually on the first page. */
const MOST_READ = 10_000;

/** A misspelt status is waited for in vain, so a status that no order has now is said at once. */
async function warnOfUnknownStatus(conditions: readonly Condition[], ctx: Context): Promise<void> {
  const wanted = conditions.flatMap(({ field, operator, value }) =>
    field === 'status' && operator === '=' ? [value] : [],
  );
  const open = new Set(wanted);
  const seen = new Set<string>();
  if (open.size === 0) return;
  let count = 0;
  try {
    for await (const orders of ctx.http().pages(listOrders, { stableSort: 'code' }).rows) {
      for (const { status } of orders) {
        if (typeof status !== 'string') continue;
        seen.add(status);
        open.delete(status);
      }
      count += orders.length;
      if (open.size === 0) return;
      if (count >= MOST_READ) break;
    }
  } catch (thrown) {
    // The statuses are only a help. The next read of the orders reports the problem.
    if (!(thrown instanceof ProcError) || isSignalled(thrown)) throw thrown;
    return;
  }
  const all = count >= MOST_READ ? `of the first ${count} orders` : `of ${count} orders`;
  for (const status of open) {
    const near = nearest(status, seen);
    const more =
      near === undefined ? `; there are: ${[...seen].join(', ')}` : `; did you mean ${near}?`;
    const text = `--for: none ${all} has the status ${JSON.stringify(status)} now${more}`;
    ctx.io.say({ kind: 'warning', text });
  }
}

function timedOut(
  flags: { readonly for: readonly string[]; readonly any: boolean },
  { met, limit, watch }: { met: number; limit: string; watch: OrderWatch },
): ProcError {
  const { orders, problem } = watch;
  const conditions = flags.for.join(' and ');
  const which =
    orders.length < 2
      ? `the order does not meet ${conditions}`
      : flags.any
        ? `none of ${orders.length} orders meets ${conditions}`
        : `${orders.length - met} of ${orders.length} orders ${orders.length - met === 1 ? 'does' : 'do'} not meet ${conditions}`;
  const found = orders.length === 0 ? 'the orders could not be read' : which;
  const last = problem === undefined ? '' : `; the last read failed: ${problem.message}`;
  return new ProcError('timed_out', `${found} after ${limit}${last}`, {
    hint: 'Wait longer: --within 1h',
    details: { met, orders: orders.length, lastFailure: problem?.code },
  });
}
