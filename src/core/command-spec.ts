import type { EndpointSpec } from './endpoint.ts';
import type { ExitCode } from './exit-codes.ts';

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
  /** The heading under which help lists it. Default `Flags`. */
  readonly group?: string;
  /** Rarely needed: the page of its command only names it, and a topic of help describes it. */
  readonly advanced?: true;
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
export interface ArgSpec {
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

export type ArgValues<A extends ArgSpecs> = {
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

/** A command as data; `cli/bind` turns it into a commander command, help and completion describe it. */
export interface CommandSpec<A extends ArgSpecs = ArgSpecs, F extends FlagSpecs = FlagSpecs> {
  /** Words after `proc`: `['orders', 'list']`. Nouns are in their canonical form (see registry). */
  readonly path: readonly [string, ...string[]];
  /** `local`: something on this machine, which it plans first. `service`: what the service has. */
  readonly changes: 'nothing' | 'service' | 'local';
  /** What it prints, which decides the output flags that have an effect on it. */
  readonly prints: Printed;
  /** `--where` chooses among the records of its source, not among what it prints. */
  readonly filtersSource?: boolean;
  /** `--offline` has an effect also without `--dry-run`. */
  readonly worksOffline?: boolean;
  readonly summary: string;
  /** Paragraphs for help and the reference page. */
  readonly description?: string;
  /** Further paragraphs, for the reference page and the man page alone: help is to be skimmed. */
  readonly details?: string;
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
  /** It answers even if settings are wrong: an invalid `PROC_OUTPUT` counts as unset. */
  readonly toleratesSettings?: boolean;
  /** Kept out of help and reference. */
  readonly hidden?: boolean;
}

/**
 * `announcement`: one block or one line of JSON, while the command goes on running. `anything`: it
 * depends on the flags or on the service's answer.
 */
export type Printed = 'list' | 'record' | 'text' | 'announcement' | 'anything' | 'nothing';
