import type { Row } from '../../core/result.ts';
import { DIR_NAMES, inOrder, SORT_NAMES } from './candidates.ts';
import { type Finding, notFound, shown } from './finding.ts';
import { directionsOf, valuesOf } from './order.ts';
import { keysOf, type Probe, type Query, type Seen } from './probe.ts';

const NONSENSE = 'proc-doctor';

/**
 * Detects the sort parameter by its effect on the order of the rows. Without a visible
 * effect, a name must accept the documented fields and refuse `NONSENSE`.
 */
export async function findSort(
  probe: Probe,
  page: Query,
  fields: readonly string[],
  configured: string,
  taken: readonly (string | undefined)[],
): Promise<Finding> {
  const before = probe.failed.length;
  const base = await probe.ask(page);
  const unordered = fields.find((field) => {
    const values = base.kind === 'rows' ? valuesOf(base.rows, field) : undefined;
    return values !== undefined && directionsOf(values).size === 0;
  });
  const field = unordered ?? fields.at(-1)!;
  const names = inOrder(configured, SORT_NAMES, taken);
  for (const name of names) {
    const other =
      unordered === undefined && base.kind === 'rows'
        ? await bringsOthersFirst(probe, page, name, fields, base.rows)
        : undefined;
    if (other !== undefined) return other;
    const query = { ...page, [name]: field };
    const sorted = await probe.ask(query);
    if (sorted.kind !== 'rows') continue;
    const evidence = [shown(query, sorted, orderText(sorted, field))];
    const values = valuesOf(sorted.rows, field);
    if (unordered !== undefined && values !== undefined && directionsOf(values).size > 0) {
      const why = `sorts the rows by ${field}; without it they are in another order`;
      return { word: 'sort', state: 'seen', name, why, evidence };
    }
    if (!(await takesOnly(probe, page, name, fields, evidence))) continue;
    return {
      word: 'sort',
      state: 'seen',
      name,
      why: 'accepts the documented fields and refuses others',
      evidence,
    };
  }
  const failed = probe.failed.slice(before);
  return notFound('sort', failed, names.length, 'changes the order or refuses other fields');
}

/**
 * Tests two things: whether sorting by a field brings other rows first, and whether these rows are in
 * the order of that field.
 */
async function bringsOthersFirst(
  probe: Probe,
  page: Query,
  name: string,
  fields: readonly string[],
  rows: readonly Row[],
): Promise<Finding | undefined> {
  for (const field of fields) {
    const query = { ...page, [name]: field };
    const sorted = await probe.ask(query);
    if (sorted.kind !== 'rows') return undefined;
    const values = valuesOf(sorted.rows, field);
    if (values === undefined || directionsOf(values).size === 0) continue;
    if (hasSameRows(sorted.rows, rows)) continue;
    // Without a stable order, other rows may come first by chance.
    const again = await probe.ask(page);
    if (again.kind !== 'rows' || !hasSameRows(again.rows, rows)) return undefined;
    return {
      word: 'sort',
      state: 'seen',
      name,
      why: `sorts the rows by ${field}; without it other rows come first`,
      evidence: [shown(query, sorted, orderText(sorted, field)), shown(page, again)],
    };
  }
  return undefined;
}

function hasSameRows(a: readonly Row[], b: readonly Row[]): boolean {
  const keys = keysOf(b);
  return a.length === b.length && keysOf(a).every((key, index) => key === keys[index]);
}

/**
 * Detects the direction parameter: a name that reverses the order, or that accepts `asc` and `desc`
 * and refuses `NONSENSE`.
 */
export async function findDir(
  probe: Probe,
  page: Query,
  sort: string | undefined,
  fields: readonly string[],
  configured: string,
  taken: readonly (string | undefined)[],
): Promise<Finding> {
  const before = probe.failed.length;
  const names = inOrder(configured, DIR_NAMES, [...taken, sort]);
  // In all lists the last documented field is the code. Its values differ from row to row.
  const field = fields.at(-1)!;
  const sorted = sort === undefined ? page : { ...page, [sort]: field };
  for (const name of names) {
    const up = await probe.ask({ ...sorted, [name]: 'asc' });
    if (up.kind !== 'rows') continue;
    const down = await probe.ask({ ...sorted, [name]: 'desc' });
    if (down.kind !== 'rows') continue;
    const evidence = [
      shown({ ...sorted, [name]: 'asc' }, up, orderText(up, field)),
      shown({ ...sorted, [name]: 'desc' }, down, orderText(down, field)),
    ];
    const turned = fields.find((one) => isTurned(up, down, one));
    if (turned !== undefined) {
      return {
        word: 'dir',
        state: 'seen',
        name,
        why: `reverses the order by ${turned}`,
        evidence,
      };
    }
    if (!(await takesOnly(probe, sorted, name, ['asc', 'desc'], evidence))) continue;
    return {
      word: 'dir',
      state: 'seen',
      name,
      why: 'accepts asc and desc and refuses others',
      evidence,
    };
  }
  const failed = probe.failed.slice(before);
  return notFound('dir', failed, names.length, 'reverses the order or refuses other values');
}

function isTurned(up: Seen, down: Seen, field: string): boolean {
  if (up.kind !== 'rows' || down.kind !== 'rows') return false;
  const rising = valuesOf(up.rows, field);
  const falling = valuesOf(down.rows, field);
  if (rising === undefined || falling === undefined) return false;
  const isOther = keysOf(up.rows).some((key, index) => key !== keysOf(down.rows)[index]);
  return isOther && directionsOf(rising).has(1) && directionsOf(falling).has(-1);
}

async function takesOnly(
  probe: Probe,
  page: Query,
  name: string,
  values: readonly string[],
  evidence: string[],
): Promise<boolean> {
  const other = { ...page, [name]: NONSENSE };
  const refused = await probe.ask(other);
  if (refused.kind !== 'refused') return false;
  evidence.push(shown(other, refused));
  for (const value of values) {
    const stated = { ...page, [name]: value };
    const seen = await probe.ask(stated);
    if (seen.kind !== 'rows') return false;
    evidence.push(shown(stated, seen));
  }
  return true;
}

function orderText(seen: Seen, field: string): string | undefined {
  const values = seen.kind === 'rows' ? valuesOf(seen.rows, field) : undefined;
  if (values === undefined) return undefined;
  const directions = directionsOf(values);
  return directions.has(1)
    ? `${field} ascending`
    : directions.has(-1)
      ? `${field} descending`
      : `${field} unsorted`;
}
