import type { Ports } from '../core/ports.ts';
import type { Column, Row, RowsResult } from '../core/result.ts';
import { rowsIn } from '../import/report/words.ts';
import { keepHeapSmall } from '../listing/keep-heap-small.ts';
import type { Listed } from '../listing/listing.ts';
import { codeKeyOf, foldSpelling } from '../listing/spelling.ts';
import { readCatalogueTo } from './read-catalogue.ts';
import { SCRATCH, type ScratchFolder } from './scratch-folder.ts';
import { conflicts, type NameParts, partsOf } from './traits.ts';

const COLUMNS: readonly Column[] = [
  { key: 'tier', header: 'TIER', kind: 'number', priority: 3 },
  { key: 'group', header: 'GROUP', kind: 'number', priority: 3 },
  { key: 'match', header: 'SAME', priority: 3 },
  { key: 'code', header: 'CODE', priority: 4 },
  { key: 'name', header: 'NAME' },
  { key: 'id', header: 'ID', priority: 2 },
  { key: 'differs', header: 'DIFFERS' },
];

/**
 * Finds groups of likely duplicates in the whole catalogue.
 *
 * @throws ProcError `incomplete` if the list cannot be read to a verified end
 */
export async function auditCatalogue(
  ports: Ports<'io' | 'api' | 'store' | 'self'>,
): Promise<RowsResult> {
  keepHeapSmall();
  const scratch = await ports.store.open(SCRATCH);
  scratch.database.exec(`
    CREATE TABLE items (number INTEGER PRIMARY KEY, id TEXT, code TEXT, name TEXT, code_key TEXT, name_key TEXT, first_tier INTEGER) STRICT;
    CREATE TABLE members (number INTEGER PRIMARY KEY, tier INTEGER, grouped INTEGER, match TEXT, differs TEXT, item INTEGER) STRICT;
  `);
  const items = await readCatalogueTo((rows) => addItems(scratch, rows), ports);
  const { codes, names } = groupItems(scratch);
  const part = ({ groups, items: count }: typeof codes) =>
    `${rowsIn(groups, 'group')} (${rowsIn(count, 'item')})`;
  ports.io.say({
    kind: 'notice',
    text: `${rowsIn(items, 'item')}: ${part(codes)} with the same code, ${part(names)} to check`,
  });
  return {
    kind: 'rows',
    columns: COLUMNS,
    fields: ['tier', 'group', 'match', 'differs', 'id', 'code', 'name'],
    rows: members(scratch),
    empty: 'No likely duplicates.',
  };
}

async function* members(scratch: ScratchFolder): AsyncGenerator<readonly Row[]> {
  yield* scratch.batches(
    `SELECT m.number, m.tier, m.grouped AS "group", m.match, m.differs, i.id, i.code, i.name
      FROM members m JOIN items i ON i.number = m.item WHERE m.number > ? ORDER BY m.number`,
  );
}

/**
 * The items of a group. `tier` 1: the same code; 2: the same name, or the same code with names that contradict each
 * other.
 */
interface Group {
  readonly tier: 1 | 2;
  /** What the items have in common after normalising. */
  readonly match: 'code' | 'name';
  /**
   * The traits in which the names of the items contradict each other, e.g. `size, colour`; `name`
   * if the names have no word in common. Null if the names do not contradict each other.
   */
  readonly differs: string | null;
  readonly items: readonly Item[];
}

interface TierCounts {
  readonly groups: number;
  readonly items: number;
}

interface Item {
  readonly number: number;
  readonly id: string | null;
  readonly code: string | null;
  readonly name: string | null;
}

const KEYS_PER_BATCH = 1_000;

function addItems(scratch: ScratchFolder, items: readonly Listed[]): void {
  const insert = scratch.database.prepare(
    'INSERT INTO items (id, code, name, code_key, name_key) VALUES (?, ?, ?, ?, ?)',
  );
  scratch.commit(() => {
    for (const { id, code, name } of items) {
      const codeKey = code === null ? '' : codeKeyOf(code);
      const nameKey = name === null ? '' : partsOf(name).key;
      insert.run(id ?? null, code, name, codeKey || null, nameKey || null);
    }
  });
}

/** Groups items that are probably the same article. The items are on disk, so the catalogue may be long. */
function groupItems(scratch: ScratchFolder): {
  readonly codes: TierCounts;
  readonly names: TierCounts;
} {
  const { database } = scratch;
  scratch.commit(() =>
    database.exec(
      'CREATE INDEX by_code ON items (code_key) WHERE code_key IS NOT NULL; CREATE INDEX by_name ON items (name_key) WHERE name_key IS NOT NULL',
    ),
  );
  const insert = database.prepare(
    'INSERT INTO members (tier, grouped, match, differs, item) VALUES (?, ?, ?, ?, ?)',
  );
  const mark = database.prepare('UPDATE items SET first_tier = ? WHERE number = ?');
  let groups = 0;
  const keep = ({ tier, match, differs, items }: Group): void => {
    const group = ++groups;
    scratch.commit(() => {
      for (const { number } of items) {
        insert.run(tier, group, match, differs, number);
        if (tier === 1) mark.run(group, number);
      }
    });
  };
  const uncertain: Group[] = [];
  for (const items of sharing(scratch, 'code_key')) {
    const { sure, differs } = split(items);
    for (const group of sure) keep({ tier: 1, match: 'code', differs: null, items: group });
    if (differs !== undefined) uncertain.push({ tier: 2, match: 'code', differs, items });
  }
  for (const group of uncertain) keep(group);
  const first = database.prepare('SELECT first_tier FROM items WHERE number = ?');
  for (const items of sharing(scratch, 'name_key')) {
    // If all of them are in one group of tier 1, a group of tier 2 would only repeat it.
    const known = new Set(items.map(({ number }) => first.get(number)!.first_tier));
    if (known.size > 1 || known.has(null)) {
      keep({ tier: 2, match: 'name', differs: null, items });
    }
  }
  const counts = database.prepare(
    'SELECT count(DISTINCT grouped) AS groups, count(DISTINCT item) AS items FROM members WHERE tier = ?',
  );
  const of = (tier: Group['tier']) => counts.get(tier) as unknown as TierCounts;
  return { codes: of(1), names: of(2) };
}

/** Items that share a key, in the order of the list. */
function* sharing(
  { database }: ScratchFolder,
  column: 'code_key' | 'name_key',
): Generator<readonly Item[]> {
  const keys = database.prepare(
    `SELECT ${column} AS key FROM items WHERE ${column} > ? GROUP BY ${column} HAVING count(*) > 1 ORDER BY ${column} LIMIT ${KEYS_PER_BATCH}`,
  );
  const items = database.prepare(
    `SELECT number, id, code, name FROM items WHERE ${column} = ? ORDER BY number`,
  );
  for (let last = ''; ; ) {
    const batch = keys.all(last).map(({ key }) => key as string);
    if (batch.length === 0) return;
    last = batch.at(-1)!;
    for (const key of batch) yield items.all(key) as unknown as Item[];
  }
}

interface Named {
  readonly item: Item;
  readonly parts: NameParts;
}

/**
 * Divides items with the same code key: `sure` has groups of certain duplicates.
 *
 * @returns `differs`: the traits in which the names contradict each other, so that a person has to
 * check the items
 */
function split(items: readonly Item[]): {
  readonly sure: readonly (readonly Item[])[];
  readonly differs?: string;
} {
  const named = items.map((item): Named => ({ item, parts: partsOf(item.name ?? '') }));
  const differing = conflicts(named.map(({ parts }) => parts));
  if (differing.length === 0) {
    return haveSameSubject(named) ? { sure: [items] } : { sure: [], differs: 'name' };
  }
  // The names contradict each other. But items whose traits (size, colour, …) are all equal are
  // still certain duplicates.
  const alike = Object.values(Object.groupBy(named, ({ parts }) => JSON.stringify(parts.traits)));
  const sure = alike.filter((group) => group!.length > 1 && haveSameSubject(group!));
  return {
    sure: sure.map((group) => group!.map(({ item }) => item)),
    differs: differing.join(', '),
  };
}

/**
 * Whether items with the same code key are the same article. They are if their codes differ only in spelling
 * (case, dashes, spaces). Otherwise their names must have a word in common.
 */
function haveSameSubject(named: readonly Named[]): boolean {
  const codes = new Set(named.map(({ item }) => foldSpelling(item.code ?? '')));
  const [first, ...others] = named.filter(({ parts }) => parts.words.length > 0);
  if (codes.size === 1 || first === undefined) return true;
  return first.parts.words.some((word) => others.every(({ parts }) => parts.words.includes(word)));
}
