import { isLoopback } from './text/loopback.ts';

/**
 * Whose a remembered write is: this organization's; another one's at the same service; not recorded, as
 * an earlier version of proc wrote it. Anything at another service is `elsewhere`.
 */
export type Whose = 'ours' | 'foreign' | 'unrecorded' | 'elsewhere';

/** What every record of a write keeps, to tell later whose it was. */
export interface Origin {
  readonly baseUrl: string;
  /** Undefined: written before organizations were recorded. */
  readonly organization: string | undefined;
}

/**
 * A service and an organization: what "sent before" refers to. Organizations share addresses, so
 * nothing remembered may be looked up by the service alone.
 */
export class Scope {
  readonly service: string;
  /** Recorded with whatever is written; undefined for a run from before organizations were recorded. */
  readonly organization: string | undefined;
  /** Other organizations that have written here, if the key is new and could be theirs. */
  readonly others: readonly string[];
  readonly #names: ReadonlySet<string>;
  readonly #markOf: ((run: string) => string) | undefined;

  /**
   * @param known.names under which this key has written before
   * @param known.markOf marks the key as runs do, to recognise those without an organization
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

  whose({ baseUrl, organization }: Origin): Whose {
    return serviceOf(baseUrl) === this.service ? this.whoseAt(organization) : 'elsewhere';
  }

  /** The same for a record of this service. */
  whoseAt(organization: string | null | undefined): Exclude<Whose, 'elsewhere'> {
    if (organization === undefined || organization === null) return 'unrecorded';
    return this.#names.has(organization) ? 'ours' : 'foreign';
  }

  /** A mark of the key that tells keys apart, of one run; undefined where it cannot be made. */
  markOf(run: string): string | undefined {
    return this.#markOf?.(run);
  }

  /** Whether a run was sent with this very key; it carries a mark of it. */
  sentWithThisKey(run: string, mark: string | undefined): boolean {
    return mark !== undefined && this.#markOf?.(run) === mark;
  }

  /** Every name of this organization, for SQL. */
  get names(): readonly string[] {
    return [...this.#names];
  }

  /** One text for both, for keys of files and locks; the bare service as earlier versions had it. */
  get key(): string {
    const { service, organization } = this;
    return organization === undefined ? service : `${service} ${organization}`;
  }
}

/** The service that a base URL means: `localhost` and `127.0.0.1` with one port are one service. */
export function serviceOf(baseUrl: string): string {
  const url = new URL(baseUrl);
  if (isLoopback(url.hostname)) url.hostname = '127.0.0.1';
  return url.href.replace(/\/+$/, '');
}
