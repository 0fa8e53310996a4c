import { LIMIT_NAMES, POSITION_NAMES } from './candidates.ts';
import { type Finding, shown } from './finding.ts';
import { keysOf, type Probe, type Query, rowCount, type Seen } from './probe.ts';

/** The documented maximum of rows per page. */
const LARGEST_PAGE = 100;

/**
 * Proves that one response contains the whole list: it has more rows than a page may have, and the
 * parameters that {@link askAll} tries do not change which rows these are.
 *
 * @param configured the configured names, tried in addition to the common names
 * @returns undefined without such a proof
 */
export async function findWhole(
  probe: Probe,
  baseline: Seen,
  configured: readonly (string | undefined)[],
): Promise<Finding | undefined> {
  if (baseline.kind !== 'rows' || baseline.rows.length <= LARGEST_PAGE) return undefined;
  const names = configured.filter((name) => name !== undefined);
  const evidence = [shown({}, baseline)];
  for (const [what, some] of [
    ['limit', LIMIT_NAMES],
    ['offset or page', POSITION_NAMES],
  ] as const) {
    const seen = await askAll(probe, [...new Set([...names, ...some])], 2);
    if (seen !== undefined && !isSame(seen, baseline)) return undefined;
    const response = seen === undefined ? 'refused' : rowCount((seen as Rows).rows);
    evidence.push(`every known name for ${what}, set to 2 → ${response}`);
  }
  const count = baseline.rows.length;
  return {
    word: 'paging',
    state: 'seen',
    name: 'none',
    why: `one response has ${count} rows, more than a page may have, and no parameter changes the number`,
    evidence,
    rows: count,
  };
}

type Rows = Seen & { readonly kind: 'rows' };

/**
 * Sends all names in one request. A service may refuse requests with unknown names. If it refuses this
 * request, sends one name at a time, until one is not refused.
 *
 * @returns undefined if the service refuses every name
 */
async function askAll(
  probe: Probe,
  names: readonly string[],
  value: number,
): Promise<Seen | undefined> {
  const together: Query = Object.fromEntries(names.map((name) => [name, value]));
  const seen = await probe.ask(together);
  if (seen.kind !== 'refused') return seen;
  for (const name of names) {
    const one = await probe.ask({ [name]: value });
    if (one.kind !== 'refused') return one;
  }
  return undefined;
}

function isSame(seen: Seen, baseline: Rows): boolean {
  if (seen.kind !== 'rows' || seen.rows.length !== baseline.rows.length) return false;
  const before = new Set(keysOf(baseline.rows));
  return before.size === baseline.rows.length && keysOf(seen.rows).every((key) => before.has(key));
}
