import { isObject } from '../../core/json.ts';
import { type Problem, placeText } from '../../core/row-problem.ts';
import { convert } from '../map/convert.ts';
import { type Assembled, type FlatRow, type ImportField, texts } from './import-target.ts';

export const FLAT_FIELDS: readonly ImportField[] = [
  ...texts('title', 'type', 'sector', 'code', 'group.name', 'group.deliveryMethod'),
  ...texts('group.address', 'group.addressId', 'item.code', 'item.id', 'item.name'),
  ...texts('item.description', 'item.unitOfMeasure'),
  { name: 'quantity', kind: 'integer', required: true },
];

const OWN = ['title', 'type', 'sector', 'code'];
/** With the prefix `group.` in a row. */
const OF_GROUP = ['deliveryMethod', 'addressId'];

type Fields = Readonly<Record<string, unknown>>;

interface Group {
  readonly fields: Record<string, unknown>;
  readonly items: Fields[];
  readonly rows: FlatRow[];
}

/**
 * Makes one requisition of several rows: one line per row, one group per `group.name`. Rows with
 * different values in a field of the requisition or group are a problem.
 *
 * Codes of existing items are already replaced by `item.id`. A row without `item.id` defines an item.
 */
export function assembleRequisition(rows: readonly FlatRow[]): Assembled {
  const problems: { problem: Problem; place: FlatRow['place'] }[] = [];
  const body: Record<string, unknown> = {};
  const groups = new Map<unknown, Group>();
  for (const row of rows) {
    const name = row.body['group.name'];
    const fields = name === undefined ? {} : { name };
    const group: Group = groups.get(name) ?? { fields, items: [], rows: [] };
    groups.set(name, group);
    for (const problem of [
      ...copyFields(body, row, rows, '', OWN),
      ...copyFields(group.fields, row, group.rows, 'group.', OF_GROUP),
    ])
      problems.push({ problem, place: row.place });
    const line = lineOf(row.body);
    // Whatever is wrong with the row may be why it has no item.
    if (line === undefined && row.isWhole)
      problems.push({
        problem: { text: 'needs item.code, item.id or item.name' },
        place: row.place,
      });
    group.items.push(line ?? { quantity: row.body.quantity });
    group.rows.push(row);
  }
  const all = [...groups.values()];
  return {
    body: { ...body, groups: all.map(({ fields, items }) => ({ ...fields, items })) },
    lines: all.map((group) => group.rows.map(({ place: { row, line } }) => ({ row, line }))),
    problems,
  };
}

/** What people write in payloads and flat rows: `Delivery`, `"3"`. */
export function plainRequisition(body: Fields): Fields {
  const { groups } = body;
  return Array.isArray(groups) ? { ...body, groups: groups.map(plainGroup) } : body;
}

function plainGroup(group: unknown): unknown {
  if (!isObject(group)) return group;
  const { deliveryMethod: method, addressId: address, items } = group;
  return {
    ...group,
    ...(typeof method === 'string' ? { deliveryMethod: method.trim().toLowerCase() } : {}),
    ...(typeof address === 'string' ? { addressId: address.trim().replace(/^id=/, '') } : {}),
    ...(Array.isArray(items) ? { items: items.map(plainLine) } : {}),
  };
}

function plainLine(line: unknown): unknown {
  if (!isObject(line) || typeof line.quantity !== 'string') return line;
  const { value = line.quantity } = convert(line.quantity.trim(), 'integer');
  return { ...line, quantity: value };
}

/** The contract allows groups without lines, but a file of requisitions has no use for them. */
export function groupsWithoutLines({ groups }: Fields): readonly Problem[] {
  if (!Array.isArray(groups)) return [];
  return groups.flatMap((group, at): Problem[] => {
    if (!isObject(group) || !Array.isArray(group.items) || group.items.length > 0) return [];
    return [
      { text: 'must have at least 1 element, got an empty array', field: `groups[${at}].items` },
    ];
  });
}

export function fieldsAt([first = '', , second, , ...rest]: readonly string[]): readonly string[] {
  if (first !== 'groups') return [first];
  if (second !== 'items')
    return [`group.${second}`, ...(second === 'addressId' ? ['group.address'] : [])];
  const name = rest.join('.');
  if (name === 'quantity' || name.startsWith('item.')) return [name];
  return ['item.id', 'item.code', 'item.name'];
}

/** @returns a problem for each field that differs from an earlier row of `rows` */
function copyFields(
  into: Record<string, unknown>,
  row: FlatRow,
  rows: readonly FlatRow[],
  prefix: string,
  names: readonly string[],
): readonly Problem[] {
  return names.flatMap((name): Problem[] => {
    const field = `${prefix}${name}`;
    const value = row.body[field];
    if (value === undefined) return [];
    into[name] ??= value;
    const earlier = into[name];
    if (value === earlier) return [];
    const other = rows.find(({ body }) => body[field] === earlier);
    const first = `${JSON.stringify(earlier)} in ${placeText(other?.place ?? {})}`;
    const text = `differs: ${first}, ${JSON.stringify(value)} in ${placeText(row.place)}`;
    return [{ text, field }];
  });
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
