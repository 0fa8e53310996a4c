import { PAGE_INDEX } from '../client/request.ts';
import { isWholeList } from '../client/whole-list.ts';
import { type EndpointSpec, nounOf } from '../core/endpoint.ts';
import type { Row } from '../core/result.ts';
import type { Target } from '../core/service-target.ts';

/** The largest page that docs/service-contract.md §8 allows. */
export const MAX_PAGE = 100;

/**
 * Sends one read, and retries it as its caller sees fit; throws ProcError.
 *
 * @param alone on a connection of its own: its answer cannot be another request's
 */
export type ReadRows = (
  endpoint: EndpointSpec,
  query: Readonly<Record<string, unknown>>,
  alone?: boolean,
) => Promise<readonly Row[]>;

/** Where lists are read. */
export interface ListSource {
  readonly target: Pick<Target, 'dialect'>;
  readonly read: ReadRows;
  /** False: the service is known to refuse the sort parameters by these names. */
  readonly takesSort?: boolean | undefined;
}

/** A part of a list; empty: as the service sends it without a word about paging. */
export interface Part {
  readonly limit?: number;
  readonly offset?: number;
  /** Pages before it, for services that page by number; without it the offset must be a whole number of pages. */
  readonly index?: number | undefined;
}

/** The only place that asks a service for a part of a list, whatever its dialect calls the parameters. */
export class ListReader {
  /** The service sends the list whole, in one answer. */
  readonly isWhole: boolean;
  /** Pages have numbers, so that they cannot overlap as one likes. */
  readonly byNumber: boolean;
  readonly #endpoint: EndpointSpec;
  readonly #read: ReadRows;

  constructor(endpoint: EndpointSpec, { target, read }: Pick<ListSource, 'target' | 'read'>) {
    this.#endpoint = endpoint;
    this.#read = read;
    this.isWhole = isWholeList(endpoint, target);
    this.byNumber = target.dialect(nounOf(endpoint)).page !== undefined;
  }

  /** @param rest further parameters, such as the order */
  rows({ index, ...part }: Part, rest: Row, alone?: boolean): Promise<readonly Row[]> {
    const number = index === undefined ? {} : { [PAGE_INDEX]: index };
    return this.#read(this.#endpoint, { ...part, ...number, ...rest }, alone);
  }
}
