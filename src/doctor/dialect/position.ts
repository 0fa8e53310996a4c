import { inOrder, POSITION_NAMES } from './candidates.ts';
import { cannotTell, type Finding, notFound, shown } from './finding.ts';
import { keysOf, type Probe, type Query, rowCount } from './probe.ts';

const WINDOW = 2;
/** The window moves at most twice, so the tests need rows for three windows. */
const REFERENCE = 3 * WINDOW;

/**
 * Reads windows of two rows. If the value of a parameter rises by one, an offset moves the window
 * by one row, and a page number moves it by two.
 *
 * @param sorting parameters that sort the list, e.g. `{sort: 'code', dir: 'asc'}`
 */
export async function findPosition(
  probe: Probe,
  limit: string | undefined,
  configured: readonly (string | undefined)[],
  taken: readonly (string | undefined)[],
  sorting: Query = {},
): Promise<Finding> {
  const word = 'position';
  if (limit === undefined) {
    const why = 'without a limit, the effect of an offset or page number cannot be observed';
    return { word, state: 'unclear', why, evidence: [] };
  }
  const before = probe.failed.length;
  const first = await reference(probe, limit, sorting);
  const again = first === undefined ? undefined : await reference(probe, limit, sorting);
  if (probe.failed.length > before) return cannotTell(word, probe.failed.slice(before));
  if (first === undefined || first.length < 3) {
    const count =
      first === undefined ? 'the list cannot be read' : `the list has ${rowCount(first)}`;
    return {
      word,
      state: 'unclear',
      why: `${count}; proc needs three rows to observe the effect of an offset or page number`,
      evidence: [],
    };
  }
  if (!isSame(first, again) || new Set(first).size < first.length) {
    const why = 'the order of the list changes between requests';
    return { word, state: 'unclear', why, evidence: [] };
  }
  const [offset, page] = configured;
  const names = inOrder(
    page ?? offset,
    [...(offset === undefined ? [] : [offset]), ...POSITION_NAMES],
    [limit, ...taken],
  );
  for (const name of names) {
    const found = await tryName(probe, { ...sorting, [limit]: WINDOW }, name, first);
    if (found !== undefined) return found;
  }
  return notFound(word, probe.failed.slice(before), names.length, 'moves through the list');
}

async function reference(
  probe: Probe,
  limit: string,
  sorting: Query,
): Promise<readonly string[] | undefined> {
  const seen = await probe.ask({ ...sorting, [limit]: REFERENCE });
  return seen.kind === 'rows' ? keysOf(seen.rows) : undefined;
}

async function tryName(
  probe: Probe,
  window: Query,
  name: string,
  list: readonly string[],
): Promise<Finding | undefined> {
  const evidence: string[] = [];
  /**
   * Requests a window with `name` set to `value`, and returns the index in `list` where it begins.
   * Undefined if the request fails, or if `list` does not contain the window.
   */
  const begins = async (value: number): Promise<number | undefined> => {
    const query: Query = { ...window, [name]: value };
    const seen = await probe.ask(query);
    if (seen.kind !== 'rows') {
      evidence.push(shown(query, seen));
      return undefined;
    }
    const keys = keysOf(seen.rows);
    const at = [0, 1, 2, 3, 4].find((start) => isSame(keys, list.slice(start, start + WINDOW)));
    evidence.push(
      shown(
        query,
        seen,
        at === undefined ? 'others' : keys.length === 0 ? 'past the end' : `from row ${at + 1}`,
      ),
    );
    return at;
  };
  const seen = (why: string, base?: 0 | 1): Finding => ({
    word: 'position',
    state: 'seen',
    name,
    page: base === undefined ? undefined : { base },
    why,
    evidence,
  });
  /**
   * What `begins` must return for a window at `start`. If the list has no row there, the window is
   * empty, and `begins` returns `list.length`.
   */
  const place = (start: number): number => Math.min(start, list.length);
  const one = await begins(1);
  if (one === undefined) return undefined;
  if (one === 1) return (await begins(2)) === place(2) ? seen('moves by rows') : undefined;
  if (one === WINDOW) {
    if ((await begins(2)) !== place(2 * WINDOW) || (await begins(0)) !== 0) return undefined;
    return seen('moves by pages, the first of which is 0', 0);
  }
  if (one !== 0) return undefined;
  const two = await begins(2);
  if (two === WINDOW) {
    return (await begins(3)) === place(2 * WINDOW)
      ? seen('moves by pages, the first of which is 1', 1)
      : undefined;
  }
  if (two !== 1) return undefined;
  const why = 'counts rows from 1, which proc does not support';
  return { word: 'position', state: 'unclear', name, why, evidence };
}

function isSame(a: readonly string[], b: readonly string[] | undefined): boolean {
  return b !== undefined && a.length === b.length && a.every((key, index) => key === b[index]);
}
