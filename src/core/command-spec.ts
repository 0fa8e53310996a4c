import type { EndpointSpec } from './endpoint.ts';
import type { ExitCode } from './exit-codes.ts';
import type { AccessLevel } from './service/access.ts';

/**
 * The keys of `key=value` pairs, for completion. A key has its possible values, or the name of a list that
 * contains them (`addresses`). An empty array allows any value.
 */
export type PairSpecs = Readonly<Record<string, readonly string[] | string>>;

interface FlagBase {
  /** One line for help. `docOf` appends choices, defaults and "repeatable". */
  readonly doc: string;
  readonly defaultText?: string;
  /** An empty value is allowed: it clears a field. */
  readonly mayBeEmpty?: boolean;
  /** The word for the value in help, without brackets: `file`. */
  readonly value?: string;
  /** Without the dash: `f`. Only for flags whose letter users expect. */
  readonly short?: string;
  readonly required?: boolean;
  /** The heading under which help lists it. Default `Flags`. */
  readonly group?: string;
  /** Rarely needed: help on the command only names the flag, and a help topic describes it. */
  readonly advanced?: true;
  /** The value is a list of `key=value` pairs, separated by commas. */
  readonly pairs?: PairSpecs;
}

export type FlagSpec =
  | (FlagBase & { readonly kind: 'boolean' })
  | (FlagBase & { readonly kind: 'string'; readonly default?: string })
  | (FlagBase & { readonly kind: 'strings' })
  | (FlagBase & { readonly kind: 'choice'; readonly choices: readonly string[] })
  | (FlagBase & { readonly kind: 'integer'; readonly min?: number; readonly max?: number })
  | (FlagBase & { readonly kind: 'number' })
  /**
   * Typed as `30`, `30s`, `500ms`, `5m` or `2h`, at most 24 days, and parsed to milliseconds. A bare number
   * means seconds. With `needsUnit`, the value is a period such as `7d`, at most 10 years, and a bare number
   * is refused.
   */
  | (FlagBase & { readonly kind: 'duration'; readonly needsUnit?: true });

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

/** The parsed flags by camel-case key. Boolean and repeatable flags are always present. */
export type FlagValues<F extends FlagSpecs> = {
  readonly [K in keyof F]: F[K] extends { kind: 'boolean' } | { kind: 'strings' }
    ? FlagValue<F[K]>
    : F[K] extends { required: true } | { default: string }
      ? FlagValue<F[K]>
      : FlagValue<F[K]> | undefined;
};

/** A positional argument. At most the last argument may be optional or variadic. */
export interface ArgSpec {
  readonly doc: string;
  readonly optional?: boolean;
  readonly variadic?: boolean;
  readonly choices?: readonly string[];
  /** The command that lists possible values: `proc imports list`. */
  readonly from?: string;
  /** The hint if the argument is missing. Default: the command in `from`. */
  readonly hint?: string;
  /** Values that completion offers. Unlike `choices`, other values are accepted too. */
  readonly suggest?: readonly string[];
  /** Values that completion offers, by the value of the previous argument. */
  readonly suggestBy?: PairSpecs;
  /** The values are the words of a command: `requisition create`. */
  readonly isCommand?: boolean;
  /** Each value is one `key=value` pair. */
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
  /** Begins with `proc`; the tests run it. */
  readonly run: string;
  readonly doc: string;
}

/** A command as data. The commander command, help and completion are made from it. */
export interface CommandSpec<A extends ArgSpecs = ArgSpecs, F extends FlagSpecs = FlagSpecs> {
  /** Words after `proc`: `['orders', 'list']`. Nouns are in their canonical form (see registry). */
  readonly path: readonly [string, ...string[]];
  /** `local`: changes this machine, after a plan. `service`: changes data of the service. */
  readonly changes: 'nothing' | 'service' | 'local';
  /**
   * The access level that the command needs with this input. Default: `write` if the command changes the
   * service, otherwise `read`.
   */
  access?(input: { readonly args: ArgValues<A>; readonly flags: FlagValues<F> }): AccessLevel;
  /** Decides which output flags apply. */
  readonly prints: Printed;
  /** `--where` filters the records of the source, not the output. */
  readonly filtersSource?: boolean;
  /** `--offline` has an effect also without `--dry-run`. */
  readonly worksOffline?: boolean;
  readonly summary: string;
  readonly description?: string;
  /** Further paragraphs, only for the reference and the man page, so that help stays short. */
  readonly details?: string;
  readonly args?: A;
  /** By camel-case key; on the command line kebab-case. */
  readonly flags?: F;
  readonly examples: readonly Example[];
  /** Exit codes besides those that every command can give (`exitCodesOf`). */
  readonly exitCodes?: readonly ExitCode[];
  /** One sentence about exit codes that come from a program that the command runs. */
  readonly passesCodes?: string;
  /** Endpoints that the command calls, for the reference and the architecture test. */
  readonly endpoints?: readonly EndpointSpec[];
  /** The rows have no ids, so `-o id` is refused. */
  readonly withoutIds?: boolean;
  /** The data has a format of its own, so `--out` accepts any file name. */
  readonly anyOut?: boolean;
  /** The command makes a report: always, or if the extension of `--out` asks for a report. */
  readonly reports?: 'always' | 'files';
  /** The command works even if settings are invalid: an invalid `PROC_OUTPUT` counts as unset. */
  readonly toleratesSettings?: boolean;
  /** The `--deadline` of this command if none is given, in milliseconds. */
  readonly defaultDeadlineMs?: number;
  readonly hidden?: boolean;
}

/**
 * `announcement`: one block of text or one line of JSON, after which the command continues to run.
 * `anything`: depends on the flags or on the service's answer.
 */
export type Printed = 'list' | 'record' | 'text' | 'announcement' | 'anything' | 'nothing';
