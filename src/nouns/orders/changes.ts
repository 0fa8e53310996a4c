import { newName } from '../../config/config-file.ts';
import { type Context, command } from '../../context.ts';
import { EXIT, ProcError, READ_CODES } from '../../core/errors.ts';
import { compareDecimals, isDecimal, rawNumber } from '../../core/numbers.ts';
import type { Column, Row, RowsResult } from '../../core/result.ts';
import { inShell } from '../../core/wording.ts';
import { listOrders } from './index.ts';
import {
  COMPARED,
  type KeptOrder,
  keptOrder,
  keyOf,
  type Snapshot,
  savedSnapshot,
  saveSnapshot,
  snapshotIn,
} from './snapshots.ts';

export const changes = command({
  path: ['orders', 'changes'],
  changes: 'local',
  prints: 'list',
  summary: 'Show new and changed orders since a snapshot',
  description:
    'Reads all orders and compares status, amount and currency with those of a snapshot. If the list may be incomplete, proc reports no order as gone.',
  flags: {
    since: {
      kind: 'string',
      value: 'name|file',
      doc: 'compare with this snapshot, or with a file of orders',
    },
    save: { kind: 'string', value: 'name', doc: 'save the orders as a snapshot afterwards' },
    exitCode: { kind: 'boolean', doc: 'exit 8 if anything changed' },
  },
  examples: [
    { run: 'proc orders changes --since daily --save daily', doc: 'for a daily mail' },
    {
      run: 'proc orders changes --since examples/orders-last-week.csv',
      doc: 'since an export of last week',
    },
  ],
  exitCodes: [...READ_CODES, EXIT.someRejected, EXIT.incomplete],
  endpoints: [listOrders],
  run: (ctx, _args, flags) => reportChanges(flags, ctx),
});

const COLUMNS: readonly Column[] = [
  { key: 'change', header: 'CHANGE', priority: 4 },
  { key: 'code', header: 'CODE', priority: 4 },
  { key: 'title', header: 'TITLE' },
  { key: 'previousStatus', header: 'WAS', priority: 2 },
  { key: 'status', header: 'STATUS', priority: 3 },
  { key: 'previousAmount', header: 'WAS', kind: 'number', priority: 2 },
  { key: 'amount', header: 'AMOUNT', kind: 'amount', priority: 3 },
  { key: 'id', header: 'ID', priority: 0 },
];
const FIELDS = [
  ...['change', 'id', 'code', 'title', 'status', 'previousStatus'],
  ...['amount', 'previousAmount', 'currency', 'previousCurrency'],
];

interface ChangesFlags {
  readonly since: string | undefined;
  readonly save: string | undefined;
  readonly exitCode: boolean;
}

async function reportChanges(
  { since, save, exitCode }: ChangesFlags,
  ctx: Context,
): Promise<RowsResult> {
  if (since === undefined && save === undefined) {
    throw new ProcError('invalid_usage', 'there is nothing to compare the orders with', {
      hint: 'Save them first: proc orders changes --save daily. Then compare: proc orders changes --since daily',
    });
  }
  const { say } = ctx.io;
  const saveAs = save === undefined ? undefined : newName(save, 'snapshot', '--save');
  const before = since === undefined ? undefined : await snapshotOf(since, saveAs, ctx);
  const pages = ctx.http().pages(listOrders, { stableSort: 'code' });
  const now: KeptOrder[] = [];
  for await (const batch of pages.rows) now.push(...batch.map(keptOrder));
  const failure = pages.failure();
  // Unless the end of the list was verified, no order counts as gone.
  const rows = before === undefined ? [] : changesIn(now, before, failure === undefined);
  const orders = now.length === 1 ? '1 order' : `${now.length} orders`;
  if (before !== undefined) {
    const count = (kind: string) => rows.filter(({ change }) => change === kind).length;
    const gone = failure === undefined ? `, ${count('gone')} gone` : '';
    const text = `${orders}, compared with ${before.name}: ${count('new')} new, ${count('changed')} changed${gone}`;
    say({ kind: 'notice', text });
  }
  const store = saveAs === undefined ? undefined : await saveSnapshot(saveAs, now, ctx);
  return {
    ...{ kind: 'rows', columns: COLUMNS, fields: FIELDS, rows },
    empty: before === undefined ? 'Nothing to compare with yet.' : 'No changes.',
    ...{ isCut: pages.isCut, failure },
    reportedExit: exitCode && rows.length > 0 ? EXIT.someRejected : EXIT.done,
    afterDelivery(isDelivered) {
      if (store === undefined) return;
      if (isDelivered && failure === undefined) {
        store();
        say({ kind: 'notice', tone: 'done', text: `Saved ${orders} as "${saveAs}".` });
        return;
      }
      const why =
        failure === undefined
          ? 'the output was not delivered. The next run reports the same changes'
          : 'the list of orders may be incomplete';
      say({ kind: 'warning', text: `the snapshot "${saveAs}" was not saved, because ${why}` });
    },
  };
}

async function snapshotOf(
  since: string,
  saveAs: string | undefined,
  ctx: Context,
): Promise<Snapshot | undefined> {
  if (since === '-' || /[/\\]|\.(json|ndjson|csv|tsv|xlsx)$/i.test(since))
    return snapshotIn(since, ctx);
  const name = newName(since, 'snapshot', '--since');
  const found = await savedSnapshot(name, ctx);
  // A daily job runs `--since NAME --save NAME`. On its first day, there is no snapshot to compare with.
  if (found !== undefined || name === saveAs) return found;
  throw new ProcError('reference_not_found', `there is no snapshot "${name}"`, {
    hint: `Save one: proc orders changes --save ${inShell(name)}. Or name a file that proc orders list --all --out FILE wrote`,
  });
}

function changesIn(now: readonly KeptOrder[], { orders }: Snapshot, isWhole: boolean): Row[] {
  const gone = new Map(orders);
  const added: Row[] = [];
  const changed: Row[] = [];
  for (const order of now) {
    const key = keyOf(order);
    if (key === undefined) continue;
    const before = orders.get(key);
    gone.delete(key);
    if (before === undefined) added.push(rowOf('new', order));
    else if (COMPARED.some((field) => !isSame(before[field], order[field])))
      changed.push(rowOf('changed', order, before));
  }
  return [
    ...added,
    ...changed,
    ...(isWhole ? [...gone.values()].map((one) => rowOf('gone', one)) : []),
  ];
}

/** 12.5 equals 12.50: a spreadsheet may have removed the last zero. */
function isSame(a: string | null, b: string | null): boolean {
  if (a === null || b === null || !isDecimal(a) || !isDecimal(b)) return a === b;
  return compareDecimals(a, b) === 0;
}

function rowOf(change: 'new' | 'changed' | 'gone', order: KeptOrder, before = order): Row {
  const { id, code, title, status, amount, currency } = order;
  const was = (field: (typeof COMPARED)[number]) =>
    isSame(before[field], order[field]) ? null : before[field];
  return {
    ...{ change, id, code, title, status, previousStatus: was('status') },
    ...{ amount: numberOf(amount), previousAmount: numberOf(was('amount')) },
    ...{ currency, previousCurrency: was('currency') },
  };
}

function numberOf(amount: string | null): unknown {
  return amount !== null && /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(amount)
    ? rawNumber(amount)
    : amount;
}
