import { type EndpointSpec, nounOf } from '../core/endpoint.ts';
import type { Row } from '../core/result.ts';
import type { Sender } from '../core/service/sender.ts';
import type { Target } from '../core/service-target.ts';
import { type Patience, patientRead } from '../http/call.ts';
import { isWholeList, PAGE_INDEX } from '../http/request.ts';

/** The largest page that docs/service-contract.md §8 allows. */
export const MAX_PAGE = 100;

/** Sends one read with the retries that the caller chooses. Throws ProcError. */
export type ReadRows = (
  endpoint: EndpointSpec,
  query: Readonly<Record<string, unknown>>,
) => Promise<readonly Row[]>;

export interface ListSource {
  readonly target: Pick<Target, 'dialect'>;
  readonly read: ReadRows;
}

/** How long the reads before the first row of an import are tried. */
export const READ_PATIENCE_MS = 60_000;

/** Reads parts of lists through a sender, again after every temporary failure. */
export function patientReader(
  sender: Pick<Sender, 'target' | 'send'>,
  patience: Patience,
): ReadRows {
  const read = patientRead(sender, patience);
  return async (endpoint, query) => (await read(endpoint, { query })) as readonly Row[];
}

/** A part of a list; empty for a request without paging parameters. */
export interface Part {
  readonly limit?: number;
  readonly offset?: number;
  /**
   * Number of pages before this page, for services with page numbers. Without it, the offset must be a
   * multiple of the limit.
   */
  readonly index?: number | undefined;
}

export type ListReader = ReturnType<typeof listReader>;

export function listReader(
  endpoint: EndpointSpec,
  { target, read }: Pick<ListSource, 'target' | 'read'>,
) {
  return {
    isWhole: isWholeList(endpoint, target),

    /** The service uses page numbers, so a page can begin only at a multiple of the limit. */
    get byNumber(): boolean {
      return target.dialect(nounOf(endpoint)).page !== undefined;
    },

    rows({ index, ...part }: Part, rest: Row): Promise<readonly Row[]> {
      const number = index === undefined ? {} : { [PAGE_INDEX]: index };
      return read(endpoint, { ...part, ...number, ...rest });
    },
  };
}
