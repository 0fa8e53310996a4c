import type { Readable, Writable } from 'node:stream';
import type { CommandTree } from './command-tree.ts';
import type { AnyInput, BodyOf, EndpointSpec, InputOf, OutputOf } from './endpoint.ts';
import type { ProcError } from './errors.ts';
import type { GlobalFlags } from './global-flags.ts';
import type { Result, Row, ShownRequest } from './result.ts';
import type { Scope } from './scope.ts';
import type { Sender } from './service/sender.ts';
import type { KeyedTarget, Target } from './service-target.ts';

/** What handlers receive. A command gets only the ports that it names in `needs`. `cli/wire` opens them. */
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
  readonly say: Say;
  /** Reports an error that does not end the command, e.g. for one of several ids. */
  complain(error: ProcError): void;
  /**
   * The output is a table on a terminal, so a list shows its first page. Anywhere else (a pipe, a file, a
   * format for programs, `--query`) nobody would notice the missing rows, so a list is read to its end.
   */
  showsTable(): Promise<boolean>;
}

/**
 * Requests to the service. Under `--dry-run`, a twin of this port returns the request as the
 * result.
 */
export interface ApiPort {
  /** True under `--dry-run`. Even then, reads through `callAt` and `sender` are sent. */
  readonly isPreview: boolean;
  target(): Promise<Target>;
  /**
   * Confirms, records and sends a write. Retries only after an attempt that provably had no effect.
   *
   * @param input a function if reads must come first. With `intent.once`, it is called only if no earlier write
   * has the key, and `intent.given` is the body that identifies the write
   * @param then makes the result from the decoded response
   */
  send<E extends EndpointSpec, R extends Result>(
    spec: E,
    input: InputOf<E> | (() => Promise<InputOf<E>>),
    intent: WriteIntent,
    then: (response: OutputOf<E>) => R | Promise<R>,
  ): Promise<R | ShownRequest>;
  read<E extends EndpointSpec, R extends Result>(
    spec: E,
    input: InputOf<E>,
    then: (response: OutputOf<E>) => R | Promise<R>,
  ): Promise<R | ShownRequest>;
  /** Reads a list page by page to its end, no faster than `then` consumes the pages. */
  list<R extends Result>(
    spec: EndpointSpec,
    query: Readonly<Record<string, unknown>>,
    then: (pages: Pages) => R | Promise<R>,
  ): Promise<R | ShownRequest>;
  /**
   * Runs `work`, which reads through {@link LookupPort}. A preview shows the request of `spec` and `input`
   * instead.
   */
  shownAs<E extends EndpointSpec, R extends Result>(
    spec: E,
    input: InputOf<E>,
    work: () => Promise<R>,
  ): Promise<R | ShownRequest>;
  /** Reads from a target that is not saved yet (`proc setup`). */
  callAt<E extends EndpointSpec>(
    target: KeyedTarget,
    spec: E,
    input: InputOf<E>,
  ): Promise<OutputOf<E>>;
  /**
   * A sender with its own connections, closed at the end of the command.
   *
   * @param dialect as detected by the command (default: from the settings)
   * @param at a target that is not the command's (`proc setup`)
   */
  sender(connections: number, dialect?: Target['dialect'], at?: KeyedTarget): Promise<Sender>;
  /**
   * Shows the target and asks to confirm a write that a {@link Sender} will send.
   *
   * @throws ProcError `read_only` or `confirmation_required`
   */
  confirm(intent: WriteIntent): Promise<void>;
  /**
   * Fails if this write is not allowed, or if nobody can confirm it here. Call this before any request.
   *
   * @throws ProcError `read_only` or `confirmation_required`
   */
  ensureAskable(intent: WriteIntent): Promise<void>;
  /** Notes a completed write. If the result cannot be delivered, the error names this write. */
  noteWritten(written: Written): void;
}

/** Reads that a preview makes too, e.g. look-ups for the request that it shows. */
export interface LookupPort {
  /** False in a preview without a key. */
  allowed(): Promise<boolean>;
  /**
   * As `allowed`, for lists read through a sender. In a preview, also false if the key comes from a
   * `credentialCommand`: the sender of a preview does not run this command.
   */
  mayReadLists(): Promise<boolean>;
  call<E extends EndpointSpec>(spec: E, input: InputOf<E>): Promise<OutputOf<E>>;
  /**
   * The record as it is before a write changes, deletes or refers to it. A preview returns undefined if
   * `isShown` is false or reads are not allowed.
   */
  before(
    spec: EndpointSpec,
    input: AnyInput,
    options: { readonly isShown: boolean },
  ): Promise<Row | undefined>;
  pages(spec: EndpointSpec, query: Readonly<Record<string, unknown>>): Pages;
  /**
   * All rows of a list whose field has exactly this value. A code may be found by binary search; otherwise
   * proc reads the whole list.
   *
   * @param onRows called with the rows of each page that is read
   */
  find(
    spec: EndpointSpec,
    field: string,
    value: string,
    onRows?: (rows: readonly Row[]) => void,
  ): Promise<FoundRows>;
  /** `<item AR-5381>`, shown instead of an id that a preview may not look up. Prints a warning. */
  placeholder(what: string, text: string): string;
}

export interface InputPort {
  /**
   * The body of a write, from a file and flags, checked against the contract. Warns of unknown fields and
   * omits them.
   *
   * @throws ProcError `invalid_input`, naming file, line and field.
   */
  body<E extends EndpointSpec>(spec: E, source: BodySource): Promise<Body<E>>;
  /**
   * A file as text, or standard input for `-`. UTF-8, or UTF-16 with a byte order mark.
   *
   * @throws ProcError `unreadable_file`, or `invalid_input`, e.g. for an empty file
   */
  readText(file: string): Promise<string>;
}

export interface Choice<T> {
  readonly name: string;
  readonly value: T;
  readonly description?: string;
}

/** Returns at least one choice for a search term. The term is undefined until the person types. */
export type SearchSource<T> = (term: string | undefined) => Promise<readonly Choice<T>[]>;

interface InputOptions {
  readonly default?: string;
  /** Returns what is wrong with the answer; then proc asks again. Undefined: the answer is accepted. */
  readonly validate?: (answer: string) => string | undefined;
}

export interface LinesOptions {
  /** Called with all lines so far, soon after they arrive. If this function throws, the question ends. */
  readonly onLines?: (lines: readonly string[]) => void;
}

/**
 * Questions to a person, on stderr. All throw `interrupted` (130) at Ctrl-C and at the end of the input.
 * Ctrl-D ends the input, except in `lines`, where it ends the answer.
 * In a non-interactive session (`Terminal.interactive`) all throw `confirmation_required` (2).
 */
export interface AskPort {
  confirm(message: string, byDefault?: boolean): Promise<boolean>;
  /** True if the person typed `expected`. */
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
  /** The service and organization of this command. Look up stored writes only in this scope. */
  scope(): Promise<Scope>;
  /**
   * Opens at the first call: `store.open(LEDGER)`. Closes at the end of the command.
   *
   * @throws ProcError, e.g. `state_unwritable`
   */
  open<T extends Kept>(kind: KeptKind<T>): Promise<T>;
}

export interface Kept {
  close(): void;
}

export interface KeptKind<T extends Kept> {
  open(self: Pick<SelfPort, 'env' | 'clock' | 'flags' | 'cwd'>): T;
  /** Used instead of `open` in a preview, which must not change stored data. */
  twin(self: Pick<SelfPort, 'env' | 'clock' | 'flags' | 'cwd'>): T;
}

export interface SelfPort {
  readonly flags: GlobalFlags;
  readonly typed: readonly string[];
  readonly env: Env;
  /** Relative paths start here. */
  readonly cwd: string;
  readonly clock: Clock;
  /** Aborted by signals, with a ProcError as its reason. */
  readonly signal: AbortSignal;
  /** The command that starts this program again, e.g. the paths of Node and of the script. */
  readonly selfCommand: readonly string[];
  readonly pid: number;
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
  /** Lines of the screen; 24 if unknown. */
  readonly height: number;
  readonly color: { readonly stdout: boolean; readonly stderr: boolean };
}

export interface WriteIntent {
  /** What the write does, for questions and errors: `delete sector "Brakes" (sec_12)`. */
  readonly what: string;
  /** In a protected environment, a person confirms `delete` and `bulk` by typing a name, not with y/N. */
  readonly weight: 'create' | 'patch' | 'delete' | 'bulk';
  /** No endpoint can undo the write. It then needs a confirmation in every environment. */
  readonly irreversible?: boolean;
  /** Shows the whole write on stderr, before the question and in a dry run. */
  readonly review?: () => Promise<void>;
  /** Fields of the body as people know them, for a dry run: `orderId` is `PO-00284 "Jackson"`. */
  readonly names?: Row;
  readonly before?: Row | undefined;
  /**
   * The body before proc replaced items defined in place by references. Repeats are recognized by this
   * body, because the references may differ the next time.
   */
  readonly given?: unknown;
  /** Reads whether the write was done, if its answer does not tell. Undefined: a read does not tell either. */
  readonly settle?: () => Promise<Settled | undefined>;
  /** A person has just seen it and chosen to send it. Only a protected target asks again, and shows it no second time. */
  readonly isChosen?: boolean;
  /**
   * The key of `--once`. If an earlier write of this organization has it, nothing is sent: the result is the
   * earlier one if `given`, or the body, is the same.
   */
  readonly once?: string | undefined;
  /** History has the same write, and a person has agreed to send it again. Same as `--again`. */
  readonly again?: boolean;
}

export interface Settled {
  readonly is: 'done' | 'not done';
  /** For messages: `sectors/sec-1 is still there`. */
  readonly seen: string;
  /** The record, in place of the answer. */
  readonly value?: unknown;
}

export interface Written {
  /** `create item "Bolt"`, as history has it. */
  readonly what: string;
  readonly created?: string | undefined;
  readonly see: string;
  /** A line on the terminal has said so. */
  readonly isSaid?: boolean;
}

export interface BodySource {
  readonly file?: string | undefined;
  /** Fields given as flags, by contract name. They replace fields of the file. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Messages for missing fields that have no flag. Not used with a file. */
  readonly missing?: Readonly<Record<string, string>>;
  /** Adds what flags cannot express (groups and lines), before the body is checked. */
  readonly amend?: (
    whole: Readonly<Record<string, unknown>>,
  ) => Promise<Readonly<Record<string, unknown>>>;
}

export interface Body<E extends EndpointSpec> {
  readonly value: BodyOf<E>;
  /** How messages name a field: by its flag, or by its place in the file. */
  place(field: string): string;
}

export interface FoundRows {
  readonly rows: readonly Row[];
  /** It is proved that no other row of the list matches. */
  readonly isProved: boolean;
}

export interface Pages {
  readonly rows: AsyncIterable<readonly Row[]>;
  complete(): boolean;
  /** A page could not be read, so the rows are only the beginning of the list. */
  isCut(): boolean;
  /**
   * The error `incomplete`, if the end of the list was not verified. Commands that print a list fail with
   * it; look-ups print it as a warning.
   */
  failure(): ProcError | undefined;
}

export interface Streams {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable & {
    readonly isTTY?: boolean;
    readonly columns?: number;
    readonly rows?: number;
  };
  readonly stderr: Writable & { readonly isTTY?: boolean; readonly columns?: number };
}

export type Env = Readonly<Record<string, string | undefined>>;

export type Message =
  | {
      readonly kind: 'notice' | 'warning';
      readonly text: string;
      /**
       * `done`: text output has a tick. `protected`: the text names a protected target. The message is not
       * printed if the last message with this tone had the same text.
       */
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

export interface Clock {
  /** Wall time, milliseconds since the epoch. It may jump when somebody sets the clock. */
  now(): number;
  /** Milliseconds on a clock that nobody can set, for durations. */
  monotonic(): number;
  /**
   * Id of the boot from which `monotonic` counts; undefined if unknown. Compare `monotonic` times of two
   * processes only if both have the same id.
   */
  boot(): string | undefined;
  /** If the signal aborts, rejects with the reason of the signal. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** In [0, 1). */
  random(): number;
}
