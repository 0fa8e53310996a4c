import { isLoopback } from './text/loopback.ts';

export interface Origin {
  readonly baseUrl: string;
  readonly organization: string | undefined;
}

/**
 * A service and an organization. Never look up stored writes by the service alone, because organizations
 * share addresses.
 */
export class Scope {
  readonly service: string;
  /** Undefined only without a key, in a preview. */
  readonly organization: string | undefined;
  /** Only for a new key without a name: organizations that have written to this service. It may be theirs. */
  readonly others: readonly string[];
  /** The same for a key in all ledgers; undefined without a key. */
  readonly alias: string | undefined;
  // Makes an object with the same fields another type.
  readonly #key: string;

  constructor(
    { baseUrl, organization }: Origin,
    others: readonly string[] = [],
    alias: string | undefined = undefined,
  ) {
    this.alias = alias;
    this.service = serviceOf(baseUrl);
    this.organization = organization;
    this.others = others;
    this.#key = organization === undefined ? this.service : `${this.service} ${organization}`;
  }

  /** Names the scope in the ledger, in files and locks. Without a key, there is no organization. */
  get key(): string {
    return this.#key;
  }
}

/** `localhost` and `127.0.0.1` with the same port are the same service. */
export function serviceOf(baseUrl: string): string {
  const url = new URL(baseUrl);
  if (isLoopback(url.hostname)) url.hostname = '127.0.0.1';
  return url.href.replace(/\/+$/, '');
}
