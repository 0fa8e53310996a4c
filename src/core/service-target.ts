import type { Access } from './service/access.ts';
import type { ApprovalRule } from './service/approval-rule.ts';
import type { Secret } from './service/secret.ts';

export type Scheme = 'api-key' | 'bearer';

/** A secret with the scheme it belongs to. Never logged, never put into an error. */
export interface Credential {
  readonly scheme: Scheme;
  readonly secret: Secret;
}

/** The service's names for the list parameters that the contract leaves unnamed. */
export interface Dialect {
  /** `none`: each answer is the whole list, and proc sends neither a limit nor an offset or page number. */
  readonly paging: 'bounded' | 'none';
  readonly limit: string;
  readonly offset: string;
  /** If set, the service pages by number, and proc does not send `offset`. */
  readonly page?: string | undefined;
  readonly pageBase: number;
  readonly sort: string;
  readonly dir: string;
  /** What the field `sector` of a requisition holds: the id, key or name of the sector. */
  readonly sectorValue: 'id' | 'key' | 'name';
}

/** A certificate that proves to the service who calls. It is used only for the origin of its target. */
export interface ClientCertificate {
  /** Paths of PEM files; both may be the same file. Relative paths start in the working directory. */
  readonly cert: string;
  readonly key: string;
  readonly passphraseCommand?: readonly string[] | undefined;
}

interface KeyMark {
  readonly scheme: Scheme;
  /** Tells two secrets apart without revealing either. */
  readonly fingerprint: string;
}

/** Where requests go, fully resolved, without the secret. */
export interface Target {
  readonly profile: string | undefined;
  readonly environment: string | undefined;
  /** The profile whose own credential is used; undefined if the credential came from elsewhere. */
  readonly credentialProfile: string | undefined;
  /** Only a project file (`.proc.json`) chose the profile; the user did not. */
  readonly isProjectChoice: boolean;
  /** The address differs from the one that the settings have for this environment (`PROC_BASE_URL`). */
  readonly isOtherAddress: boolean;
  /** Includes `/api/v1`, without a trailing slash. */
  readonly baseUrl: string;
  /**
   * Undefined while `proc setup` checks a new target, and in a preview without a key. A preview does not run a
   * `credentialCommand`, so it has no key from there.
   */
  readonly key: KeyMark | undefined;
  readonly access: Access;
  readonly approvals: ApprovalRule;
  /** True if not on loopback, unless the settings say otherwise. */
  readonly isProtected: boolean;
  /** The settings allow plain http to a host that is not loopback, for this environment. */
  readonly allowHttp: boolean;
  readonly clientCertificate?: ClientCertificate | undefined;
  /** The dialect of a noun (`items`), including settings for that noun alone. */
  dialect(noun: string): Dialect;
}

/** What the client receives; handlers see no credential. */
export interface KeyedTarget extends Target {
  readonly credential: Credential | undefined;
}
