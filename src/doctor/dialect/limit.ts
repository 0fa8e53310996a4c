import { inOrder, LIMIT_NAMES } from './candidates.ts';
import { type Finding, notFound, shown } from './finding.ts';
import { type Probe, type Query, rowCount, type Seen } from './probe.ts';

/**
 * Looks for the number of rows: bounded 0 to 100 (docs/service-contract.md §8), and honoured. A count of 1 that gives
 * one row and of 2 that gives two is what no offset, page number or ignored name can show.
 *
 * @param baseline the list without parameters.
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
  // All others at once: where unknown names are ignored and this changes nothing, none is it.
  const together: Query = Object.fromEntries(others.map((name) => [name, 2]));
  const seen = await probe.ask(together);
  if (seen.kind === 'rows' && seen.rows.length !== 2) {
    return notFound('limit', probe.failed, names.length, 'limits the number of rows', [
      shown({}, baseline),
      `all other names with 2 at once → ${rowCount(seen.rows)}`,
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
  // The stated bound does not show; a third count must, as a filter could give one and two rows too.
  if (!hasRows(await count(3), 3)) return undefined;
  return {
    word: 'limit',
    state: 'seen',
    name,
    why: '1, 2 and 3 are honoured; 101 is not refused',
    evidence,
  };
}

/** With hardly a row, only the stated bounds can be seen; their purpose cannot. */
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
      why: `bounded as a limit is, but ${few}: its effect cannot be seen`,
      evidence: [shown({ [name]: 101 }, beyond), shown({ [name]: 100 }, within)],
    };
  }
  return notFound('limit', probe.failed, names.length, `shows the bounds of a limit, and ${few}`);
}

function hasRows(seen: Seen, count: number): boolean {
  return seen.kind === 'rows' && seen.rows.length === count;
}
