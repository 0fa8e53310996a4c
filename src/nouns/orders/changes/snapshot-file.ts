import { tmpdir } from 'node:os';
import type { Context } from '../../../context.ts';
import { ProcError } from '../../../core/errors.ts';
import type { Row } from '../../../core/result.ts';
import { sentence } from '../../../core/row-problem.ts';
import { placeOf } from '../../../import/report/words.ts';
import { openSource } from '../../../import/source/open-source.ts';
import { COMPARED } from './compare-orders.ts';
import { type KeptOrder, keptOrder, type Snapshot } from './snapshot.ts';

/** Without one of these fields, unchanged orders would look new, gone or changed. */
const NEEDED = ['id', ...COMPARED];

/** @throws ProcError `invalid_input` if the file cannot be read, or lacks what the comparison needs */
export async function snapshotIn(file: string, ctx: Context): Promise<Snapshot> {
  const { name, columns, rows } = await readTable(file, ctx);
  // For JSON, `columns` has only the fields of the first records.
  const has = (field: string) =>
    columns.includes(field) || rows.some(({ fields }) => Object.hasOwn(fields, field));
  const missing = NEEDED.filter((field) => !has(field));
  if (missing.length > 0) {
    const without = rows.length === 0 && columns.length === 0;
    throw unusable(
      without
        ? `${name} has no orders and no header, so proc cannot tell whether it is a list of orders`
        : `${name} cannot be compared with the orders: it has no ${missing.map((one) => `"${one}"`).join(', no ')}`,
    );
  }
  const places = new Map<string, string>();
  const orders = rows.map(({ place, fields }): KeptOrder => {
    const order = keptOrder(fields);
    if (order.id === null) throw unusable(`${name}, ${place}: the order has no id`);
    const earlier = places.get(order.id);
    if (earlier !== undefined) {
      throw unusable(`${name}, ${place}: the order ${order.id} is also in ${earlier}`);
    }
    places.set(order.id, place);
    return order;
  });
  return { name, orders };
}

interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  /** `place` is e.g. `row 3, line 4`. */
  readonly rows: readonly { readonly place: string; readonly fields: Row }[];
}

async function readTable(file: string, ctx: Context): Promise<Table> {
  const { stdin } = ctx.io.streams;
  const source = await openSource({ file, cwd: ctx.cwd, stdin, spoolFolder: tmpdir(), flags: {} });
  const rows: { place: string; fields: Row }[] = [];
  for await (const batch of source.records()) {
    for (const { row, line, fields, problem } of batch) {
      const place = placeOf(row, line);
      if (fields === undefined) {
        const why = problem === undefined ? 'the row cannot be read' : sentence(problem);
        throw unusable(`${source.name}, ${place}: ${why}`);
      }
      rows.push({ place, fields });
    }
  }
  return { name: source.name, columns: source.columns, rows };
}

function unusable(message: string): ProcError {
  return new ProcError('invalid_input', message, {
    hint: `Use a file that proc orders list --all --out FILE wrote: the comparison needs ${NEEDED.join(', ')}`,
  });
}
