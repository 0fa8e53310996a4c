import { ProcError } from '../../../core/errors.ts';
import type { Ports } from '../../../core/ports.ts';
import { readTable } from '../../../import/source/table-file.ts';
import { COMPARED } from './compare-orders.ts';
import { type KeptOrder, keptOrder, type Snapshot } from './snapshot.ts';

/** Without one of these fields, unchanged orders would look new, gone or changed. */
const NEEDED = ['id', ...COMPARED];

/** @throws ProcError `unreadable_file`; `invalid_input` if the file lacks what the comparison needs */
export async function snapshotIn(file: string, ports: Ports<'io' | 'self'>): Promise<Snapshot> {
  const { name, columns, rows } = await readTable(
    file,
    { confirmEncoding: async () => true },
    ports,
  );
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

function unusable(message: string): ProcError {
  return new ProcError('invalid_input', message, {
    hint: `Use a file that proc orders list --all --out FILE wrote: the comparison needs ${NEEDED.join(', ')}`,
  });
}
