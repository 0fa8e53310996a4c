import type { EndpointSpec } from './endpoint.ts';
import type { ExitCode } from './errors.ts';

interface FlagBase {
  /** One line for help. `docOf` appends choices, defaults and "repeatable". */
  readonly doc: string;
  readonly defaultText?: string;
  readonly mayBeEmpty?: boolean;
  /** The environment variable that sets the same: `PROC_TIMEOUT`. */
  readonly variable?: string;
  /** The word for the value in help, without brackets: `file`. */
  readonly value?: string;
  /** Without the dash: `f`. Only for flags whose letter users expect. */
  readonly short?: string;
  readonly required?: boolean;
  /** The heading under which help lists the flag. Default `Flags`. */
  readonly group?: string;
}

export type FlagSpec =
  | (FlagBase & { readonly kind: 'boolean' })
  /** `bare`: the value may be missing; then it is empty. */
  | (FlagBase & { readonly kind: 'string'; readonly default?: string; readonly bare?: true })
  /** With `choices`, by name, what each means: a value may be several of the names, separated by commas. */
  | (FlagBase & { readonly kind: 'strings'; readonly choices?: Readonly<Record<string, string>> })
  | (FlagBase & { readonly kind: 'choice'; readonly choices: readonly string[] })
  | (FlagBase & { readonly kind: 'integer'; readonly min?: number; readonly max?: number })
  | (FlagBase & { readonly kind: 'number' })
  /** A time limit, parsed to milliseconds: `500ms`, `5m`, or `30` for 30 seconds. At most 24.8 days. */
  | (FlagBase & { readonly kind: 'duration' });

export type FlagSpecs = Readonly<Record<string, FlagSpec>>;

type FlagValue<F extends FlagSpec> = F extends { kind: 'boolean' }
  ? boolean
  : F extends { kind: 'strings'; choices: Readonly<Record<infer N extends string, string>> }
    ? readonly N[]
    : F extends { kind: 'strings' }
      ? readonly string[]
      : F extends { kind: 'choice'; choices: readonly (infer C)[] }
        ? C
        : F extends { kind: 'integer' | 'number' | 'duration' }
          ? number
          : string;

export type FlagValues<F extends FlagSpecs> = {
  readonly [K in keyof F]: F[K] extends { kind: 'boolean' } | { kind: 'strings' }
    ? FlagValue<F[K]>
    : F[K] extends { required: true } | { default: string }
      ? FlagValue<F[K]>
      : FlagValue<F[K]> | undefined;
};

/** A positional argument. Only the last argument of a command may be optional or variadic. */
export interface ArgSpec {
  readonly doc: string;
  readonly optional?: boolean;
  readonly variadic?: boolean;
  readonly choices?: readonly string[];
  /** The command that lists possible values: `proc imports list`. */
  readonly from?: string;
  /** The hint if the argument is missing. Default: the command in `from`. */
  readonly hint?: string;
  /** Values for completion. Unlike with `choices`, other values are accepted too. */
  readonly suggest?: readonly string[];
}

export type ArgSpecs = Readonly<Record<string, ArgSpec>>;

export type ArgValues<A extends ArgSpecs> = {
  readonly [K in keyof A]: A[K] extends { variadic: true }
    ? readonly string[]
    : A[K] extends { optional: true }
      ? string | undefined
      : string;
};

interface Example {
  /** Begins with `proc`; the tests run it. */
  readonly run: string;
  readonly doc: string;
}

export interface CommandSpec<A extends ArgSpecs = ArgSpecs, F extends FlagSpecs = FlagSpecs> {
  /** Words after `proc`: `['orders', 'list']`. Nouns by their name, not by an alias. */
  readonly path: readonly [string, ...string[]];
  /** `local`: changes this machine, after a plan. `service`: changes data of the service. */
  readonly changes: 'nothing' | 'service' | 'local';
  /** Whether the command sends writes for this input. Default: true if it changes the service. */
  writes?(input: { readonly args: ArgValues<A>; readonly flags: FlagValues<F> }): boolean;
  readonly prints: Printed;
  readonly summary: string;
  readonly description?: string;
  readonly args?: A;
  readonly flags?: F;
  readonly examples: readonly Example[];
  /** Exit codes besides those that every command can give. */
  readonly exitCodes?: readonly ExitCode[];
  /** If the command runs another program: a sentence about its exit codes. */
  readonly passesCodes?: string;
  readonly endpoints?: readonly EndpointSpec[];
  /** The data has a format of its own, so `--out` accepts any file name. */
  readonly anyOut?: boolean;
  /** `--out FILE.html` writes a page. */
  readonly page?: true;
  /** The command works with invalid settings: an invalid `PROC_OUTPUT` counts as unset. */
  readonly toleratesSettings?: boolean;
}

/**
 * `announcement`: one block of text or one line of JSON; then the command continues.
 * `anything`: depends on the flags or on the response.
 */
type Printed = 'list' | 'record' | 'text' | 'announcement' | 'anything' | 'nothing';

export interface NounTree {
  readonly name: string;
  /** Words that mean the same. The first is the singular of a plural name, or the reverse. */
  readonly aliases: readonly string[];
  readonly summary: string;
  /** Names between noun and verb (`requisition group add`), with their summaries. */
  readonly groups: Readonly<Record<string, string>>;
  /** Without hidden commands. */
  readonly commands: readonly CommandSpec[];
}

export interface CommandTree {
  readonly nouns: readonly NounTree[];
  readonly globals: FlagSpecs;
}
