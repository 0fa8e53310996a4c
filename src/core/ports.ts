import type { Readable, Writable } from 'node:stream';
import type { CommandTree } from './command-tree.ts';
import type { AnyInput, BodyOf, EndpointSpec, InputOf, OutputOf } from './endpoint.ts';
import type { ProcError } from './errors.ts';
import type { Result, Row, ShownRequest } from './result.ts';
import type { Scope } from './scope.ts';
import type { Sender } from './service/sender.ts';
import type { KeyedTarget, Target } from './service-target.ts';
import type { Lang, Phrase } from './text/phrase.ts';

/**
 * What handlers receive. A command names the ports that it needs (`needs: ['io', 'api']`), and its handler
 * gets only these; `cli/wire` opens them.
 */
export interface AllPorts {
  readonly io: IoPort;
  readonly api: ApiPort;
  readonly lookup: LookupPort;
  readonly input: InputPort;
  readonly ask: AskPort;
  readonly store: StorePort;
  readonly self: SelfPort;
}

export type PortName = keyof AllPorts;

/** Some of the ports, by name: `Ports<'io' | 'api'>`. */
export type Ports<Names extends PortName> = Pick<AllPorts, Names>;

/** What a person or a script sees besides the result. */
export interface IoPort {
  readonly streams: Streams;
  readonly terminal: Terminal;
  /** Writes a message to stderr: text on a terminal, JSON lines for scripts. */
  readonly say: Say;
  /** Reports an error that does not end the command, e.g. for one of several ids. */
  complain(error: ProcError): void;
  /**
   * Language of questions: `--lang`; on a terminal also `PROC_LANG`, the configuration and the locale;
   * otherwise English.
   */
  lang(): Promise<Lang>;
  /**
   * Language of a report, which people read wherever it is written: `--lang`, `PROC_LANG`, the
   * configuration; on a terminal also the locale.
   */
  reportLang(): Promise<Lang>;
}

/**
 * Requests to the service. A handler says what to send and what its answer becomes; under `--dry-run` and
 * `--curl` another implementation returns the request itself as the result.
 */
export interface ApiPort {
  /**
   * `--dry-run` or `--curl`: nothing may be sent. Only commands with a plan of their own (imports, the
   * wizard) need to check this.
   */
  readonly isPreview: boolean;
  /** Where requests go; resolved once per command. */
  target(): Promise<Target>;
  /**
   * Sends a write: confirmed, recorded, and retried only if the first attempt provably had no effect.
   *
   * @param then makes the result of the decoded answer
   * @throws ProcError
   */
  send<E extends EndpointSpec, R extends Result>(
    spec: E,
    input: InputOf<E>,
    intent: WriteIntent,
    then: (answer: OutputOf<E>) => R | Promise<R>,
  ): Promise<R | ShownRequest>;
  /** Sends a read, with retry. */
  read<E extends EndpointSpec, R extends Result>(
    spec: E,
    input: InputOf<E>,
    then: (answer: OutputOf<E>) => R | Promise<R>,
  ): Promise<R | ShownRequest>;
  /** Reads a list to its end, page by page, as `then` consumes it. */
  list<R extends Result>(
    spec: EndpointSpec,
    query: Readonly<Record<string, unknown>>,
    then: (pages: Pages) => R | Promise<R>,
  ): Promise<R | ShownRequest>;
  /**
   * Runs `work`, which reads through {@link LookupPort}. A preview shows the request of `spec` and `input`
   * instead of the result.
   */
  shownAs<E extends EndpointSpec, R extends Result>(
    spec: E,
    input: InputOf<E>,
    work: () => Promise<R>,
  ): Promise<R | ShownRequest>;
  /** A read from another target than the command's own: `proc setup` checks a target before it saves it. */
  callAt<E extends EndpointSpec>(
    target: KeyedTarget,
    spec: E,
    input: InputOf<E>,
  ): Promise<OutputOf<E>>;
  /**
   * A sender with its own connections, closed at the end of the command.
   *
   * If the environment demands approvals, it refuses to send a write, unless the command has verified them.
   *
   * @param dialect by noun (default: from the settings), if the command has detected another one
   */
  sender(
    connections: number,
    dialect?: Target['dialect'],
    options?: { readonly isApproved: boolean },
  ): Promise<Sender>;
  /**
   * Banner and confirmation without a request, for writes that go through a sender.
   *
   * @throws ProcError `confirmation_required`
   */
  confirm(intent: WriteIntent): Promise<void>;
  /**
   * Fails before any request if this write will need a confirmation that cannot be given.
   *
   * @throws ProcError `confirmation_required`
   */
  ensureAskable(intent: WriteIntent): Promise<void>;
  /** Notes a completed write: if its result cannot be delivered, the error names the write. */
  noteWritten(written: Written): void;
}

/**
 * Reads that prepare a write: look up what was named, show what will change. `--dry-run` and `--curl`
 * perform them too, so that they show exactly what would be sent.
 */
export interface LookupPort {
  /** False in a preview with `--offline` or without a key: then nothing may be read. */
  allowed(): Promise<boolean>;
  /**
   * As `allowed`, for lists read through a sender. A sender runs no `credentialCommand` in a preview: if only
   * that command could give the key, this is false too.
   */
  mayReadLists(): Promise<boolean>;
  call<E extends EndpointSpec>(spec: E, input: InputOf<E>): Promise<OutputOf<E>>;
  /**
   * The record to be changed, deleted or referred to, in its current state. Undefined in a preview that may
   * not read or does not show it.
   */
  before(
    spec: EndpointSpec,
    input: AnyInput,
    options: { readonly isShown: boolean },
  ): Promise<Row | undefined>;
  /**
   * A list to its end, page by page. After the last page, `complete()` says whether the end was verified
   * and `failure()` why it was not.
   */
  pages(spec: EndpointSpec, query: Readonly<Record<string, unknown>>): Pages;
  /**
   * All rows of a list whose field has exactly this value. Searches if the list can be sorted by the field
   * and its order is reliable; otherwise reads page by page to the end.
   */
  find(spec: EndpointSpec, field: string, value: string): Promise<FoundRows>;
  /** The placeholder for something that a preview may not look up: `<item AR-5381>`, with a warning. */
  placeholder(what: string, text: string): string;
}

/** What a command receives besides its flags: files and standard input. */
export interface InputPort {
  /**
   * The body of a write, from a file and flags, checked against the contract. proc warns of unknown fields
   * and leaves them out, unless `--allow-unknown` is set.
   *
   * @throws ProcError `invalid_input`, naming file, line and field.
   */
  body<E extends EndpointSpec>(spec: E, source: BodySource): Promise<Body<E>>;
  /**
   * A file as text, or standard input for `-`; UTF-8, or UTF-16 with a byte order mark. An empty file is
   * refused as a payload, unless the caller has an error of its own.
   *
   * @throws ProcError `unreadable_file`, `invalid_input`
   */
  readText(file: string, options?: { readonly mayBeEmpty?: boolean }): Promise<string>;
  /** As `readText`, without any check: any bytes, or none. */
  readBytes(file: string): Promise<Uint8Array>;
}

export interface Choice<T> {
  readonly name: string;
  readonly value: T;
  readonly description?: string;
  /** Text that selects it in plain prompts, besides its number. */
  readonly key?: string;
}

/** Returns at least one choice for a search term; the term is undefined until something is typed. */
export type SearchSource<T> = (term: string | undefined) => Promise<readonly Choice<T>[]>;

interface InputOptions {
  readonly default?: string;
  /** Undefined if accepted; otherwise what is wrong, and proc asks again. */
  readonly validate?: (answer: string) => string | undefined;
}

export interface LinesOptions {
  /** Called with all lines so far, soon after they arrive. If it throws, the question ends. */
  readonly onLines?: (lines: readonly string[]) => void;
}

/**
 * Questions to a person, on stderr. All throw `interrupted` (130) at Ctrl-C and at the end of the input,
 * and `confirmation_required` (2) in a non-interactive session (`Terminal.interactive`).
 */
export interface AskPort {
  /** y/N, or Y/n if the default is true. */
  confirm(message: string, byDefault?: boolean): Promise<boolean>;
  /** True if the person typed `expected`, in the same case; accents may be missing. */
  typed(message: string, expected: string): Promise<boolean>;
  /** @param at position of the preselected choice (default 0) */
  select<T>(message: string, choices: readonly Choice<T>[], at?: number): Promise<T>;
  /** Any number of choices. */
  checkbox<T>(message: string, choices: readonly Choice<T>[]): Promise<readonly T[]>;
  /**
   * One of the choices that fit what is typed, looked up while typing.
   *
   * @param first initial text, which can be edited
   */
  search<T>(message: string, source: SearchSource<T>, first?: string): Promise<T>;
  /** Pasted or typed lines, ended by an empty line or Ctrl-D. Empty lines inside a paste do not end it. */
  lines(message: string, options?: LinesOptions): Promise<readonly string[]>;
  input(message: string, options?: InputOptions): Promise<string>;
  /** Hides what is typed. */
  secret(message: string): Promise<string>;
}

/** What proc keeps on this machine from earlier commands. */
export interface StorePort {
  /** A preview: stored data is only read. */
  readonly isReadOnly: boolean;
  /**
   * The service and organization of this command. Every look-up of stored writes is limited to them.
   */
  scope(): Promise<Scope>;
  /**
   * Opens on first use, read-only in a preview, and closes at the end of the command:
   * `store.open(HISTORY)`.
   *
   * @throws ProcError `state_unwritable`
   */
  open<T extends Kept>(kind: KeptKind<T>): Promise<T>;
}

/** An opened store. */
export interface Kept {
  close(): void;
}

/** How to open a store. */
export interface KeptKind<T extends Kept> {
  open(env: Env): T;
  /** Changes nothing and creates no file. */
  openToLook(env: Env): T;
}

/** This program: how it was started, and where it runs. */
export interface SelfPort {
  readonly flags: GlobalFlags;
  /** The command line after `proc`, as typed, for hints that repeat it. */
  readonly typed: readonly string[];
  readonly env: Env;
  /** The working directory; relative paths start here. */
  readonly cwd: string;
  readonly clock: Clock;
  /** Aborted by signals and by `--deadline`, with a ProcError as its reason. */
  readonly signal: AbortSignal;
  /** How to start this program again: the paths of node and of the script (`sandbox start --detach`). */
  readonly selfCommand: readonly string[];
  readonly pid: number;
  /** The whole command line as data, with every noun loaded. */
  tree(): Promise<CommandTree>;
}

/** Properties of the terminal, decided once per command. */
export interface Terminal {
  /** Questions may be asked: stdin and stderr are terminals and no setting forbids it. */
  readonly interactive: boolean;
  readonly stdoutIsTerminal: boolean;
  readonly stderrIsTerminal: boolean;
  /** Columns of stdout; 80 if unknown. */
  readonly width: number;
  /** Columns of stderr; 80 if unknown. */
  readonly stderrWidth: number;
  readonly color: { readonly stdout: boolean; readonly stderr: boolean };
  /** `ACCESSIBLE` is set: nothing is redrawn in place, questions are plain lines. */
  readonly accessible: boolean;
}

export type OutputFormat = 'table' | 'json' | 'ndjson' | 'csv' | 'tsv' | 'xlsx' | 'yaml' | 'id';

/** Global flags, parsed. They work before and after the noun. */
export interface GlobalFlags {
  readonly profile?: string | undefined;
  readonly env?: string | undefined;
  readonly organization?: string | undefined;
  readonly output?: OutputFormat | undefined;
  readonly query?: string | undefined;
  readonly where: readonly string[];
  /** `FIELD[:desc]`, several separated by commas. */
  readonly orderBy?: string | undefined;
  readonly fields?: readonly string[] | undefined;
  readonly out?: string | undefined;
  readonly noHeaders?: boolean | undefined;
  readonly csvRaw: boolean;
  readonly csvDialect?: 'rfc4180' | 'excel' | 'excel-es' | undefined;
  readonly color?: 'auto' | 'always' | 'never' | undefined;
  readonly lang?: 'en' | 'es' | undefined;
  readonly yes: boolean;
  readonly noInput: boolean;
  /** Milliseconds per attempt. */
  readonly timeoutMs: number;
  /** Where the timeout comes from; undefined if it is the default. */
  readonly timeoutFrom?: 'flag' | 'variable' | undefined;
  /** The most retries of one request. */
  readonly retries: number;
  readonly retriesFrom?: 'flag' | 'variable' | undefined;
  /** Milliseconds for the whole command. */
  readonly deadlineMs?: number | undefined;
  readonly caFile?: string | undefined;
  readonly clientCert?: string | undefined;
  readonly clientKey?: string | undefined;
  readonly dryRun: boolean;
  readonly curl: boolean;
  readonly offline: boolean;
  readonly again: boolean;
  readonly allowUnknown: boolean;
  readonly verbose: boolean;
  readonly quiet: boolean;
}

/** What a confirmation shows and asks. */
export interface WriteIntent {
  /**
   * What the write does, for questions and errors: `delete sector "Brakes" (sec_12)`. See messages/writes.
   */
  readonly what: Phrase;
  /** `create` and `patch` ask y/N, `delete` and `bulk` ask to type the profile's name. */
  readonly weight: 'create' | 'patch' | 'delete' | 'bulk';
  /** No command can undo it, so proc asks everywhere, not only in protected environments. */
  readonly irreversible?: boolean;
  /**
   * Composed from more than the command's flags (an earlier payload, a list), so proc asks everywhere:
   * nobody should send what they have not seen.
   */
  readonly isComposed?: boolean;
  /** Shows the whole write on stderr, before the question and in a dry run. */
  readonly review?: () => Promise<void>;
  /** The current state of what is changed or deleted: shown in the question, kept in history. */
  readonly before?: Row | undefined;
  /**
   * The body before lines were changed to refer to existing items. proc compares it to recognize a repeated
   * write, because the final body of the same file changes once its items exist.
   */
  readonly given?: unknown;
  /** It was confirmed together with others, by `api.confirm`. */
  readonly isConfirmed?: boolean;
  /** A person has just agreed to send it although history has the same write; same as `--again`. */
  readonly again?: boolean;
}

/** A write that the service accepted. */
export interface Written {
  /** `create item "Bolt"`, in English, as history has it. */
  readonly what: string;
  /** The id of the created thing, if any. */
  readonly created?: string | undefined;
  /** The command that shows it again. */
  readonly see: string;
}

/** Where the body of a write comes from. */
export interface BodySource {
  /** A JSON file, or `-` for standard input. */
  readonly file?: string | undefined;
  /** Fields given as flags, by contract name; they replace those of the file. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Adds what flags say beyond single fields (groups and lines), before the check. */
  readonly amend?: (
    whole: Readonly<Record<string, unknown>>,
  ) => Promise<Readonly<Record<string, unknown>>>;
}

export interface Body<E extends EndpointSpec> {
  readonly value: BodyOf<E>;
  /** Names a field as the user knows it: its flag, or its place in the file. */
  place(field: string): string;
}

export interface FoundRows {
  readonly rows: readonly Row[];
  /** There are no other rows: the list was read to a verified end, or its order proves it. */
  readonly isProved: boolean;
}

export interface Pages {
  readonly rows: AsyncIterable<readonly Row[]>;
  complete(): boolean;
  /**
   * The error `incomplete`. A command that lists fails with this error; a command that only looks something
   * up prints a warning.
   */
  failure(): ProcError | undefined;
}

/** The three streams of a process, or in-memory ones in tests. */
export interface Streams {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: Writable & { readonly isTTY?: boolean; readonly columns?: number };
}

export type Env = Readonly<Record<string, string | undefined>>;

/** A message on stderr while a command works, rendered as text or as JSON lines. */
export type Message =
  | {
      readonly kind: 'notice' | 'warning';
      readonly text: string;
      /** How a person sees it: a tick before it, or in the colour of protected environments. */
      readonly tone?: 'done' | 'protected';
    }
  | {
      readonly kind: 'progress';
      readonly text: string;
      readonly data: unknown;
      /** The next progress does not replace it. */
      readonly isLast?: boolean;
    }
  | { readonly kind: 'http'; readonly text: string; readonly data: unknown };

export type Say = (message: Message) => void;

/** Time and randomness, injected so that tests control them. */
export interface Clock {
  /** Wall time, milliseconds since the epoch. It may jump when somebody sets the clock. */
  now(): number;
  /** Milliseconds on a clock that nobody can set, for durations. */
  monotonic(): number;
  /**
   * Names the start point of `monotonic` (one boot of the machine), if another process can continue to
   * count from it; otherwise undefined.
   */
  boot(): string | undefined;
  /** Rejects with the signal's reason when aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** In [0, 1). */
  random(): number;
}
