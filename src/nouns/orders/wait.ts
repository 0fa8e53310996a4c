import { type Context, command } from '../../context.ts';
import { documentedFields } from '../../core/endpoint.ts';
import { EXIT, isSignalled, ProcError, READ_CODES } from '../../core/errors.ts';
import { textOf } from '../../core/numbers.ts';
import type { RecordResult, Row, RowsResult } from '../../core/result.ts';
import { elapsedText } from '../../core/time.ts';
import { type Condition, matches, parseWhere, refuseUnknown } from '../../output/select.ts';
import { lookUp, recordName, rowsMeant } from '../shared/references.ts';
import { listOrders, ORDER_COLUMNS } from './index.ts';

export const wait = command({
  path: ['orders', 'wait'],
  changes: 'nothing',
  prints: 'list',
  summary: 'Wait until orders meet conditions',
  description:
    'Reads the orders again and again until all of them meet every --for; with --any, until one does. If a read fails, proc reads again. After --within, proc prints the orders as it last read them and exits 7 (timed_out).',
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
  run: (ctx, args, flags) => waitForOrders(ctx, args.order, flags),
});

const EVERY_MS = 10_000;
const WITHIN_MS = 600_000;

interface WaitFlags {
  readonly for: readonly string[];
  readonly within: number | undefined;
  readonly every: number | undefined;
  readonly any: boolean;
}

async function waitForOrders(
  ctx: Context,
  refs: readonly string[],
  flags: WaitFlags,
): Promise<RecordResult | RowsResult> {
  const conditions = conditionsIn(flags.for);
  const { clock, io, signal } = ctx;
  const { within = WITHIN_MS, every = EVERY_MS } = flags;
  const end = clock.monotonic() + within;
  const isMet = (order: Row) => matches(order, conditions);
  let orders: readonly Row[] = [];
  let problem: ProcError | undefined;
  for (;;) {
    const isFirst = orders.length === 0;
    try {
      orders = isFirst ? await firstRead(refs, ctx) : await readAgain(orders, ctx);
      problem = undefined;
    } catch (thrown) {
      // E.g. a timeout may be temporary.
      if (!(thrown instanceof ProcError) || isSignalled(thrown)) throw thrown;
      if (thrown.exitCode !== EXIT.unreachable) throw thrown;
      const text = `${thrown.message}; proc reads again`;
      if (problem?.message !== thrown.message) io.say({ kind: 'warning', text });
      problem = thrown;
    }
    const met = orders.filter(isMet).length;
    if (problem === undefined) {
      // A field that the contract has may appear later.
      if (isFirst)
        refuseUnknown(
          '--for',
          conditions.map(({ field }) => field),
          orders,
          { fields: documentedFields(listOrders) },
        );
      if (met === orders.length || (flags.any && met > 0)) break;
      const state =
        orders.length === 1
          ? `${recordName(orders[0]!)}: ${stateOf(orders[0]!, clock.now())}`
          : `${met} of ${orders.length} orders ${met === 1 ? 'meets' : 'meet'} the conditions`;
      const text = `${state}; next look in ${elapsedText(every / 1_000)}`;
      io.say({ kind: 'progress', text, data: { met, orders: orders.length } });
    }
    const left = end - clock.monotonic();
    if (left <= 0) {
      const failure = timedOut(flags, { met, orders: orders.length, within, problem });
      if (orders.length === 0) throw failure;
      return resultOf(refs.length === 1, orders, isMet, failure);
    }
    await clock.sleep(Math.min(every, left), signal);
  }
  return resultOf(refs.length === 1, orders, isMet);
}

async function firstRead(refs: readonly string[], ctx: Context): Promise<readonly Row[]> {
  const means = await rowsMeant(ctx, listOrders, refs);
  return [...new Map(refs.map((ref) => [textOf(means(ref).id), means(ref)])).values()];
}

/**
 * Looks up orders by code, which takes few requests, and those that have none, or whose code has moved, by id. An
 * order that is no longer found stays as it was last read.
 */
async function readAgain(orders: readonly Row[], ctx: Context): Promise<readonly Row[]> {
  const now = new Map<Row, Row>();
  for (const field of ['code', 'id']) {
    const refOf = (order: Row) => `${field}=${textOf(order[field])}`;
    const open = orders.filter((order) => !now.has(order) && textOf(order[field]));
    const options = { needsFields: true, isRead: true };
    const means = await lookUp(listOrders, open.map(refOf), ctx.http(), options);
    for (const order of open) {
      const found = means(refOf(order));
      if (!(found instanceof ProcError)) {
        if (textOf(found.id) === textOf(order.id)) now.set(order, found);
      } else if (found.exitCode === EXIT.unreachable) throw found;
    }
  }
  return orders.map((order) => now.get(order) ?? order);
}

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
  const fields = documentedFields(listOrders);
  if (isOne) return { kind: 'record', columns: ORDER_COLUMNS, fields, value: orders[0]!, failure };
  return {
    kind: 'rows',
    columns: [...ORDER_COLUMNS, { key: 'met', header: 'MET', priority: 4 }],
    fields,
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

interface Waited {
  readonly met: number;
  readonly orders: number;
  readonly within: number;
  readonly problem: ProcError | undefined;
}

function timedOut(flags: WaitFlags, { met, orders, within, problem }: Waited): ProcError {
  const conditions = flags.for.join(' and ');
  const found =
    orders === 0
      ? 'the orders could not be read'
      : orders === 1
        ? `the order does not meet ${conditions}`
        : `${met} of ${orders} orders ${met === 1 ? 'meets' : 'meet'} ${conditions}`;
  const last = problem === undefined ? '' : `; the last read failed: ${problem.message}`;
  return new ProcError('timed_out', `${found} after ${elapsedText(within / 1_000)}${last}`, {
    hint: 'Wait longer: --within 1h',
    details: { met, orders, lastFailure: problem?.code },
  });
}
