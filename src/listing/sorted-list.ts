import { type EndpointSpec, nounOf } from '../core/endpoint.ts';

export interface SortedList {
  readonly endpoint: EndpointSpec;
  /** The value of `sort` for the key field. */
  readonly sort: string;
  readonly idField: string;
  /** The field that identifies rows without a key (`--no-code name`). */
  readonly nameField: string;
}

/** A noun whose records have a key, and its list, if there is one. */
export interface ListedNoun {
  readonly noun: string;
  readonly keyField: string;
  readonly listing?: SortedList;
}

/** A list whose rows are identified by `code`, such as items and orders. */
export function codedList(endpoint: EndpointSpec): ListedNoun {
  const listing = { endpoint, sort: 'code', idField: 'id', nameField: 'name' };
  return { noun: nounOf(endpoint), keyField: 'code', listing };
}
