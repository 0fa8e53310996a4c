import { type EndpointSpec, nounOf } from '../core/endpoint.ts';

/** A list in which what was created can be seen, and how it can be searched. */
export interface SortedList {
  /** Rows carry `id`, the key field and the name field. */
  readonly endpoint: EndpointSpec;
  /** Value of `sort` that orders by the key field. */
  readonly sort: string;
  readonly idField: string;
  /** Recognises rows without a key where the user asks for it (`--no-code name`). */
  readonly nameField: string;
}

/** A noun whose records have a key, and the list of them, if there is one. */
export interface ListedNoun {
  readonly noun: string;
  readonly keyField: string;
  readonly listing?: SortedList;
}

/** A list whose rows are known by `code`, as the contract has them of items and orders. */
export function codedList(endpoint: EndpointSpec): ListedNoun {
  const listing = { endpoint, sort: 'code', idField: 'id', nameField: 'name' };
  return { noun: nounOf(endpoint), keyField: 'code', listing };
}
