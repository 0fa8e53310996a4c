import type {
  ArgSpecs,
  ArgValues,
  FlagSpecs,
  FlagValues,
  CommandSpec as Spec,
} from './command-spec.ts';
import type { CommandTree } from './command-tree.ts';
import type { AnyInput, BodyOf, EndpointSpec, InputOf, OutputOf } from './endpoint.ts';
import type { ProcError } from './errors.ts';
import type { Clock, Env, Say, Streams, Target } from './ports.ts';
import type { Result, Row } from './result.ts';
import type { Phrase } from './text/phrase.ts';

export type {
  ArgSpecs,
  FlagSpecs,
  FlagValues,
  PairSpecs,
} from './command-spec.ts';

interface Input<A extends ArgSpecs, F extends FlagSpecs> {
  readonly args: ArgValues<A>;
  readonly flags: FlagValues<F>;
}

/** Reads, or writes to the service: all requests go through `ctx.call`, which shows them under `--dry-run`. */
interface Requesting<A extends ArgSpecs, F extends FlagSpecs> {
  readonly changes: 'nothing' | 'service';
  handler(input: Input<A, F>, ctx: Context): Promise<Result>;
}

/** Changes something on this machine, which it plans first: `--dry-run` ends with the plan. */
interface Planning<A extends ArgSpecs, F extends FlagSpecs> {
  readonly changes: 'local';
  /** Checks everything that can be checked; throws what the command would. Changes nothing. */
  plan(input: Input<A, F>, ctx: Context): Promise<LocalPlan>;
}

/** A change of this machine that was checked and is still to be made. */
export interface LocalPlan {
  /** What `--dry-run` prints; a record is marked with `dryRun: true`. Changes nothing. */
  would(): Result | Promise<Result>;
  /** Asks where that is needed, and makes the change. */
  apply(): Promise<Result>;
}

/** A command that can be run. */
export type Command<A extends ArgSpecs = ArgSpecs, F extends FlagSpecs = FlagSpecs> = Spec<A, F> &
  (Requesting<A, F> | Planning<A, F>);

export type CommandSpec = Command;

/** Declares a command and infers what its handler gets. */
export function command<const A extends ArgSpecs, const F extends FlagSpecs>(
  spec: Command<A, F>,
): Command {
  return spec as unknown as Command;
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
  readonly before?: Row;
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

/**
 * Everything a handler may touch. Wired in `cli/context.ts` only; members load what they need when
 * first used. Rooms above core add the ports they offer by declaration merging (see
 * `terminal/port.ts`), so that each port is described where it lives.
 */
export interface Context {
  readonly streams: Streams;
  readonly env: Env;
  readonly globals: GlobalFlags;
  readonly clock: Clock;
  /** Aborted by SIGINT and SIGTERM, with a ProcError as its reason. */
  readonly signal: AbortSignal;
  /** The working directory, where relative paths begin. */
  readonly cwd: string;
  /** The command line as it was typed, after `proc`: for hints that can be typed again. */
  readonly typed: readonly string[];
  /** What starts this program again: the path of node and of the binary (`sandbox start --detach`). */
  readonly selfCommand: readonly string[];
  /** Process id of this program. */
  readonly pid: number;
  /** Says something on stderr: text on a terminal, JSON lines for scripts. */
  readonly say: Say;
  /** Tells an error that does not end the command: one of several ids. */
  complain(error: ProcError): void;
  /** Notes a write that was done: if its result cannot be delivered, the error names it. */
  noteWritten(written: Written): void;
  /** Where requests go, resolved once per command. */
  target(): Promise<Target>;
  /** Nothing is to be sent: `--dry-run` or `--curl`. Only {@link Reads} are performed. */
  readonly previewing: boolean;
  /**
   * Ends a write at once where its confirmation could not be given: before it reads anything.
   *
   * @throws ProcError `confirmation_required`
   */
  ensureAskable(intent: WriteIntent): Promise<void>;
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
  /** The same without a look at what it holds: any bytes, none as well. */
  readBytes(file: string): Promise<Uint8Array>;
  readText(file: string, options?: { readonly mayBeEmpty?: boolean }): Promise<string>;
  /** The whole command line as data, every noun loaded. */
  tree(): Promise<CommandTree>;
  /**
   * Sends one request with retry (reads always, writes only where surely not applied) and gives the
   * decoded answer. Writes pass the guard. Throws ProcError.
   */
  call<E extends EndpointSpec>(
    spec: E,
    input: InputOf<E>,
    intent?: WriteIntent,
  ): Promise<OutputOf<E>>;
  /** The same to another target than the command's own (the check of `setup`); reads only. */
  callAt<E extends EndpointSpec>(target: Target, spec: E, input: InputOf<E>): Promise<OutputOf<E>>;
  /** The same for an endpoint that is known only at run time. */
  callAny(spec: EndpointSpec, input: AnyInput, intent?: WriteIntent): Promise<unknown>;
  /** Reads that prepare a write: what was named is looked up, what will change is shown. */
  readonly reads: Reads;
  /**
   * A list to its end, page by page. `complete()` tells, once consumed, whether the end was
   * verified; `failure()` why it was not.
   */
  pages<E extends EndpointSpec>(spec: E, query: Readonly<Record<string, unknown>>): Pages;
}

/**
 * Reads that `--dry-run` and `--curl` perform too, so that what they show is what would be sent.
 */
export interface Reads {
  /** False in a preview with `--offline` or without a key at hand: then nothing may be read. */
  allowed(): Promise<boolean>;
  call<E extends EndpointSpec>(spec: E, input: InputOf<E> | AnyInput): Promise<OutputOf<E>>;
  /** A list to its end, page by page. */
  pages(spec: EndpointSpec, query: Readonly<Record<string, unknown>>): Pages;
  /**
   * All rows of a list whose field is exactly this: by search where the list can be sorted by the
   * field and its order can be trusted, else page by page to the end.
   */
  find(spec: EndpointSpec, field: string, value: string): Promise<FoundRows>;
  /** What a preview shows for a thing that it may not look up: `<item AR-5381>`, with a warning. */
  placeholder(what: string, text: string): string;
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
