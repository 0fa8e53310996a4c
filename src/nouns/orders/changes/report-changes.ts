import type { Context } from '../../../context.ts';
import { ProcError } from '../../../core/errors.ts';
import { EXIT } from '../../../core/exit-codes.ts';
import type { Column, Result, RowsResult } from '../../../core/result.ts';
import { inShell } from '../../../core/text/typed.ts';
import type { Pages } from '../../../listing/list-pages.ts';
import { listOrders } from '../index.ts';
import { OrderComparison } from './compare-orders.ts';
import { type Snapshot, snapshotText } from './snapshot.ts';
import { snapshotIn } from './snapshot-file.ts';
import { SnapshotStore, snapshotName } from './snapshot-store.ts';

export interface ChangesFlags {
  readonly since: string | undefined;
  readonly save: string | undefined;
  readonly exitCode: boolean;
}

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
  'change',
  'id',
  'code',
  'title',
  'status',
  'previousStatus',
  'amount',
  'previousAmount',
  'currency',
  'previousCurrency',
];

export interface ChangesRequest {
  readonly store: SnapshotStore;
  readonly before: Snapshot | undefined;
  readonly saveAs: string | undefined;
  readonly exitCode: boolean;
}

export async function readRequest(
  { since, save, exitCode }: ChangesFlags,
  ctx: Context,
): Promise<ChangesRequest> {
  if (since === undefined && save === undefined) {
    throw new ProcError('invalid_usage', 'there is nothing to compare the orders with', {
      hint: 'Save them first: proc orders changes --save daily. Then compare: proc orders changes --since daily',
    });
  }
  const store = new SnapshotStore(ctx.env, await ctx.scope());
  const saveAs = save === undefined ? undefined : snapshotName(save, '--save');
  const before = since === undefined ? undefined : await snapshotOf(since, { store, saveAs }, ctx);
  return { store, before, saveAs, exitCode };
}

interface SnapshotPlace {
  readonly store: SnapshotStore;
  readonly saveAs: string | undefined;
}

async function snapshotOf(
  since: string,
  { store, saveAs }: SnapshotPlace,
  ctx: Context,
): Promise<Snapshot | undefined> {
  if (isFile(since)) return snapshotIn(since, ctx);
  const name = snapshotName(since, '--since');
  const found = store.find(name);
  // A daily job runs `--since NAME --save NAME`. On its first day, there is no snapshot to compare with.
  if (found !== undefined || name === saveAs) return found;
  throw new ProcError('reference_not_found', `there is no snapshot "${name}"`, {
    hint: `Save one: proc orders changes --save ${inShell(name)}. Or name a file that proc orders list --all --out FILE wrote`,
  });
}

function isFile(text: string): boolean {
  return text === '-' || /[/\\]|\.(json|ndjson|csv|tsv|xlsx)(\.gz)?$/i.test(text);
}

export function reportChanges(request: ChangesRequest, ctx: Context): Promise<Result> {
  return changesOf(ctx.http().pages(listOrders, { stableSort: 'code' }), request, ctx);
}

async function changesOf(
  pages: Pages,
  { store, before, saveAs, exitCode }: ChangesRequest,
  { io: { say }, clock }: Context,
): Promise<RowsResult> {
  const comparison = new OrderComparison(before);
  for await (const batch of pages.rows) for (const order of batch) comparison.add(order);
  const failure = pages.failure();
  const isWhole = failure === undefined;
  const { rows, counts } = comparison.changes(isWhole);
  const orders = counts.orders === 1 ? '1 order' : `${counts.orders} orders`;
  if (before !== undefined) {
    const gone = isWhole ? `, ${counts.gone} gone` : '';
    say({
      kind: 'notice',
      text: `${orders}, compared with ${snapshotText(before)}: ${counts.new} new, ${counts.changed} changed${gone}`,
    });
  }
  const save = (name: string) => (isDelivered: boolean) => {
    if (!isWhole || !isDelivered) {
      const why = isWhole
        ? 'the output was not delivered. The next run reports the same changes'
        : 'the list of orders may be incomplete';
      say({ kind: 'warning', text: `the snapshot "${name}" was not saved, because ${why}` });
      return;
    }
    store.save(name, comparison.now, new Date(clock.now()));
    say({ kind: 'notice', tone: 'done', text: `Saved ${orders} as "${name}".` });
  };
  const isChanged = before !== undefined && rows.length > 0;
  return {
    kind: 'rows',
    columns: COLUMNS,
    fields: FIELDS,
    rows: before === undefined ? [] : rows,
    empty: before === undefined ? 'Nothing to compare with yet.' : 'No changes.',
    isCut: pages.isCut,
    failure,
    reportedExit: exitCode && isChanged ? EXIT.someRejected : EXIT.done,
    ...(saveAs !== undefined ? { afterDelivery: save(saveAs) } : {}),
  };
}
