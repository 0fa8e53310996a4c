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
 * What handlers are given. A command names the ports that it needs (`needs: ['io', 'api']`) and its
 * handler gets these and no others; each is wired in `cli/wire`.
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
  /** Says something on stderr: text on a terminal, JSON lines for scripts. */
  readonly say: Say;
  /** Tells an error that does not end the command: one of several ids. */
  complain(error: ProcError): void;
  /**
   * Language of questions: `--lang`; on a terminal also `PROC_LANG`, the configuration and the
   * locale; else English.
   */
  lang(): Promise<Lang>;
}

/**
 * Requests to the service. A handler says what is sent and what its answer becomes; under `--dry-run`
 * and `--curl` the twin of this port gives the request itself as the result.
 */
export interface ApiPort {
  /**
   * Nothing is to be sent: `--dry-run` or `--curl`. For commands with a plan of their own (imports,
   * the wizard); who sends one request has no need to ask.
   */
  readonly isPreview: boolean;
  /** Where requests go, resolved once per command. */
  target(): Promise<Target>;
  /**
   * Sends a write: guarded, recorded, retried only if it surely was not applied.
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
  /** Does work that reads by {@link LookupPort}; a preview shows this request in its place. */
  shownAs<E extends EndpointSpec, R extends Result>(
    spec: E,
    input: InputOf<E>,
    work: () => Promise<R>,
  ): Promise<R | ShownRequest>;
  /** A read at another target than the command's own: the check of `setup`. */
  callAt<E extends EndpointSpec>(
    target: KeyedTarget,
    spec: E,
    input: InputOf<E>,
  ): Promise<OutputOf<E>>;
  /**
   * A sender with its own connections; closed at the end of the command.
   *
   * @param dialect by noun; default: as the settings say; another one where it was learned meanwhile
   */
  sender(connections: number, dialect?: Target['dialect']): Promise<Sender>;
  /**
   * The guard without a request, for writes that go through a sender: banner and confirmation.
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
  /** Notes a write that was done: if its result cannot be delivered, the error names it. */
  noteWritten(written: Written): void;
}

/**
 * Reads that prepare a write: what was named is looked up, what will change is shown. `--dry-run` and
 * `--curl` perform them too, so that what they show is what would be sent.
 */
export interface LookupPort {
  /** False in a preview with `--offline` or without a key at hand: then nothing may be read. */
  allowed(): Promise<boolean>;
  /**
   * The same for lists that are read through a sender: false too if only a command could give the key
   * (`credentialCommand`).
   */
  mayReadLists(): Promise<boolean>;
  call<E extends EndpointSpec>(spec: E, input: InputOf<E>): Promise<OutputOf<E>>;
  /**
   * A record that is changed, deleted or referred to, as it is before. Undefined in a preview that may
   * not read, or that shows nothing of it.
   */
  before(
    spec: EndpointSpec,
    input: AnyInput,
    options: { readonly isShown: boolean },
  ): Promise<Row | undefined>;
  /**
   * A list to its end, page by page. `complete()` tells, once consumed, whether the end was verified;
   * `failure()` why it was not.
   */
  pages(spec: EndpointSpec, query: Readonly<Record<string, unknown>>): Pages;
  /**
   * All rows of a list whose field is exactly this: by search where the list can be sorted by the
   * field and its order can be trusted, else page by page to the end.
   */
  find(spec: EndpointSpec, field: string, value: string): Promise<FoundRows>;
  /** What a preview shows for a thing that it may not look up: `<item AR-5381>`, with a warning. */
  placeholder(what: string, text: string): string;
}

/** What a command is given besides its flags: files and standard input. */
export interface InputPort {
  /**
   * The body of a write, from a file and flags, checked against the contract. Unknown fields are
   * warned of and left out, unless `--allow-unknown`.
   *
   * @throws ProcError `invalid_input`, naming file, line and field.
   */
  body<E extends EndpointSpec>(spec: E, source: BodySource): Promise<Body<E>>;
  /**
   * A file as text, or standard input for `-`; UTF-8, or UTF-16 with its byte order mark. An empty
   * one is refused as a payload, unless the caller has words of its own for it.
   *
   * @throws ProcError `unreadable_file`, `invalid_input`
   */
  readText(file: string, options?: { readonly mayBeEmpty?: boolean }): Promise<string>;
  /** The same without a look at what it holds: any bytes, none as well. */
  readBytes(file: string): Promise<Uint8Array>;
}

export interface Choice<T> {
  readonly name: string;
  readonly value: T;
  readonly description?: string;
}

/** Choices for what was typed so far; undefined: nothing yet. Gives at least one. */
export type SearchSource<T> = (term: string | undefined) => Promise<readonly Choice<T>[]>;

interface InputOptions {
  readonly default?: string;
  /** Undefined: accepted. A text says what is wrong, and the question is asked again. */
  readonly validate?: (answer: string) => string | undefined;
}

export interface LinesOptions {
  /** Told of all lines so far, soon after they arrive. What it throws ends the question. */
  readonly onLines?: (lines: readonly string[]) => void;
}

/**
 * Questions to a person, on stderr. All throw `interrupted` (130) at Ctrl-C and at the end of the
 * input, and `confirmation_required` (2) where nobody can answer (`Terminal.interactive`).
 */
export interface AskPort {
  /** y/N, or Y/n where the default is true. */
  confirm(message: string, byDefault?: boolean): Promise<boolean>;
  /** True where `expected` was typed, in its own case; accents may be missing. */
  typed(message: string, expected: string): Promise<boolean>;
  /** @param at position of the choice that is offered first; default 0. */
  select<T>(message: string, choices: readonly Choice<T>[], at?: number): Promise<T>;
  /** Any number of choices. */
  checkbox<T>(message: string, choices: readonly Choice<T>[]): Promise<readonly T[]>;
  /**
   * One of the choices that fit what is typed, looked up while typing.
   *
   * @param first stands there as if typed, and can be edited.
   */
  search<T>(message: string, source: SearchSource<T>, first?: string): Promise<T>;
  /** Pasted or typed lines, ended by an empty one or Ctrl-D; empty lines inside a paste do not end it. */
  lines(message: string, options?: LinesOptions): Promise<readonly string[]>;
  input(message: string, options?: InputOptions): Promise<string>;
  /** What is typed is not shown. */
  secret(message: string): Promise<string>;
}

/** What this machine keeps of earlier commands. */
export interface StorePort {
  /** A preview: what is kept is only looked at. */
  readonly isReadOnly: boolean;
  /**
   * Whose writes are ours: the service and organization of this command. Nothing remembered is looked
   * up without it.
   */
  scope(): Promise<Scope>;
  /**
   * Opened when first asked for, only to be read in a preview, closed at the end of the command:
   * `store.open(HISTORY)`.
   *
   * @throws ProcError `state_unwritable`
   */
  open<T extends Kept>(kind: KeptKind<T>): Promise<T>;
}

/** Something that is kept on this machine, opened. */
export interface Kept {
  close(): void;
}

/** How something that is kept on this machine is opened. */
export interface KeptKind<T extends Kept> {
  open(env: Env): T;
  /** Changes nothing, and makes no file where none is. */
  openToLook(env: Env): T;
}

/** This program: how it was called, and where it runs. */
export interface SelfPort {
  readonly flags: GlobalFlags;
  /** The command line as it was typed, after `proc`: for hints that can be typed again. */
  readonly typed: readonly string[];
  readonly env: Env;
  /** The working directory, where relative paths begin. */
  readonly cwd: string;
  readonly clock: Clock;
  /** Aborted by SIGINT and SIGTERM, with a ProcError as its reason. */
  readonly signal: AbortSignal;
  /** What starts this program again: the path of node and of the binary (`sandbox start --detach`). */
  readonly selfCommand: readonly string[];
  /** Process id of this program. */
  readonly pid: number;
  /** The whole command line as data, every noun loaded. */
  tree(): Promise<CommandTree>;
}

/** What is known of the terminal, decided once per command. */
export interface Terminal {
  /** Questions may be asked: stdin and stderr are terminals and nothing forbids it. */
  readonly interactive: boolean;
  readonly stdoutIsTerminal: boolean;
  readonly stderrIsTerminal: boolean;
  /** Columns of stdout; 80 where unknown. */
  readonly width: number;
  /** Columns of stderr; 80 where unknown. */
  readonly stderrWidth: number;
  /** Colour, for each stream on its own. */
  readonly color: { readonly stdout: boolean; readonly stderr: boolean };
  /** `ACCESSIBLE` is set: nothing is redrawn in place, questions are plain lines. */
  readonly accessible: boolean;
}

export type OutputFormat = 'table' | 'json' | 'ndjson' | 'csv' | 'yaml' | 'id';

/** Global flags, parsed. They work before and after the noun. */
export interface GlobalFlags {
  readonly profile?: string | undefined;
  readonly env?: string | undefined;
  readonly organization?: string | undefined;
  readonly output?: OutputFormat | undefined;
  readonly query?: string | undefined;
  readonly where: readonly string[];
  readonly fields?: readonly string[] | undefined;
  readonly out?: string | undefined;
  readonly csvRaw: boolean;
  readonly csvDialect?: 'rfc4180' | 'excel' | 'excel-es' | undefined;
  readonly color?: 'auto' | 'always' | 'never' | undefined;
  readonly lang?: 'en' | 'es' | undefined;
  readonly yes: boolean;
  readonly noInput: boolean;
  /** Milliseconds per attempt. */
  readonly timeoutMs: number;
  /** How often a request is tried again at most. */
  readonly retries: number;
  readonly caFile?: string | undefined;
  readonly dryRun: boolean;
  readonly curl: boolean;
  readonly offline: boolean;
  readonly again: boolean;
  readonly allowUnknown: boolean;
  readonly verbose: boolean;
  readonly quiet: boolean;
}

/** What a guarded write shows and asks. */
export interface WriteIntent {
  /** What will be done, for questions and errors: `delete sector "Brakes" (sec_12)`. See messages/writes. */
  readonly what: Phrase;
  /** `create` and `patch` ask y/N, `delete` and `bulk` ask to type the profile's name. */
  readonly weight: 'create' | 'patch' | 'delete' | 'bulk';
  /** Cannot be undone by any command: asked for everywhere, not only where protected. */
  readonly irreversible?: boolean;
  /**
   * Composed from more than the flags of its command (an earlier payload, a list): asked for everywhere,
   * so that nobody sends what nobody has seen.
   */
  readonly isComposed?: boolean;
  /** Shows all of it to a person, on stderr: before the question, and in a dry run. */
  readonly review?: () => Promise<void>;
  /** What is changed or deleted, as read before: shown when asking, kept in history. */
  readonly before?: Row | undefined;
  /**
   * The body as it was given, if lines of it refer now to what they defined then: a repeat of it is
   * recognized by this one, as the same input gives another body once its items exist.
   */
  readonly given?: unknown;
  /** A person has just agreed to send it although history shows the same write; as `--again`. */
  readonly again?: boolean;
}

/** A write that the service took. */
export interface Written {
  /** `create item "Bolt"`, in English as history has it. */
  readonly what: string;
  /** The id that it gave, if it gave one. */
  readonly created?: string | undefined;
  /** The command that shows it again. */
  readonly see: string;
}

/** Where the body of a write comes from. */
export interface BodySource {
  /** A JSON file, or `-` for standard input. */
  readonly file?: string | undefined;
  /** Fields given as flags, by their name in the contract; they win over the file. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Puts in what flags say beyond single fields (groups and lines), before the check. */
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
  /** There are no others: the list was read to a verified end, or its order proves it. */
  readonly isProved: boolean;
}

export interface Pages {
  readonly rows: AsyncIterable<readonly Row[]>;
  complete(): boolean;
  /** `incomplete`: said by the command whose list it is, or as a warning where it only looks something up. */
  failure(): ProcError | undefined;
}

/** The three streams of a process, or their memory twins. */
export interface Streams {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: Writable & { readonly isTTY?: boolean; readonly columns?: number };
}

export type Env = Readonly<Record<string, string | undefined>>;

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
