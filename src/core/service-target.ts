import type { Secret } from './service/secret.ts';

export type Scheme = 'api-key' | 'bearer';

/** Never log a credential, or put it into an error. */
export interface Credential {
  readonly scheme: Scheme;
  readonly secret: Secret;
}

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
