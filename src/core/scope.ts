import { isLoopback } from './text/loopback.ts';

/**
 * Who made a stored write. `ours`: this organization. `foreign`: another organization of the same service.
 * `elsewhere`: the write went to another service.
 */
export type Ownership = 'ours' | 'foreign' | 'elsewhere';

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
  /**
   * Only for a new key: organizations with stored writes to this service. The key may belong to one of
   * them.
   */
  readonly others: readonly string[];
  readonly #names: ReadonlySet<string>;
  readonly #markOf: ((run: string) => string) | undefined;

  /**
   * @param known.names organizations under which this key has written before
   * @param known.markOf computes the mark of this key for a run. A run stores the mark of the key that
   * sent its rows
   */
  constructor(
    { baseUrl, organization }: Origin,
    known: {
      readonly names?: readonly string[];
      readonly others?: readonly string[];
      readonly markOf?: (run: string) => string;
    } = {},
  ) {
    this.service = serviceOf(baseUrl);
    this.organization = organization;
    this.others = known.others ?? [];
    this.#names = new Set([
      ...(organization === undefined ? [] : [organization]),
      ...(known.names ?? []),
    ]);
    this.#markOf = known.markOf;
  }

  ownershipOf({ baseUrl, organization }: Origin): Ownership {
    return serviceOf(baseUrl) === this.service ? this.ownershipIn(organization) : 'elsewhere';
  }

  ownershipIn(organization: string | undefined): Exclude<Ownership, 'elsewhere'> {
    if (organization === undefined) return 'foreign';
    return this.#names.has(organization) ? 'ours' : 'foreign';
  }

  /** A hash of the key, salted with the name of the run. Undefined if the key is not known. */
  markOf(run: string): string | undefined {
    return this.#markOf?.(run);
  }

  get names(): readonly string[] {
    return [...this.#names];
  }

  /** Names the scope in files and locks. Without a key, there is no organization. */
  get key(): string {
    const { service, organization } = this;
    return organization === undefined ? service : `${service} ${organization}`;
  }
}

/** `localhost` and `127.0.0.1` with the same port are the same service. */
export function serviceOf(baseUrl: string): string {
  const url = new URL(baseUrl);
  if (isLoopback(url.hostname)) url.hostname = '127.0.0.1';
  return url.href.replace(/\/+$/, '');
}
