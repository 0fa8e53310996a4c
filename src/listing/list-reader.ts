import { type EndpointSpec, nounOf } from '../core/endpoint.ts';
import type { Row } from '../core/result.ts';
import type { Sender } from '../core/service/sender.ts';
import type { Target } from '../core/service-target.ts';
import { type Patience, patientRead } from '../http/call.ts';

/** The largest page that docs/service-contract.md §8 allows. */
export const MAX_PAGE = 100;

/** How long the reads before the first row of an import are tried. */
export const READ_PATIENCE_MS = 60_000;

export interface ListSource {
  readonly target: Pick<Target, 'dialect'>;
  /** Sends one read with the retries that the caller chooses. Throws ProcError. */
  readonly read: (
    endpoint: EndpointSpec,
    query: Readonly<Record<string, unknown>>,
  ) => Promise<readonly Row[]>;
}

/** Reads parts of lists through a sender, again after every temporary failure. */
export function patientReader(
  sender: Pick<Sender, 'target' | 'send'>,
  patience: Patience,
): ListSource['read'] {
  const read = patientRead(sender, patience);
  return async (endpoint, query) => (await read(endpoint, { query })) as readonly Row[];
}

/** The service uses page numbers, so a page can begin only at a multiple of the limit. */
export function byPageNumber(endpoint: EndpointSpec, target: ListSource['target']): boolean {
  return target.dialect(nounOf(endpoint)).page !== undefined;
}
