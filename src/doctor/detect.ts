import * as z from 'zod/mini';
import { type EndpointSpec, nounOf } from '../core/endpoint.ts';
import { isSignalled, ProcError } from '../core/errors.ts';
import type { Clock } from '../core/io.ts';
import type { Row } from '../core/result.ts';
import type { Sender } from '../core/service.ts';
import { patientRead } from '../http/call.ts';
import { orderOf } from '../listing/listing.ts';

/** `position` is the parameter for a row offset or a page number. */
export type Word = 'limit' | 'position' | 'sort' | 'dir';

export interface Finding {
  readonly word: Word;
  /** A name whose effect was seen. Undefined: none was found. */
  readonly name?: string;
  /** For page numbers: the number of the first page. */
  readonly base?: 0 | 1;
  /** What proves the name, or why there is none. */
  readonly why: string;
  /** The list has too few rows to show an effect. */
  readonly isShort?: boolean;
}

export interface ProbePorts {
  readonly sender: Sender;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

const names = (text: string): readonly string[] => text.split(' ');
const NAMES: Readonly<Record<Word, readonly string[]>> = {
  limit: names(
    'limit pageSize page_size perPage per_page size max count take top first maxResults max_results pageLimit page_limit rows page[size] page[limit] $top',
  ),
  // Only the effect shows whether a parameter counts rows or pages.
  position: names(
    'offset skip start from startIndex start_index startAt firstResult $skip page[offset] page pageNumber page_number pageIndex page_index pageNo currentPage p page[number]',
  ),
  sort: names(
    'sort sortBy sort_by orderBy order_by sortField sort_field orderField order_field sortColumn sortKey order ordering $orderby',
  ),
  dir: names(
    'dir direction order sortDir sort_dir sortDirection sort_direction sortOrder sort_order orderDir order_dir orderDirection order_direction sort ordering',
  ),
};
const EFFECTS: Readonly<Record<Word, string>> = {
  limit: 'limits the number of rows',
  position: 'moves through the list',
  sort: 'changes the order or refuses other fields',
  dir: 'reverses the order or refuses other values',
};

/** The largest page of the contract (docs/service-contract.md §8). */
const LARGEST_PAGE = 100;
/** With fewer rows, no effect can be observed. */
const ENOUGH = 3;
const WINDOW = 2;
const PAGE = 20;
const RETRIES = 2;
/** Stops the detection if a service ignores limits and returns a long list every time. */
const MOST_ROWS = 100_000;
const NONSENSE = 'proc-doctor';

type Query = Readonly<Record<string, string | number>>;
/** What the effect of a name shows; undefined if it has none. */
type Trial = (name: string) => Promise<Omit<Finding, 'word' | 'name'> | undefined>;

/**
 * Detects the parameter names of a list by the effects of harmless GETs.
 *
 * @param seen in other lists
 */
export async function detectNames(
  spec: EndpointSpec,
  ports: ProbePorts,
  seen: readonly Finding[],
): Promise<readonly Finding[]> {
  const detection = new Detection(spec, ports, seen);
  await detection.run();
  return detection.findings;
}

class Detection {
  readonly findings: Finding[] = [];
  readonly #spec: EndpointSpec;
  readonly #ports: ProbePorts;
  readonly #seen: readonly Finding[];
  readonly #fields: readonly string[];
  #rows = 0;

  constructor(spec: EndpointSpec, ports: ProbePorts, seen: readonly Finding[]) {
    this.#spec = spec;
    this.#ports = ports;
    this.#seen = seen;
    const { sort } = z.toJSONSchema(spec.query!).properties ?? {};
    // In all lists the last documented field is the code. Its values differ from row to row.
    this.#fields = ((sort as z.core.JSONSchema.BaseSchema | undefined)?.enum ?? [])
      .map(String)
      .toReversed();
  }

  async run(): Promise<void> {
    const base = await this.#attempt(['limit', 'position', 'sort', 'dir'], () => this.#base());
    if (base === undefined) return;
    const limit = await this.#limit(base);
    const page: Query = limit === undefined ? {} : { [limit]: PAGE };
    const sort = await this.#sort(page);
    const sorted: Query = sort === undefined ? {} : { [sort]: this.#fields[0]! };
    const dir = sort && (await this.#dir({ ...page, ...sorted }));
    if (sort === undefined) this.#unclear('dir', 'without a sort, its effect cannot be observed');
    // The list may have no stable order of its own.
    await this.#position(limit, dir === undefined ? {} : { ...sorted, [dir]: 'asc' });
  }

  /** Undefined if the list shows no effects. */
  async #base(): Promise<readonly Row[] | undefined> {
    const rows = await this.#ask({});
    if (rows !== undefined && rows.length >= ENOUGH) return rows;
    const has = `the list has ${rows?.length === 1 ? '1 row' : `${rows?.length} rows`}`;
    const why =
      rows === undefined
        ? 'the service refuses the list without parameters'
        : `${has}; with three, proc can observe the effect`;
    for (const word of ['limit', 'position', 'sort', 'dir'] as const)
      this.findings.push({ word, why, isShort: rows !== undefined });
    return undefined;
  }

  /** A limit returns as many rows as its value, unlike an offset, a page number or a filter. */
  async #limit({ length }: readonly Row[]): Promise<string | undefined> {
    const isWhole = length > LARGEST_PAGE;
    const advice = `one response has ${length} rows; if the list has no more, set PROC_LIST_NAMES=paging=none`;
    return this.#find(
      'limit',
      async (name) => {
        for (const value of [2, 1, 3]) {
          if ((await this.#ask({ [name]: value }))?.length !== value) return undefined;
        }
        return { why: 'returns as many rows as requested: 2, 1, 3' };
      },
      isWhole ? advice : undefined,
    );
  }

  /** A sort parameter changes the order of the rows, or accepts only the documented fields. */
  async #sort(page: Query): Promise<string | undefined> {
    return this.#attempt(['sort'], async () => {
      const base = (await this.#ask(page)) ?? [];
      return this.#find('sort', async (name) => {
        for (const field of this.#fields) {
          const rows = await this.#ask({ ...page, [name]: field });
          if (rows === undefined) return undefined;
          const wasSorted = orderOf(base, field) !== 0;
          if (isSameList(rows, base)) {
            if (wasSorted) continue;
            return undefined;
          }
          if (!orderOf(rows, field)) continue;
          // Without a stable order, other rows may come first by chance.
          if (!wasSorted || isSameList(await this.#ask(page), base))
            return { why: `sorts the rows by ${field}` };
        }
        if ((await this.#ask({ ...page, [name]: NONSENSE })) !== undefined) return undefined;
        return { why: 'accepts the documented fields and refuses others' };
      });
    });
  }

  async #dir(sorted: Query): Promise<string | undefined> {
    const field = this.#fields[0]!;
    return this.#find('dir', async (name) => {
      const up = await this.#ask({ ...sorted, [name]: 'asc' });
      const down = up && (await this.#ask({ ...sorted, [name]: 'desc' }));
      if (up === undefined || down === undefined) return undefined;
      if (orderOf(up, field) === 1 && orderOf(down, field) === -1)
        return { why: `reverses the order by ${field}` };
      if ((await this.#ask({ ...sorted, [name]: NONSENSE })) !== undefined) return undefined;
      return { why: 'accepts asc and desc and refuses others' };
    });
  }

  /**
   * Reads windows of two rows. If the value of a parameter rises by one, an offset moves the window
   * by one row, and a page number moves it by two.
   */
  async #position(limit: string | undefined, sorting: Query): Promise<void> {
    if (limit === undefined)
      return this.#unclear('position', 'without a limit, its effect cannot be observed');
    await this.#attempt(['position'], async () => {
      // The window moves at most twice.
      const wide = { ...sorting, [limit]: 3 * WINDOW };
      const list = (await this.#ask(wide)) ?? [];
      if (!isSameList(await this.#ask(wide), list) || new Set(keysOf(list)).size < list.length)
        return this.#unclear('position', 'the order of the list changes between requests');
      await this.#find('position', async (name) => {
        const begins = async (value: number, at: readonly number[]) => {
          const rows = await this.#ask({ ...sorting, [limit]: WINDOW, [name]: value });
          return at.find((start) => isSameList(rows, list.slice(start, start + WINDOW)));
        };
        const two = await begins(2, [2, 4]);
        const one = two && (await begins(1, [0, 1, 2]));
        if (two === 2 && one === 1) return { why: 'moves by rows' };
        if (two === 4 && one === 2)
          return { base: 0, why: 'moves by pages, the first of which is 0' };
        if (two === 2 && one === 0)
          return { base: 1, why: 'moves by pages, the first of which is 1' };
        return undefined;
      });
    });
  }

  /**
   * Tries the name in use first, then those of other lists. Not those that are known to mean something else.
   *
   * @returns the name that was found
   */
  async #find(word: Word, trial: Trial, advice?: string): Promise<string | undefined> {
    const own = this.#ports.sender.target.dialect(nounOf(this.#spec));
    const used = word === 'position' ? (own.page ?? own.offset) : own[word];
    const seen = this.#seen.flatMap((one) => (one.word === word ? (one.name ?? []) : []));
    const taken = this.findings.flatMap(({ name }) => name ?? []);
    const all = [...new Set([used, ...seen, ...NAMES[word]])].filter(
      (name) => !taken.includes(name),
    );
    return this.#attempt([word], async () => {
      for (const name of all) {
        const found = await trial(name);
        if (found === undefined) continue;
        this.findings.push({ word, name, ...found });
        return name;
      }
      const none = `none of ${all.length} names ${EFFECTS[word]}`;
      this.#unclear(word, advice === undefined ? none : `${none}; ${advice}`);
      return undefined;
    });
  }

  #unclear(word: Word, why: string): void {
    this.findings.push({ word, why });
  }

  /** A failure of the service is the reason why nothing is known about these words. */
  async #attempt<T>(words: readonly Word[], work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (thrown) {
      if (!(thrown instanceof ProcError) || isSignalled(thrown)) throw thrown;
      for (const word of words) this.#unclear(word, thrown.message);
      return undefined;
    }
  }

  /**
   * @returns undefined if the service refuses the query
   * @throws ProcError if the service cannot be reached, fails, or turns every request away
   */
  async #ask(query: Query): Promise<readonly Row[] | undefined> {
    const { sender, clock, signal } = this.#ports;
    const pairs = Object.entries(query).map(([name, value]): [string, string] => [
      name,
      `${value}`,
    ]);
    // In the path, where no dialect renames the parameters.
    const { query: _, ...rest } = this.#spec;
    const path = pairs.length === 0 ? rest.path : `${rest.path}?${new URLSearchParams(pairs)}`;
    try {
      const read = patientRead(sender, { clock, signal, retries: RETRIES });
      const rows = (await read({ ...rest, path }, {})) as readonly Row[];
      this.#rows += rows.length;
      if (this.#rows <= MOST_ROWS) return rows;
    } catch (thrown) {
      if (thrown instanceof ProcError && thrown.code === 'refused') return undefined;
      throw thrown;
    }
    throw new ProcError('incomplete', 'the service returns a long list regardless of parameters');
  }
}

function isSameList(rows: readonly Row[] | undefined, others: readonly Row[]): boolean {
  return rows !== undefined && `${keysOf(rows)}` === `${keysOf(others)}`;
}

/** Keys to recognize rows in another response: the id of a row, or else the whole row as text. */
function keysOf(rows: readonly Row[]): readonly string[] {
  return rows.map((row) =>
    typeof row.id === 'string' || typeof row.id === 'number' ? String(row.id) : JSON.stringify(row),
  );
}
