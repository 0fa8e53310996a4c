import { DEFAULT_DIALECT } from '../../client/dialect.ts';
import { type EndpointSpec, nounOf } from '../../core/endpoint.ts';
import type { Row } from '../../core/result.ts';
import type { Dialect } from '../../core/service-target.ts';
import { orderOf } from '../../listing/comparators.ts';
import { jsonSchemaOf } from '../../schema/json-schema.ts';
import {
  type Answer,
  isRows,
  keysOf,
  Probe,
  ProbeEnded,
  type ProbePorts,
  type Query,
  rowCount,
} from './probe.ts';

/**
 * What a finding is about. `position` is the parameter for a row offset or a page number. A finding
 * about `paging` says that one response contains the whole list.
 */
type Word = 'paging' | Parameter;
type Parameter = 'limit' | 'position' | 'sort' | 'dir';

interface Found {
  readonly name: string;
  /** For page numbers: the number of the first page. */
  readonly base?: 0 | 1 | undefined;
  readonly why: string;
  /** `likely`: the list has too few rows to show an effect. `unclear`: the name is only a guess. */
  readonly state?: 'likely' | 'unclear';
}

export interface Finding {
  readonly word: Word;
  /** Lists are read with names that are `seen` or `likely`. A name that is `unclear` is only a guess. */
  readonly state: 'seen' | 'likely' | 'unclear';
  readonly name?: string;
  readonly base?: 0 | 1 | undefined;
  /** What proves the finding, or why there is no proof. */
  readonly why: string;
  /** Requests and their results, e.g. `?limit=2 → 2 rows`. */
  readonly evidence: readonly string[];
  /** How many rows the list has; set if one response contains the whole list. */
  readonly rows?: number;
}

const words = (text: string): readonly string[] => text.split(' ');
const PAGES = words(
  'page pageNumber page_number pageIndex page_index pageNo currentPage p page[number]',
);
const NAMES: Readonly<Record<Parameter, readonly string[]>> = {
  limit: words(
    'limit pageSize page_size perPage per_page size max count take top first maxResults max_results pageLimit page_limit rows page[size] page[limit] $top',
  ),
  // Only the effect shows whether a parameter counts rows or pages.
  position: [
    ...words(
      'offset skip start from startIndex start_index startAt firstResult $skip page[offset]',
    ),
    ...PAGES,
  ],
  sort: words(
    'sort sortBy sort_by orderBy order_by sortField sort_field orderField order_field sortColumn sortKey order ordering $orderby',
  ),
  dir: words(
    'dir direction order sortDir sort_dir sortDirection sort_direction sortOrder sort_order orderDir order_dir orderDirection order_direction sort ordering',
  ),
};
const PARAMETERS = ['limit', 'position', 'sort', 'dir'] as const;
const EFFECTS: Readonly<Record<Parameter, string>> = {
  limit: 'limits the number of rows',
  position: 'moves through the list',
  sort: 'changes the order or refuses other fields',
  dir: 'reverses the order or refuses other values',
};

/** The largest page of the contract (docs/service-contract.md §8). */
const LARGEST_PAGE = 100;
/** With fewer rows, the effect of an offset or page number cannot be observed. */
const ENOUGH = 3;
const WINDOW = 2;
const PAGE = 20;
const NONSENSE = 'proc-doctor';
const MOST_SHOWN = 5;

/**
 * Detects the parameter names of a list by the effects of harmless GETs.
 *
 * @param model what was seen in other lists; these names are tried first
 */
export async function detectDialect(
  spec: EndpointSpec,
  ports: ProbePorts,
  model: readonly Finding[] = [],
): Promise<readonly Finding[]> {
  const probe = new Probe(spec, ports);
  const own = ports.sender.target.dialect(nounOf(spec));
  const detection = new Detection(spec, probe, own, model);
  try {
    await detection.run();
  } catch (thrown) {
    if (!(thrown instanceof ProbeEnded)) throw thrown;
    for (const word of PARAMETERS) {
      if (detection.findings.some((finding) => finding.word === word)) continue;
      const evidence = firstOf(probe.failed);
      detection.findings.push({ word, state: 'unclear', why: thrown.message, evidence });
    }
  }
  return detection.findings.toSorted((a, b) => ORDER.indexOf(a.word) - ORDER.indexOf(b.word));
}

const ORDER: readonly Word[] = ['paging', 'limit', 'position', 'sort', 'dir'];

/** The search for one parameter. */
interface Search {
  readonly word: Parameter;
  /** Why the list cannot show an effect. */
  readonly few?: string;
  /**
   * All names sent at once, each with one of these values, have an effect if one of them has. `base` is the
   * answer without them.
   */
  readonly together: {
    readonly query: Query;
    readonly base: Answer;
    readonly values: readonly (string | number)[];
    readonly mayBeEmpty?: boolean;
  };
  /** Returns what the effect of this name shows, undefined if it has none. */
  readonly trial: (name: string) => Promise<Found | undefined>;
}

class Detection {
  readonly findings: Finding[] = [];
  readonly #probe: Probe;
  readonly #own: Dialect;
  readonly #model: readonly Finding[];
  readonly #fields: readonly string[];

  constructor(spec: EndpointSpec, probe: Probe, own: Dialect, model: readonly Finding[]) {
    this.#probe = probe;
    this.#own = own;
    this.#model = model;
    const { sort } = jsonSchemaOf(spec.query!).properties ?? {};
    this.#fields = ((sort as { enum?: readonly unknown[] } | undefined)?.enum ?? []).map(String);
  }

  async run(): Promise<void> {
    const baseline = await this.#probe.ask({});
    if (baseline === 'refused')
      throw new ProbeEnded('the service refuses the list without parameters');
    const rows = isRows(baseline) ? baseline : undefined;
    const isWhole = rows !== undefined && (await this.#isWhole(rows));
    const limit = isWhole ? undefined : await this.#limit(rows);
    if (!isWhole) await this.#position(limit, rows, {});
    const page: Query = limit === undefined ? {} : { [limit]: PAGE };
    const sort = await this.#sort(page);
    const dir = await this.#dir(sort === undefined ? page : { ...page, [sort]: this.#code });
    const at = this.findings.findIndex(({ word }) => word === 'position');
    if (sort === undefined || dir === undefined || this.findings[at]?.why !== UNSTABLE) return;
    // The list has no stable order of its own.
    this.findings.splice(at, 1);
    await this.#position(limit, rows, { [sort]: this.#code, [dir]: 'asc' });
  }

  /** In all lists the last documented field is the code. Its values differ from row to row. */
  get #code(): string {
    return this.#fields.at(-1)!;
  }

  /**
   * One response contains the whole list if it has more rows than a page may have, and no known name
   * changes which rows these are.
   */
  async #isWhole(rows: readonly Row[]): Promise<boolean> {
    if (rows.length <= LARGEST_PAGE) return false;
    const from = this.#probe.log.length;
    for (const word of ['limit', 'position'] as const) {
      const names = this.#namesOf(word);
      let answer = await this.#probe.ask(allOf(names, WINDOW));
      for (const name of answer === 'refused' ? names : []) {
        answer = await this.#probe.ask({ [name]: WINDOW });
        if (answer !== 'refused') break;
      }
      if (answer !== 'refused' && !hasSameRows(answer, rows)) return false;
    }
    const why = `one response has ${rows.length} rows, more than a page may have, and no parameter changes the number`;
    const evidence = firstOf(this.#probe.log.slice(from));
    this.findings.push(
      { word: 'paging', state: 'seen', name: 'none', why, evidence, rows: rows.length },
      ...(['limit', 'position'] as const).map((word) => unclear(word, WHOLE)),
    );
    return true;
  }

  /** A limit returns as many rows as its value, unlike an offset, a page number or a filter. */
  async #limit(rows: readonly Row[] | undefined): Promise<string | undefined> {
    const count = rows?.length ?? ENOUGH;
    const few = count === 0 ? 'the list is empty' : 'the list has a single row';
    if (count < WINDOW) return this.#byBounds('limit', few, [LARGEST_PAGE, LARGEST_PAGE + 1]);
    const values = count >= ENOUGH ? [2, 1, 3] : [2, 1, 0];
    return this.#find({
      word: 'limit',
      together: { query: {}, base: rows ?? 'failed', values: [1] },
      trial: async (name) => {
        for (const value of values) {
          const answer = await this.#probe.ask({ [name]: value });
          if (!isRows(answer) || answer.length !== value) return undefined;
        }
        return { name, why: `returns as many rows as requested: ${values.join(', ')}` };
      },
    });
  }

  /** A sort parameter changes the order of the rows, or accepts only the documented fields. */
  async #sort(page: Query): Promise<string | undefined> {
    const base = await this.#probe.ask(page);
    return this.#find({
      word: 'sort',
      together: { query: page, base, values: [...this.#fields, NONSENSE] },
      trial: async (name) => {
        for (const field of this.#fields) {
          const rows = await this.#probe.ask({ ...page, [name]: field });
          if (!isRows(rows)) return undefined;
          if (!orderOf(rows, field) || !isRows(base)) continue;
          const isOther =
            orderOf(base, field) === 0 ||
            // Without a stable order, other rows may come first by chance.
            (!isSameList(rows, base) && isSameList(await this.#probe.ask(page), base));
          if (isOther) return { name, why: `sorts the rows by ${field}` };
        }
        const nonsense = await this.#probe.ask({ ...page, [name]: NONSENSE });
        if (nonsense !== 'refused') return undefined;
        return { name, why: 'accepts the documented fields and refuses others' };
      },
    });
  }

  async #dir(page: Query): Promise<string | undefined> {
    const base = await this.#probe.ask(page);
    return this.#find({
      word: 'dir',
      together: { query: page, base, values: ['desc', NONSENSE] },
      trial: async (name) => {
        const up = await this.#probe.ask({ ...page, [name]: 'asc' });
        if (!isRows(up)) return undefined;
        const down = await this.#probe.ask({ ...page, [name]: 'desc' });
        if (!isRows(down)) return undefined;
        const turned = this.#fields.find(
          (field) =>
            orderOf(up, field) === 1 && orderOf(down, field) === -1 && !isSameList(up, down),
        );
        if (turned !== undefined) return { name, why: `reverses the order by ${turned}` };
        const nonsense = await this.#probe.ask({ ...page, [name]: NONSENSE });
        if (nonsense !== 'refused') return undefined;
        return { name, why: 'accepts asc and desc and refuses others' };
      },
    });
  }

  /**
   * Reads windows of two rows. If the value of a parameter rises by one, an offset moves the window
   * by one row, and a page number moves it by two.
   */
  async #position(
    limit: string | undefined,
    rows: readonly Row[] | undefined,
    sorting: Query,
  ): Promise<void> {
    const word = 'position';
    const count = rows?.length ?? 0;
    if (rows !== undefined && count < ENOUGH) {
      const few = `the list has ${rowCount(count)}; proc needs three rows to observe the effect of an offset or page number`;
      await (count === 0 ? this.#byBounds(word, few, [1, -1]) : this.#pastTheEnd(rows, few));
      return;
    }
    if (limit === undefined) {
      await this.#ofFixedPages(rows);
      return;
    }
    const failed = this.#probe.failed.length;
    // The window moves at most twice, so the tests need rows for three windows.
    const wide = { ...sorting, [limit]: 3 * WINDOW };
    const [list, again] = [await this.#probe.ask(wide), await this.#probe.ask(wide)];
    if (!isRows(list) || !isSameList(again, list) || new Set(keysOf(list)).size < list.length) {
      const isUnread = this.#probe.failed.length > failed;
      this.findings.push(isUnread ? this.#notFound(word, failed, 0) : unclear(word, UNSTABLE));
      return;
    }
    const window = { ...sorting, [limit]: WINDOW };
    const keys = keysOf(list);
    /** Where the window begins in `list`, undefined if it is not there. */
    const begins = async (name: string, value: number): Promise<number | undefined> => {
      const answer = await this.#probe.ask({ ...window, [name]: value });
      if (!isRows(answer)) return undefined;
      const at = [0, 1, 2, 3, 4].find(
        (start) => `${keysOf(answer)}` === `${keys.slice(start, start + WINDOW)}`,
      );
      return at;
    };
    // Past the end of the list the window is empty, and begins at the end.
    const at = (start: number): number => Math.min(start, keys.length);
    await this.#find({
      word,
      together: {
        query: window,
        base: list.slice(0, WINDOW),
        values: [WINDOW],
        mayBeEmpty: list.length < 5,
      },
      trial: async (name) => {
        const one = await begins(name, 1);
        if (one === undefined) return undefined;
        const two = await begins(name, 2);
        if (one === 1 && two === at(2)) return { name, why: 'moves by rows' };
        if (one === WINDOW && two === at(2 * WINDOW) && (await begins(name, 0)) === 0)
          return { name, base: 0, why: 'moves by pages, the first of which is 0' };
        if (one !== 0) return undefined;
        if (two === WINDOW && (await begins(name, 3)) === at(2 * WINDOW))
          return { name, base: 1, why: 'moves by pages, the first of which is 1' };
        const why = 'counts rows from 1, which proc does not support';
        return two === 1 ? { name, why, state: 'unclear' } : undefined;
      },
    });
  }

  /** Without a limit, the pages have a size that the service chose. */
  async #ofFixedPages(rows: readonly Row[] | undefined): Promise<void> {
    const word = 'position';
    const again = await this.#probe.ask({});
    if (
      rows === undefined ||
      !isSameList(again, rows) ||
      new Set(keysOf(rows)).size < rows.length
    ) {
      const why = 'without a limit, the effect of an offset or page number cannot be observed';
      this.findings.push(unclear(word, why));
      return;
    }
    const keys = keysOf(rows);
    const ask = async (name: string, value: number): Promise<readonly string[] | undefined> => {
      const answer = await this.#probe.ask({ [name]: value });
      return isRows(answer) ? keysOf(answer) : undefined;
    };
    const isNext = (page: readonly string[] | undefined, before: readonly string[]) =>
      page !== undefined && page.length > 0 && !page.some((key) => before.includes(key));
    await this.#find({
      word,
      together: { query: {}, base: rows, values: [2] },
      trial: async (name) => {
        const [one = [], two] = [await ask(name, 1), await ask(name, 2)];
        if (one[0] === keys[1] && two?.[0] === keys[2]) return { name, why: 'moves by rows' };
        if (`${one}` === `${keys}` && isNext(two, keys))
          return { name, base: 1, why: 'moves by pages, the first of which is 1' };
        if (isNext(one, keys) && `${await ask(name, 0)}` === `${keys}`)
          return { name, base: 0, why: 'moves by pages, the first of which is 0' };
        return undefined;
      },
    });
  }

  /**
   * For a list with too few rows to prove an effect: a name that the service accepts and that was seen in
   * another list, or that has the bounds of the contract. Does not replace a name that somebody has set for
   * this list, if the service accepts it.
   */
  #byBounds(word: 'limit' | 'position', few: string, [inside, outside]: readonly [number, number]) {
    const accepts = async (name: string, value: number) =>
      isRows(await this.#probe.ask({ [name]: value }));
    const refuses = async (name: string, value: number) =>
      (await this.#probe.ask({ [name]: value })) === 'refused';
    return this.#find({
      word,
      few,
      together: { query: {}, base: [], values: [outside] },
      trial: async (name): Promise<Found | undefined> => {
        const seen = this.#model.find((one) => one.word === word && one.name === name);
        const isOwn = this.#isSet(word) && this.#ownNames(word)[0] === name;
        if (isOwn || seen !== undefined) {
          const first = isOwn ? this.#own.pageBase : (seen?.base ?? 0);
          if (!(await accepts(name, word === 'limit' ? PAGE : first))) return undefined;
          if (isOwn) return { name, state: 'unclear', why: `${few}; it is set, and accepted` };
          const why = `${few}; as in another list, and accepted here`;
          return { name, base: seen?.base, state: 'likely', why };
        }
        if (!(await accepts(name, inside)) || !(await refuses(name, outside))) return undefined;
        const why = `${few}; it accepts ${inside} and refuses ${outside}, as the contract says`;
        if (word === 'limit') return { name, state: 'likely', why };
        const base = (await refuses(name, 0)) ? 1 : PAGES.includes(name) ? 0 : undefined;
        return { name, base, state: 'likely', why };
      },
    });
  }

  /** For a list of one or two rows: a name that moves past the end of the list. */
  #pastTheEnd(rows: readonly Row[], few: string): Promise<string | undefined> {
    const count = async (name: string, value: number) => {
      const answer = await this.#probe.ask({ [name]: value });
      return isRows(answer) ? answer.length : answer;
    };
    const isPast = (seen: Awaited<ReturnType<typeof count>>) => seen === 0 || seen === 'refused';
    return this.#find({
      word: 'position',
      few,
      together: { query: {}, base: rows, values: [2], mayBeEmpty: true },
      trial: async (name): Promise<Found | undefined> => {
        const found = (base?: 0 | 1): Found => {
          return { name, base, state: 'likely', why: `${few}; it moves past the end` };
        };
        const [one, two] = [await count(name, 1), await count(name, 2)];
        if (!isPast(two)) return undefined;
        if (one === rows.length) return found(1);
        if (one === rows.length - 1 && one > 0) return found();
        if (!isPast(one) || (await count(name, 0)) !== rows.length) return undefined;
        return rows.length > 1 || PAGES.includes(name) ? found(0) : found();
      },
    });
  }

  /**
   * Tries the names that are set, or were seen in other lists, one by one. To save requests, it then sends all
   * others at once: if they have no effect together, it tries none of them alone.
   *
   * @returns the name that was found
   */
  async #find({ word, together, trial, few }: Search): Promise<string | undefined> {
    const failed = this.#probe.failed.length;
    const names = this.#namesOf(word);
    const others = names.filter((name) => !this.#isLikely(word, name));
    for (const name of names) {
      if (name === others[0] && (await this.#haveNoEffect(others, together))) break;
      const from = this.#probe.log.length;
      const found = await trial(name);
      if (found === undefined) continue;
      const evidence = this.#probe.log.slice(from);
      this.findings.push({ word, state: 'seen', ...found, evidence });
      return found.state === 'unclear' ? undefined : name;
    }
    this.findings.push(this.#notFound(word, failed, names.length, few));
    return undefined;
  }

  async #haveNoEffect(
    names: readonly string[],
    { query, base, values, mayBeEmpty = false }: Search['together'],
  ): Promise<boolean> {
    for (const value of values) {
      const answer = await this.#probe.ask({ ...query, ...allOf(names, value) });
      if (!isRows(base) || !isRows(answer)) return false;
      const isNone = answer.length === 0 && !mayBeEmpty;
      if (!isNone && !isSameList(answer, base)) return false;
    }
    return true;
  }

  #notFound(word: Parameter, failedBefore: number, tried: number, few?: string): Finding {
    const failed = this.#probe.failed.slice(failedBefore);
    if (failed.length === 0) {
      const none = `none of ${tried} names ${EFFECTS[word]}`;
      return unclear(word, few === undefined ? none : `${few}, and no name has these bounds`);
    }
    const count = failed.length === 1 ? '1 request' : `${failed.length} requests`;
    const why = `not certain, because ${count} failed`;
    return { ...unclear(word, why), evidence: firstOf(failed) };
  }

  /**
   * A name that somebody has set for this list, then names seen in other lists, then the default and the common
   * names. Without those that are known to mean something else.
   */
  #namesOf(word: Parameter): readonly string[] {
    const own = this.#ownNames(word);
    const seen = this.#model.flatMap((one) => (one.word === word ? (one.name ?? []) : []));
    const first = this.#isSet(word) ? [...own, ...seen] : [...seen, ...own];
    const taken = this.findings.flatMap(({ name }) => name ?? []);
    return [...new Set([...first, ...NAMES[word]])].filter((name) => !taken.includes(name));
  }

  #isLikely(word: Parameter, name: string): boolean {
    if (this.#isSet(word) && this.#ownNames(word).includes(name)) return true;
    return this.#model.some((one) => one.word === word && one.name === name);
  }

  #ownNames(word: Parameter): readonly string[] {
    const { page, offset } = this.#own;
    if (word !== 'position') return [this.#own[word]];
    return page === undefined ? [offset] : [page, offset];
  }

  #isSet(word: Parameter): boolean {
    return this.#ownNames(word)[0] !== DEFAULT_DIALECT[word === 'position' ? 'offset' : word];
  }
}

const UNSTABLE = 'the order of the list changes between requests';
const WHOLE = 'the service returns the whole list in one response';

function unclear(word: Word, why: string): Finding {
  return { word, state: 'unclear', why, evidence: [] };
}

function allOf(names: readonly string[], value: string | number): Query {
  return Object.fromEntries(names.map((name) => [name, value]));
}

function isSameList(answer: Answer, rows: readonly Row[]): boolean {
  return isRows(answer) && `${keysOf(answer)}` === `${keysOf(rows)}`;
}

/** In any order. */
function hasSameRows(answer: Answer, rows: readonly Row[]): boolean {
  const before = new Set(keysOf(rows));
  if (!isRows(answer) || answer.length !== rows.length || before.size < rows.length) return false;
  return keysOf(answer).every((key) => before.has(key));
}

function firstOf(lines: readonly string[]): readonly string[] {
  const more = lines.length - MOST_SHOWN;
  return more > 0 ? [...lines.slice(0, MOST_SHOWN), `and ${more} more requests`] : lines;
}
