import type { Readable, Writable } from 'node:stream';

/** The three streams of a process, or their memory twins. */
export interface Streams {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: Writable & { readonly isTTY?: boolean; readonly columns?: number };
}

export type Env = Readonly<Record<string, string | undefined>>;

export type Scheme = 'api-key' | 'bearer';

/** A secret with the scheme it belongs to. Never logged, never put into an error. */
export interface Credential {
  readonly scheme: Scheme;
  readonly secret: string;
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

/** Where requests go, fully resolved. The client gets this, never Settings. */
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
  /** Undefined is allowed only where nothing is sent (`--dry-run`, `--curl`). */
  readonly credential: Credential | undefined;
  /** Not on loopback, unless marked otherwise. */
  readonly isProtected: boolean;
  /** Plain http to a host that is not loopback was allowed for this environment. */
  readonly allowHttp: boolean;
  /** The dialect of a noun (`items`), overrides applied. */
  dialect(noun: string): Dialect;
}

/** Something said on stderr while a command works; rendered as text or as JSON lines. */
export type Message =
  | { readonly kind: 'notice' | 'warning'; readonly text: string }
  | { readonly kind: 'progress'; readonly text: string; readonly data: unknown }
  | { readonly kind: 'http'; readonly text: string; readonly data: unknown };

/** Says a message on stderr. */
export type Say = (message: Message) => void;

/** Time and chance, injected so that tests decide them. */
export interface Clock {
  /** Wall time, milliseconds since the epoch. Somebody may set it at any moment. */
  now(): number;
  /** Milliseconds on a clock that nobody can set, for everything that lasts. */
  monotonic(): number;
  /**
   * Names what `monotonic` counts from, where another process can count on from it: one boot of the
   * machine. Undefined where that cannot be told.
   */
  boot(): string | undefined;
  /** Rejects with the signal's reason when aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** In [0, 1). */
  random(): number;
}
