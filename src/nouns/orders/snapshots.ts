import { statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Context } from '../../context.ts';
import { cannotUse, ProcError } from '../../core/errors.ts';
import { momentText } from '../../core/moment.ts';
import { numberText } from '../../core/numbers.ts';
import type { Row } from '../../core/result.ts';
import { sentence } from '../../core/row-problem.ts';
import { nodeModule } from '../../core/system.ts';
import { placeOf } from '../../import/report/words.ts';
import { openSource } from '../../import/source/open-source.ts';
import { makeFolder, stateDir } from '../../store/folder.ts';
import { PRIVATE, writeWholeFile } from '../../store/whole-file.ts';

export const COMPARED = ['status', 'amount', 'currency'] as const;
const KEPT = ['id', 'code', 'title', ...COMPARED] as const;

/** Amounts are text, so that no digit is lost. */
export type KeptOrder = Readonly<Record<(typeof KEPT)[number], string | null>>;

export interface Snapshot {
  /** `the snapshot "daily" of 2026-11-21 08:00 +00:00`, or the name of a file. */
  readonly name: string;
  readonly orders: ReadonlyMap<string, KeptOrder>;
}

export function keptOrder(order: Row): KeptOrder {
  return Object.fromEntries(KEPT.map((field) => [field, text(order[field])])) as KeptOrder;
}

function text(value: unknown): string | null {
  if (value === undefined || value === null || value === '') return null;
  return numberText(value) ?? (typeof value === 'string' ? value : JSON.stringify(value));
}

/** Undefined if an order has neither an id nor a code. */
export function keyOf({ id, code }: KeptOrder): string | undefined {
  if (id !== null) return `i${id}`;
  return code === null ? undefined : `c${code}`;
}

/** Without one of these fields, unchanged orders would look new, gone or changed. */
const NEEDED = ['id', ...COMPARED];

/** @throws ProcError `invalid_input` if the file cannot be read, or lacks what the comparison needs */
export async function snapshotIn(file: string, ctx: Context): Promise<Snapshot> {
  const { stdin } = ctx.io.streams;
  const source = await openSource({ file, cwd: ctx.cwd, stdin, spoolFolder: tmpdir(), flags: {} });
  const { name } = source;
  const has = new Set(source.columns);
  const orders = new Map<string, KeptOrder>();
  for await (const batch of source.records()) {
    for (const { row, line, fields, problem } of batch) {
      const place = `${name}, ${placeOf(row, line)}`;
      if (fields === undefined)
        throw unusable(
          `${place}: ${problem === undefined ? 'it cannot be read' : sentence(problem)}`,
        );
      // For JSON, `columns` has only the fields of the first records.
      for (const field of Object.keys(fields)) has.add(field);
      const order = keptOrder(fields);
      const key = keyOf(order);
      if (key === undefined) throw unusable(`${place}: the order has no id`);
      if (orders.has(key)) throw unusable(`${place}: the order ${order.id} is there twice`);
      orders.set(key, order);
    }
  }
  const missing = NEEDED.filter((field) => !has.has(field));
  if (missing.length > 0) {
    const named = missing.map((one) => `"${one}"`).join(', no ');
    throw unusable(`${name} cannot be compared with the orders: it has no ${named}`);
  }
  return { name, orders };
}

function unusable(message: string): ProcError {
  return new ProcError('invalid_input', message, {
    hint: `Use a file that proc orders list --all --out FILE wrote: the comparison needs ${NEEDED.join(', ')}`,
  });
}

/** @returns the file of a snapshot, as JSON, in a folder of the service and organization */
async function fileOf(name: string, ctx: Context): Promise<string> {
  const { hash } = nodeModule('node:crypto');
  const { service, organization } = await ctx.scope();
  const owner = hash('sha256', JSON.stringify([service, organization]), 'hex');
  return join(stateDir(ctx.env), 'snapshots', `orders-${owner.slice(0, 16)}`, `${name}.json`);
}

/** @returns undefined if no snapshot has this name */
export async function savedSnapshot(name: string, ctx: Context): Promise<Snapshot | undefined> {
  const path = await fileOf(name, ctx);
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  const { orders } = stats.size < EMPTY ? { orders: new Map() } : await snapshotIn(path, ctx);
  return { name: `the snapshot "${name}" of ${momentText(stats.mtimeMs)}`, orders };
}

/** The brackets and line breaks of a file without orders. */
const EMPTY = 6;

/** @throws ProcError `state_unwritable` */
export async function saveSnapshot(
  name: string,
  orders: readonly KeptOrder[],
  ctx: Context,
): Promise<() => void> {
  const path = await fileOf(name, ctx);
  return () => {
    makeFolder(join(path, '..'));
    try {
      writeWholeFile(path, pieces(orders), PRIVATE);
    } catch (thrown) {
      throw cannotUse(path, thrown);
    }
  };
}

/** One order at a time, so that the whole text is never in memory. */
function* pieces(orders: readonly KeptOrder[]): Generator<string> {
  for (const [at, order] of orders.entries())
    yield `${at === 0 ? '[\n' : ',\n'}${JSON.stringify(order)}`;
  yield orders.length === 0 ? '[]\n' : '\n]\n';
}
