import type { AnyInput, EndpointSpec } from './endpoint.ts';
import { ProcError } from './errors.ts';
import type { Outcome } from './outcome.ts';
import type { Credential } from './secret.ts';
import { inShell } from './wording.ts';

/** The names that the service gives to list parameters, and how it pages. */
export interface Dialect {
  /** `none`: each response is the whole list. proc sends no limit, offset or page number. */
  readonly paging: 'bounded' | 'none';
  readonly limit: string;
  readonly offset: string;
  /** If set, proc sends page numbers under this name, and no `offset`. */
  readonly page?: string | undefined;
  readonly pageBase: number;
  readonly sort: string;
  readonly dir: string;
  /** What the field `sector` of a requisition holds: the id, key or name of the sector. */
  readonly sectorValue: 'id' | 'key' | 'name';
}

export interface Target {
  readonly profile: string | undefined;
  readonly environment: string | undefined;
  /** The profile that the credential belongs to; undefined if the credential came from elsewhere. */
  readonly credentialProfile: string | undefined;
  /** Includes `/api/v1`, without a trailing slash. */
  readonly baseUrl: string;
  /** The variable that the key comes from. */
  readonly keyVariable?: string | undefined;
  /** What forbids every write: the variable, or the setting `readOnly` of the environment. */
  readonly readOnly: 'PROC_READ_ONLY' | 'setting' | undefined;
  /** From the settings. Default: true if not on loopback. */
  readonly isProtected: boolean;
  /** The setting `settle`: how long the service may take to apply a request, ms. */
  readonly settleMs?: number | undefined;
  /** The setting `concurrency`: requests at once. Undefined: proc adapts the number. */
  readonly concurrency?: number | undefined;
  /** `PROC_PATIENCE`: how long a busy or unreachable service is tried, ms. */
  readonly patienceMs?: number | undefined;
  /** Further certificate authorities: the path of a PEM file, and the place of the setting. */
  readonly authorities?: { readonly value: string; readonly place: string } | undefined;
  dialect(noun: string): Dialect;
}

/** For the client. Handlers get a {@link Target}; only `proc setup` makes a keyed target, to test a key. */
export interface KeyedTarget extends Target {
  /** In a preview, undefined if there is no key, or only a `credentialCommand` that was not run. */
  readonly credential: Credential | undefined;
}

const SETTLE_MS = 30_000;

/**
 * A request leaves within this time of before the transaction that records it, or never. So what another process has
 * recorded without an outcome is in flight for so long, and the settle time.
 */
export const INTENT_MS = 5_000;

/** `PROC_SETTLE`, else the setting of the environment, else twice the timeout, but at least 30 s. */
export function settleMsOf(
  { settleMs }: Pick<Target, 'settleMs'>,
  { timeoutMs }: { readonly timeoutMs: number },
): number {
  return settleMs ?? Math.max(2 * timeoutMs, SETTLE_MS);
}

/** `acme · production`. Without a profile: the host. */
export function placeName({
  profile,
  environment,
  baseUrl,
}: Pick<Target, 'profile' | 'environment' | 'baseUrl'>): string {
  const { host } = new URL(baseUrl);
  if (profile === undefined) return host;
  return environment === undefined ? profile : `${profile} · ${environment}`;
}

/**
 * @param what the refused action, for the error: `proc items create`, `POST /api/v1/items/`
 * @throws ProcError `read_only`, before anything is sent
 */
export function requireWritable(
  {
    readOnly,
    profile = '',
    environment = '',
  }: Pick<Target, 'readOnly'> & Partial<Pick<Target, 'profile' | 'environment'>>,
  what: string,
): void {
  if (readOnly === undefined) return;
  const isVariable = readOnly === 'PROC_READ_ONLY';
  const why = isVariable ? 'PROC_READ_ONLY is set' : `${profile}/${environment} is read-only`;
  const lift = isVariable
    ? 'unset PROC_READ_ONLY'
    : `proc profile set ${inShell(profile)} -e ${inShell(environment)} readOnly=false`;
  throw new ProcError('read_only', `${what} is not allowed: ${why}; nothing was sent`, {
    hint: `To see what would be sent, add --dry-run. To allow it: ${lift}`,
    details: { place: isVariable ? readOnly : `${profile}/${environment}` },
  });
}

/**
 * Sends one body (JSON text) and reports its outcome.
 *
 * @param mayLeave asked when the request is about to be written; if not, it is not sent
 */
export type Post = (
  body: string,
  onOutcome: (outcome: Outcome) => void,
  mayLeave: () => boolean,
) => void;

/** Sends single requests for code that decides itself how to react to each outcome (imports). */
export interface Sender {
  readonly target: Target;
  /** One attempt, without retry. Never throws for what the service or the network does. */
  send(spec: EndpointSpec, input: AnyInput): Promise<Outcome>;
  /** As `send`, for millions of requests. Reports the outcome as soon as the response ends. */
  poster(spec: EndpointSpec): Post;
}

export function isLoopback(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase();
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

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
