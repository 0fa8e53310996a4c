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

export type Ports<Names extends PortName> = Pick<AllPorts, Names>;

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
   * Language of a report: `--lang`, `PROC_LANG` or the configuration, even without a terminal, because people
   * read every report. On a terminal also the locale.
   */
  reportLang(): Promise<Lang>;
}

/**
 * Requests to the service. A handler says what to send, and makes the result from the answer. Under
 * `--dry-run` and `--curl`, another implementation returns the request as the result.
 */
export interface ApiPort {
  /**
   * `--dry-run` or `--curl`: this port shows requests instead of sending them; only `callAt` and `sender` still
   * send reads. Only commands with a plan of their own (imports, the wizard, `doctor --learn`) need to check this.
   */
  readonly isPreview: boolean;
  /** Where requests go; resolved once per command. */
  target(): Promise<Target>;
  /**
   * Sends a write: confirmed, recorded, and retried only if the first attempt provably had no effect.
   *
   * @param then makes the result from the decoded answer
   */
  send<E extends EndpointSpec, R extends Result>(
    spec: E,
    input: InputOf<E>,
    intent: WriteIntent,
    then: (answer: OutputOf<E>) => R | Promise<R>,
  ): Promise<R | ShownRequest>;
  read<E extends EndpointSpec, R extends Result>(
    spec: E,
    input: InputOf<E>,
    then: (answer: OutputOf<E>) => R | Promise<R>,
  ): Promise<R | ShownRequest>;
  /** Reads a list to its end, page by page, at the pace at which `then` consumes the pages. */
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
   * If the environment demands approvals, the sender refuses writes unless `isApproved` is set.
   *
   * @param dialect by noun, if the command has detected it (default: from the settings)
   */
  sender(
    connections: number,
    dialect?: Target['dialect'],
    options?: { readonly isApproved: boolean },
  ): Promise<Sender>;
  /**
   * Shows the target and asks for confirmation, but sends nothing. For writes that go through a sender.
   *
   * @throws ProcError `access_level` or `confirmation_required`
   */
  confirm(intent: WriteIntent): Promise<void>;
  /**
   * Fails before any request if this write is not allowed, or will need a confirmation that cannot be given.
   *
   * @throws ProcError `access_level` or `confirmation_required`
   */
  ensureAskable(intent: WriteIntent): Promise<void>;
  /** Notes a completed write. If the result cannot be delivered, the error names this write. */
  noteWritten(written: Written): void;
}

/**
 * Reads that prepare a write: they look up references and fetch what will change. A preview makes these reads
 * too, so that it shows the exact request.
 */
export interface LookupPort {
  /** False in a preview with `--offline` or without a key: then nothing may be read. */
  allowed(): Promise<boolean>;
  /**
   * As `allowed`, for lists read through a sender. In a preview a sender does not run the
   * `credentialCommand`, so the result is false if the key comes from that command.
   */
  mayReadLists(): Promise<boolean>;
  call<E extends EndpointSpec>(spec: E, input: InputOf<E>): Promise<OutputOf<E>>;
  /**
   * The current state of the record that is changed, deleted or referred to. In a preview, undefined if
   * `isShown` is false or nothing may be read.
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
   * All rows of a list whose field has exactly this value. Searches if the field is `code` and the order of
   * the list can be trusted; otherwise reads page by page to the end.
   */
  find(spec: EndpointSpec, field: string, value: string): Promise<FoundRows>;
  /** `<item AR-5381>`, for a reference that a preview may not look up. Prints a warning. */
  placeholder(what: string, text: string): string;
}

export interface InputPort {
  /**
   * The body of a write, from a file and flags, checked against the contract. proc warns of unknown fields
   * and leaves them out, unless `--allow-unknown` is set.
   *
   * @throws ProcError `invalid_input`, naming file, line and field.
   */
  body<E extends EndpointSpec>(spec: E, source: BodySource): Promise<Body<E>>;
  /**
   * A file as text, or standard input for `-`; UTF-8, or UTF-16 with a byte order mark.
   *
   * @throws ProcError `unreadable_file`; `invalid_input`, also for an empty file unless `mayBeEmpty` is set
   */
  readText(file: string, options?: { readonly mayBeEmpty?: boolean }): Promise<string>;
  /** The bytes of a file, or of standard input for `-`. There may be none. */
  readBytes(file: string): Promise<Uint8Array>;
}

export interface Choice<T> {
  readonly name: string;
  readonly value: T;
  readonly description?: string;
  /** Text that selects this choice in plain prompts, as its number does. */
  readonly key?: string;
}

/** Returns at least one choice for a search term. The term is undefined until the person types. */
export type SearchSource<T> = (term: string | undefined) => Promise<readonly Choice<T>[]>;

interface InputOptions {
  readonly default?: string;
  /** Says what is wrong with the answer, and proc asks again. Undefined if the answer is valid. */
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
  confirm(message: string, byDefault?: boolean): Promise<boolean>;
  /** True if the person typed `expected`. Case matters, accents may be missing. */
  typed(message: string, expected: string): Promise<boolean>;
  /** @param at position of the preselected choice (default 0) */
  select<T>(message: string, choices: readonly Choice<T>[], at?: number): Promise<T>;
  checkbox<T>(message: string, choices: readonly Choice<T>[]): Promise<readonly T[]>;
  /**
   * The person types a search term and chooses one of the matching choices.
   *
   * @param first initial text, which can be edited
   */
  search<T>(message: string, source: SearchSource<T>, first?: string): Promise<T>;
  /** Pasted or typed lines, ended by an empty line or Ctrl-D. Empty lines inside a paste do not end it. */
  lines(message: string, options?: LinesOptions): Promise<readonly string[]>;
  input(message: string, options?: InputOptions): Promise<string>;
  secret(message: string): Promise<string>;
}

export interface StorePort {
  /** In a preview, stored data is only read. */
  readonly isReadOnly: boolean;
  /**
   * The service and organization of this command. Look-ups of stored writes never go beyond this scope.
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

export interface Kept {
  close(): void;
}

export interface KeptKind<T extends Kept> {
  open(env: Env): T;
  /** Changes nothing and creates no file. */
  openToLook(env: Env): T;
}

export interface SelfPort {
  readonly flags: GlobalFlags;
  /** The command line after `proc`, as typed, for hints that repeat it. */
  readonly typed: readonly string[];
  readonly env: Env;
  /** Relative paths start here. */
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

export interface Terminal {
  /** Questions may be asked: stdin and stderr are terminals and no setting forbids it. */
  readonly interactive: boolean;
  readonly stdoutIsTerminal: boolean;
  readonly stderrIsTerminal: boolean;
  /** 80 if unknown. */
  readonly width: number;
  /** 80 if unknown. */
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
  /** Undefined if the timeout is the default. */
  readonly timeoutFrom?: 'flag' | 'variable' | undefined;
  readonly retries: number;
  readonly retriesFrom?: 'flag' | 'variable' | undefined;
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

export interface WriteIntent {
  /**
   * What the write does, for questions and errors: `delete sector "Brakes" (sec_12)`. See messages/writes.
   */
  readonly what: Phrase;
  /** In a protected environment, `delete` and `bulk` ask for the profile's name instead of y/N. */
  readonly weight: 'create' | 'patch' | 'delete' | 'bulk';
  /** No command can undo it, so proc asks everywhere, not only in protected environments. */
  readonly irreversible?: boolean;
  /**
   * The payload is not only what the user typed: proc took parts of it from an earlier payload or a list. So
   * proc asks in every environment.
   */
  readonly isComposed?: boolean;
  /** Shows the whole write on stderr, before the question and in a dry run. */
  readonly review?: () => Promise<void>;
  /** The current state of what is changed or deleted, for the question and for history. */
  readonly before?: Row | undefined;
  /**
   * The body before proc replaced items defined in place by references to items that exist. Repeated writes are
   * recognized by this body, because the next time the body that is sent may have other references.
   */
  readonly given?: unknown;
  /**
   * Judges the answer of the service, before history records the outcome. A problem becomes the error of the
   * command.
   */
  readonly check?: (answer: unknown) => Promise<WriteProblem | undefined>;
  /** `api.confirm` has already confirmed this write, together with others. */
  readonly isConfirmed?: boolean;
  /** History has the same write, and a person has just agreed to send it again. Same as `--again`. */
  readonly again?: boolean;
}

/** The service accepted a write, but did not make the change: a patched name still has its old value. */
export interface WriteProblem {
  readonly error: ProcError;
  /** Part of the write was done. */
  readonly hadEffect: boolean;
}

export interface Written {
  /** `create item "Bolt"`, in English, as history has it. */
  readonly what: string;
  readonly created?: string | undefined;
  /** The command that shows the write in history. */
  readonly see: string;
}

export interface BodySource {
  /** A JSON file, or `-` for standard input. */
  readonly file?: string | undefined;
  /** Fields given as flags, by contract name. They replace fields of the file. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** The message if a field without a flag of its own is missing. Not used with a file. */
  readonly missing?: Readonly<Record<string, string>>;
  /** Adds what single fields cannot express (groups and lines), before the body is checked. */
  readonly amend?: (
    whole: Readonly<Record<string, unknown>>,
  ) => Promise<Readonly<Record<string, unknown>>>;
}

export interface Body<E extends EndpointSpec> {
  readonly value: BodyOf<E>;
  /** The name of a field for the user: its flag, or its place in the file. */
  place(field: string): string;
}

export interface FoundRows {
  readonly rows: readonly Row[];
  /** There are no other rows: the list was read to its verified end, or its order proves it. */
  readonly isProved: boolean;
}

export interface Pages {
  readonly rows: AsyncIterable<readonly Row[]>;
  complete(): boolean;
  /**
   * The error `incomplete`, if the end of the list was not verified. Commands that print a list fail with it;
   * commands that only look something up print it as a warning.
   */
  failure(): ProcError | undefined;
}

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
      /** `done`: a terminal shows a tick before the text. `protected`: names a protected target; not repeated. */
      readonly tone?: 'done' | 'protected';
    }
  | {
      readonly kind: 'progress';
      readonly text: string;
      readonly data: unknown;
      /** The next progress message does not replace this message. */
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
   * Identifies the boot of the machine from which `monotonic` counts. Undefined if another process cannot
   * continue the count.
   */
  boot(): string | undefined;
  /** If the signal aborts, rejects with the reason of the signal. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** In [0, 1). */
  random(): number;
}
