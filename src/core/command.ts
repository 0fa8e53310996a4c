import type { CommandTree } from './command-tree.ts';
import type { AnyInput, BodyOf, EndpointSpec, InputOf, OutputOf } from './endpoint.ts';
import type { ProcError } from './errors.ts';
import type { ExitCode } from './exit-codes.ts';
import type { Clock, Env, Say, Streams, Target } from './ports.ts';
import type { Result, Row } from './result.ts';
import type { Phrase } from './text/phrase.ts';

/**
 * The keys of `key=value`, for completion: the values of each (none: any), or the name of what is
 * looked up for it (`addresses`).
 */
export type PairSpecs = Readonly<Record<string, readonly string[] | string>>;

interface FlagBase {
  /** One line for help; choices, defaults and "repeatable" are added to it by `docOf`. */
  readonly doc: string;
  /** What holds without it, for help: `30s`. */
  readonly defaultText?: string;
  /** An empty value says something: a field is made empty. */
  readonly mayBeEmpty?: boolean;
  /** The word for the value in help, without brackets: `file`. */
  readonly value?: string;
  /** `-f`; only where users expect it. */
  readonly short?: string;
  readonly required?: boolean;
  /** The group under which help lists it. Default `Options`. */
  readonly group?: string;
  /** The value holds pairs, separated by commas. */
  readonly pairs?: PairSpecs;
}

/** A flag as data. `bind` makes it an option of commander and checks the value. */
export type FlagSpec =
  | (FlagBase & { readonly kind: 'boolean' })
  | (FlagBase & { readonly kind: 'string'; readonly default?: string })
  | (FlagBase & { readonly kind: 'strings' })
  | (FlagBase & { readonly kind: 'choice'; readonly choices: readonly string[] })
  | (FlagBase & { readonly kind: 'integer'; readonly min?: number; readonly max?: number })
  | (FlagBase & { readonly kind: 'number' })
  /** `30`, `30s`, `500ms`, `5m`, `2h`, at most 24 days: milliseconds; a bare number counts seconds. */
  | (FlagBase & { readonly kind: 'duration' });

export type FlagSpecs = Readonly<Record<string, FlagSpec>>;

type FlagValue<F extends FlagSpec> = F extends { kind: 'boolean' }
  ? boolean
  : F extends { kind: 'strings' }
    ? readonly string[]
    : F extends { kind: 'choice'; choices: readonly (infer C)[] }
      ? C
      : F extends { kind: 'integer' | 'number' | 'duration' }
        ? number
        : string;

/** The values of flags, by their camel-case key. Boolean and repeatable flags are always there. */
export type FlagValues<F extends FlagSpecs> = {
  readonly [K in keyof F]: F[K] extends { kind: 'boolean' } | { kind: 'strings' }
    ? FlagValue<F[K]>
    : F[K] extends { required: true } | { default: string }
      ? FlagValue<F[K]>
      : FlagValue<F[K]> | undefined;
};

/** A positional argument. At most the last one may be optional or variadic. */
interface ArgSpec {
  readonly doc: string;
  readonly optional?: boolean;
  readonly variadic?: boolean;
  readonly choices?: readonly string[];
  /** The command that lists what may stand here: `proc imports list`. */
  readonly from?: string;
  /** What completion offers; unlike `choices`, the command decides what it takes. */
  readonly suggest?: readonly string[];
  /** The same, by the argument before this one. */
  readonly suggestBy?: PairSpecs;
  /** The values are the words of a command: `requisition create`. */
  readonly isCommand?: boolean;
  /** Each value is one pair. */
  readonly pairs?: PairSpecs;
}

export type ArgSpecs = Readonly<Record<string, ArgSpec>>;

type ArgValues<A extends ArgSpecs> = {
  readonly [K in keyof A]: A[K] extends { variadic: true }
    ? readonly string[]
    : A[K] extends { optional: true }
      ? string | undefined
      : string;
};

interface Example {
  /** Starts with `proc`. The tests run it. */
  readonly run: string;
  readonly doc: string;
}

/** A command as data; `cli/bind` turns it into a commander command. */
interface CommandBase<A extends ArgSpecs, F extends FlagSpecs> {
  /** Words after `proc`: `['orders', 'list']`. Nouns are in their canonical form (see registry). */
  readonly path: readonly [string, ...string[]];
  /** What it prints, which decides the output flags that have an effect on it. */
  readonly prints: Printed;
  /** `--where` chooses among the records of its source, not among what it prints. */
  readonly filtersSource?: boolean;
  /** `--offline` has an effect also without `--dry-run`. */
  readonly worksOffline?: boolean;
  readonly summary: string;
  /** Paragraphs for help and the reference page. */
  readonly description?: string;
  readonly args?: A;
  /** By camel-case key; on the command line kebab-case. */
  readonly flags?: F;
  readonly examples: readonly Example[];
  /** Exit codes besides those that every command can give (`exitCodesOf`). */
  readonly exitCodes?: readonly ExitCode[];
  /** It ends with codes of another program too: which, in a sentence. */
  readonly passesCodes?: string;
  /** Endpoints it serves, for the reference and the architecture test. */
  readonly endpoints?: readonly EndpointSpec[];
  /** Its rows are no things with ids: `-o id` is refused. */
  readonly withoutIds?: boolean;
  /** Its data comes in the form it has: `--out` takes a file of any name. */
  readonly anyOut?: boolean;
  /** It must answer whatever the settings hold: a wrong `PROC_OUTPUT` counts as none. */
  readonly mends?: boolean;
  /** Kept out of help and reference. */
  readonly hidden?: boolean;
}

/**
 * `announcement`: one block or one line of JSON, while the command goes on running. `anything`: it
 * depends on the flags or on the service's answer.
 */
export type Printed = 'list' | 'record' | 'text' | 'announcement' | 'anything' | 'nothing';

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

export type CommandSpec<
  A extends ArgSpecs = ArgSpecs,
  F extends FlagSpecs = FlagSpecs,
> = CommandBase<A, F> & (Requesting<A, F> | Planning<A, F>);

/** Declares a command and infers what its handler gets. */
export function command<const A extends ArgSpecs, const F extends FlagSpecs>(
  spec: CommandSpec<A, F>,
): CommandSpec {
  return spec as unknown as CommandSpec;
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
