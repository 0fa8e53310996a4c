import { inOrder, LIMIT_NAMES } from './candidates.ts';
import { cannotTell, type Finding, notFound, shown } from './finding.ts';
import { type Probe, type Query, rowCount, type Seen } from './probe.ts';

/**
 * A limit returns one row for 1 and two rows for 2, unlike an offset or a page number. The contract
 * allows limits from 0 to 100 (docs/service-contract.md §8).
 */
export async function findLimit(
  probe: Probe,
  baseline: Seen,
  configured: string,
): Promise<Finding> {
  const rows = baseline.kind === 'rows' ? baseline.rows.length : undefined;
  const names = inOrder(configured, LIMIT_NAMES);
  if (rows !== undefined && rows < 2) return byBounds(probe, names, rows);
  const [first = configured, ...others] = names;
  const found = await tryName(probe, first);
  if (found !== undefined) return found;
  // To save requests, one request sets all other names to 2. If it returns more or fewer than two
  // rows, no other name is a limit.
  const together: Query = Object.fromEntries(others.map((name) => [name, 2]));
  const seen = await probe.ask(together);
  if (seen.kind === 'rows' && seen.rows.length !== 2) {
    return notFound('limit', probe.failed, names.length, 'limits the number of rows', [
      shown({}, baseline),
      `all other names in one request, each set to 2 → ${rowCount(seen.rows)}`,
    ]);
  }
  for (const name of others) {
    const one = await tryName(probe, name);
    if (one !== undefined) return one;
  }
  return notFound('limit', probe.failed, names.length, 'limits the number of rows', [
    shown({}, baseline),
  ]);
}

async function tryName(probe: Probe, name: string): Promise<Finding | undefined> {
  const evidence: string[] = [];
  const count = async (value: number): Promise<Seen> => {
    const seen = await probe.ask({ [name]: value });
    evidence.push(shown({ [name]: value }, seen));
    return seen;
  };
  if (!hasRows(await count(2), 2) || !hasRows(await count(1), 1)) return undefined;
  const beyond = await count(101);
  if (beyond.kind === 'refused') {
    return {
      word: 'limit',
      state: 'seen',
      name,
      why: '2 and 1 are honoured, 101 is refused',
      evidence,
    };
  }
  // 101 is not refused, so the name may also be a filter: check a third count.
  if (!hasRows(await count(3), 3)) return undefined;
  return {
    word: 'limit',
    state: 'seen',
    name,
    why: '1, 2 and 3 are honoured; 101 is not refused',
    evidence,
  };
}

async function byBounds(probe: Probe, names: readonly string[], rows: number): Promise<Finding> {
  const few = rows === 0 ? 'the list is empty' : 'the list has a single row';
  for (const name of names) {
    const beyond = await probe.ask({ [name]: 101 });
    if (beyond.kind !== 'refused') continue;
    const within = await probe.ask({ [name]: 100 });
    if (within.kind !== 'rows') continue;
    return {
      word: 'limit',
      state: 'unclear',
      name,
      why: `it accepts 100 and refuses 101, like a limit; its effect cannot be observed, because ${few}`,
      evidence: [shown({ [name]: 101 }, beyond), shown({ [name]: 100 }, within)],
    };
  }
  if (probe.failed.length > 0) return cannotTell('limit', probe.failed);
  const why = `${few}, and none of ${names.length} names accepts 100 and refuses 101, like a limit`;
  return { word: 'limit', state: 'unclear', why, evidence: [] };
}

function hasRows(seen: Seen, count: number): boolean {
  return seen.kind === 'rows' && seen.rows.length === count;
}
