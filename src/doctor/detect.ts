import { DEFAULT_DIALECT } from '../config/dialect.ts';
import { type EndpointSpec, nounOf } from '../core/endpoint.ts';
import type { Row } from '../core/result.ts';
import type { Dialect } from '../core/service-target.ts';
import { orderOf } from '../listing/comparators.ts';
import { jsonSchemaOf } from '../schema/json-schema.ts';
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

export interface Finding {
  readonly word: Word;
  /** Only names whose effect was `seen` are used. */
  readonly state: 'seen' | 'unclear';
  readonly name?: string;
  /** For page numbers: the number of the first page. */
  readonly base?: 0 | 1 | undefined;
  /** What proves the finding, or why there is no proof. */
  readonly why: string;
  /** The list has too few rows to show an effect. */
  readonly isShort?: boolean;
}

type Found = Pick<Finding, 'name' | 'base' | 'why'>;

const words = (text: string): readonly string[] => text.split(' ');
const NAMES: Readonly<Record<Parameter, readonly string[]>> = {
  limit: words(
    'limit pageSize page_size perPage per_page size max count take top first maxResults max_results pageLimit page_limit rows page[size] page[limit] $top',
  ),
  // Only the effect shows whether a parameter counts rows or pages.
  position: words(
    'offset skip start from startIndex start_index startAt firstResult $skip page[offset] page pageNumber page_number pageIndex page_index pageNo currentPage p page[number]',
  ),
  sort: words(
    'sort sortBy sort_by orderBy order_by sortField sort_field orderField order_field sortColumn sortKey order ordering $orderby',
  ),
  dir: words(
    'dir direction order sortDir sort_dir sortDirection sort_direction sortOrder sort_order orderDir order_dir orderDirection order_direction sort ordering',
  ),
};
const EFFECTS: Readonly<Record<Parameter, string>> = {
  limit: 'limits the number of rows',
  position: 'moves through the list',
  sort: 'changes the order or refuses other fields',
  dir: 'reverses the order or refuses other values',
};
const ORDER: readonly Word[] = ['paging', 'limit', 'position', 'sort', 'dir'];

/** The largest page of the contract (docs/service-contract.md §8). */
const LARGEST_PAGE = 100;
/** With fewer rows, the effect of a limit, offset or page number cannot be observed. */
const ENOUGH = 3;
const WINDOW = 2;
const PAGE = 20;
const NONSENSE = 'proc-doctor';

const UNSTABLE = 'the order of the list changes between requests';

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
  const own = ports.sender.target.dialect(nounOf(spec));
  const detection = new Detection(spec, new Probe(spec, ports), own, model);
  try {
    await detection.run();
  } catch (thrown) {
    if (!(thrown instanceof ProbeEnded)) throw thrown;
    for (const word of ORDER) {
      const isKnown = detection.findings.some((finding) => finding.word === word);
      if (word !== 'paging' && !isKnown) detection.findings.push(unclear(word, thrown.message));
    }
  }
  return detection.findings.toSorted((a, b) => ORDER.indexOf(a.word) - ORDER.indexOf(b.word));
}

/** The search for one parameter. */
interface Search {
  readonly word: Parameter;
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
    const none = 'the service returns the whole list in one response';
    this.findings.push(
      { word: 'paging', state: 'seen', name: 'none', why },
      unclear('limit', none),
      unclear('position', none),
    );
    return true;
  }

  /** A limit returns as many rows as its value, unlike an offset, a page number or a filter. */
  async #limit(rows: readonly Row[] | undefined): Promise<string | undefined> {
    if (rows !== undefined && rows.length < ENOUGH) {
      this.findings.push(tooFew('limit', rows.length));
      return undefined;
    }
    return this.#find({
      word: 'limit',
      together: { query: {}, base: rows ?? 'failed', values: [1] },
      trial: async (name) => {
        for (const value of [2, 1, 3]) {
          const answer = await this.#probe.ask({ [name]: value });
          if (!isRows(answer) || answer.length !== value) return undefined;
        }
        return { name, why: 'returns as many rows as requested: 2, 1, 3' };
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
    if (rows !== undefined && rows.length < ENOUGH) {
      this.findings.push(tooFew(word, rows.length));
      return;
    }
    if (limit === undefined) {
      const why = 'without a limit, the effect of an offset or page number cannot be observed';
      this.findings.push(unclear(word, why));
      return;
    }
    const { failed } = this.#probe;
    // The window moves at most twice, so the tests need rows for three windows.
    const wide = { ...sorting, [limit]: 3 * WINDOW };
    const [list, again] = [await this.#probe.ask(wide), await this.#probe.ask(wide)];
    if (!isRows(list) || !isSameList(again, list) || new Set(keysOf(list)).size < list.length) {
      const isUnread = this.#probe.failed > failed;
      this.findings.push(isUnread ? this.#notFound(word, failed, 0) : unclear(word, UNSTABLE));
      return;
    }
    const window = { ...sorting, [limit]: WINDOW };
    const keys = keysOf(list);
    /** Where the window begins in `list`, undefined if it is not there. */
    const begins = async (name: string, value: number): Promise<number | undefined> => {
      const answer = await this.#probe.ask({ ...window, [name]: value });
      if (!isRows(answer)) return undefined;
      return [0, 1, 2, 3, 4].find(
        (start) => `${keysOf(answer)}` === `${keys.slice(start, start + WINDOW)}`,
      );
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
        if (one === 0 && two === WINDOW && (await begins(name, 3)) === at(2 * WINDOW))
          return { name, base: 1, why: 'moves by pages, the first of which is 1' };
        return undefined;
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
   * Tries the names that are set, or were seen in other lists, one by one. To save requests, it then sends all
   * others at once: if they have no effect together, it tries none of them alone.
   *
   * @returns the name that was found
   */
  async #find({ word, together, trial }: Search): Promise<string | undefined> {
    const { failed } = this.#probe;
    const names = this.#namesOf(word);
    const others = names.filter((name) => !this.#isLikely(word, name));
    for (const name of names) {
      if (name === others[0] && (await this.#haveNoEffect(others, together))) break;
      const found = await trial(name);
      if (found === undefined) continue;
      this.findings.push({ word, state: 'seen', ...found });
      return name;
    }
    this.findings.push(this.#notFound(word, failed, names.length));
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

  #notFound(word: Parameter, failedBefore: number, tried: number): Finding {
    const failed = this.#probe.failed - failedBefore;
    if (failed === 0) return unclear(word, `none of ${tried} names ${EFFECTS[word]}`);
    const count = failed === 1 ? '1 request' : `${failed} requests`;
    return unclear(word, `not certain, because ${count} failed`);
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

function unclear(word: Word, why: string): Finding {
  return { word, state: 'unclear', why };
}

function tooFew(word: Word, count: number): Finding {
  const why = `the list has ${rowCount(count)}; with three, proc can observe the effect`;
  return { ...unclear(word, why), isShort: true };
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
