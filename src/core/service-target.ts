import type { Secret } from './service/secret.ts';

export type Scheme = 'api-key' | 'bearer';

/** A secret with the scheme it belongs to. Never logged, never put into an error. */
export interface Credential {
  readonly scheme: Scheme;
  readonly secret: Secret;
}

/**
 * The words this service uses for the list parameters that the contract leaves unnamed.
 * A parameter is named by its canonical name here; `undefined` page means row offsets.
 */
export interface Dialect {
  /** `none`: each answer is the whole list; neither a limit nor a position is sent. */
  readonly paging: 'bounded' | 'none';
  readonly limit: string;
  readonly offset: string;
  /** Set: the service pages by number, `offset` is not sent. */
  readonly page?: string | undefined;
  /** Number of the first page. */
  readonly pageBase: number;
  readonly sort: string;
  readonly dir: string;
  /** Which field of a sector goes into a requisition's `sector`. */
  readonly sectorValue: 'id' | 'key' | 'name';
}

/** What may be told of a credential. */
interface KeyMark {
  readonly scheme: Scheme;
  /** Tells two secrets apart without showing either. */
  readonly fingerprint: string;
}

/** Where requests go, fully resolved, without the secret. */
export interface Target {
  /** Profile and environment by name; undefined where only a URL was given. */
  readonly profile: string | undefined;
  readonly environment: string | undefined;
  /** The profile whose own credential is used; undefined if the credential came from elsewhere. */
  readonly credentialProfile: string | undefined;
  /** Only a project file (`.proc.json`) chose the profile; the user did not. */
  readonly isProjectChoice: boolean;
  /** The address is not the one that the settings have for this environment (`PROC_BASE_URL`). */
  readonly isOtherAddress: boolean;
  /** Includes `/api/v1`, without a trailing slash. */
  readonly baseUrl: string;
  /** Undefined only where nothing is sent (`--dry-run`, `--curl`). */
  readonly key: KeyMark | undefined;
  /** Not on loopback, unless marked otherwise. */
  readonly isProtected: boolean;
  /** Plain http to a host that is not loopback was allowed for this environment. */
  readonly allowHttp: boolean;
  /** The dialect of a noun (`items`), overrides applied. */
  dialect(noun: string): Dialect;
}

/** What the client gets; handlers see no credential. */
export interface KeyedTarget extends Target {
  readonly credential: Credential | undefined;
}
