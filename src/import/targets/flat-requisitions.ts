import type { Problem } from '../../core/problem/row-problem.ts';
import type { Assembled, FlatRow, TargetFields } from './import-target.ts';

export const FLAT_FIELDS: TargetFields = {
  fields: [
    { name: 'title', kind: 'string' },
    { name: 'type', kind: 'string' },
    { name: 'sector', kind: 'string' },
    { name: 'code', kind: 'string' },
    { name: 'group.name', kind: 'string' },
    { name: 'group.deliveryMethod', kind: 'string' },
    { name: 'group.address', kind: 'string' },
    { name: 'group.addressId', kind: 'string' },
    { name: 'item.code', kind: 'string' },
    { name: 'item.id', kind: 'string' },
    { name: 'item.name', kind: 'string' },
    { name: 'item.description', kind: 'string' },
    { name: 'item.unitOfMeasure', kind: 'string' },
    { name: 'quantity', kind: 'integer', required: true },
  ],
};

const OWN = ['title', 'type', 'sector', 'code'];
const GROUP = ['group.deliveryMethod', 'group.addressId'];

type Fields = Readonly<Record<string, unknown>>;

/**
 * Makes one requisition of several rows: one line per row, one group per `group.name`. Rows with
 * different values in a field of the requisition or group are a problem.
 *
 * Codes of existing items are already replaced by `item.id`. A row without `item.id` defines an item.
 */
export function assembleRequisition(rows: readonly FlatRow[]): Assembled {
  const body: Record<string, unknown> = {};
  const groups = new Map<
    unknown,
    { fields: Record<string, unknown>; items: Fields[]; rows: FlatRow[] }
  >();
  for (const row of rows) {
    const name = row.body['group.name'];
    const group = groups.get(name) ?? {
      fields: name === undefined ? {} : { name },
      items: [],
      rows: [],
    };
    groups.set(name, group);
    const problem =
      copyFields(body, row, rows, { names: OWN, prefix: '' }) ??
      copyFields(group.fields, row, rows, { names: GROUP, prefix: 'group.' });
    if (problem !== undefined) return { problem, place: row.place };
    const line = lineOf(row.body);
    if (line === undefined) {
      return { problem: { code: 'line_without_item', args: {} }, place: row.place };
    }
    group.items.push(line);
    group.rows.push(row);
  }
  return {
    body: {
      ...body,
      groups: [...groups.values()].map(({ fields, items }) => ({ ...fields, items })),
    },
    places: {
      groups: [...groups.values()].map((group) => ({
        items: group.rows.map(({ place: { row, line = '' } }) => `${line},${row}`),
      })),
    },
  };
}

export function fieldsAt([first = '', , second, , ...rest]: readonly string[]): readonly string[] {
  if (first !== 'groups') return [first];
  if (second !== 'items') return [`group.${second}`, 'group.address'];
  const name = rest.join('.');
  if (name === 'quantity' || name.startsWith('item.')) return [name];
  return ['item.id', 'item.code', 'item.name'];
}

/** @returns the problem if a field differs from an earlier row */
function copyFields(
  into: Record<string, unknown>,
  row: FlatRow,
  rows: readonly FlatRow[],
  { names, prefix }: { readonly names: readonly string[]; readonly prefix: string },
): Problem | undefined {
  for (const name of names) {
    const value = row.body[name];
    if (value === undefined) continue;
    const key = name.slice(prefix.length);
    const earlier = into[key];
    if (earlier === undefined) into[key] = value;
    else if (earlier !== value) {
      const group = row.body['group.name'];
      const other = rows.find(
        ({ body }) => body[name] === earlier && (prefix === '' || body['group.name'] === group),
      );
      const values = [
        { value: JSON.stringify(earlier), place: other?.place ?? {} },
        { value: JSON.stringify(value), place: row.place },
      ];
      return { code: 'rows_differ', field: name, args: { values } };
    }
  }
  return undefined;
}

function lineOf(row: Fields): Fields | undefined {
  const { quantity } = row;
  if (row['item.id'] !== undefined) return { quantity, itemId: row['item.id'] };
  const item: Record<string, unknown> = {};
  for (const name of ['name', 'code', 'description', 'unitOfMeasure']) {
    const value = row[`item.${name}`];
    if (value !== undefined) item[name] = value;
  }
  return item.name === undefined ? undefined : { quantity, item };
}
