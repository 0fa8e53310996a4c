import type { CommandSpec, FlagSpec, FlagSpecs } from '../core/command-spec.ts';
import type { CommandTree } from '../core/command-tree.ts';
import { ERROR_MEANING } from '../core/error-meanings.ts';
import { ERROR_CODES, type ErrorCode, RETRY, type Retry } from '../core/errors.ts';
import { EXIT_MEANING, type ExitCode, exitCodesOf } from '../core/exit-codes.ts';
import { VERSION } from '../core/proc-version.ts';
import type { ShapeKit } from '../core/shape/output-shape.ts';
import { kebab } from '../core/text/kebab.ts';

/** A flag as it is typed, and what it takes. */
interface ListedFlag {
  readonly flag: string;
  readonly short?: string;
  readonly type: FlagSpec['kind'];
  /** The word for the value in help. Not for booleans. */
  readonly value?: string;
  readonly repeatable: boolean;
  readonly required: boolean;
  readonly choices?: readonly string[];
  readonly min?: number;
  readonly max?: number;
  /** In words, e.g. `30s` or `table, json if piped`. */
  readonly default?: string;
  readonly doc: string;
}

interface ListedCommand {
  readonly command: string;
  readonly summary: string;
  readonly description?: string;
  readonly changes: CommandSpec['changes'];
  readonly prints: CommandSpec['prints'];
  readonly args: readonly {
    readonly name: string;
    readonly required: boolean;
    readonly variadic: boolean;
    readonly choices?: readonly string[];
    readonly doc: string;
  }[];
  readonly flags: readonly ListedFlag[];
  readonly exitCodes: readonly ExitCode[];
  readonly errorCodes: readonly ErrorCode[];
  readonly examples: CommandSpec['examples'];
}

/** Every command of proc, from the data that the parser, help, completion and the reference use. */
export interface CommandList {
  readonly version: string;
  readonly commands: readonly ListedCommand[];
  /** The global flags, which every command accepts. */
  readonly flags: readonly ListedFlag[];
  /** Other words for a noun: `order` for `orders`. */
  readonly aliases: Readonly<Record<string, string>>;
  readonly topics: Readonly<Record<string, string>>;
  readonly exitCodes: readonly { readonly exitCode: ExitCode; readonly meaning: string }[];
  readonly errorCodes: readonly {
    readonly code: ErrorCode;
    readonly exitCode: ExitCode;
    readonly retry: Retry;
    readonly meaning: string;
  }[];
}

/** @param isWanted for a part of the commands */
export function commandList(
  { nouns, globals, topics }: CommandTree,
  isWanted: (spec: CommandSpec) => boolean = () => true,
): CommandList {
  const codes = Object.keys(ERROR_CODES) as ErrorCode[];
  return {
    version: VERSION,
    commands: nouns.flatMap(({ commands }) => commands.filter(isWanted).map(listed)),
    flags: flagsOf(globals),
    aliases: Object.fromEntries(
      nouns.flatMap(({ name, aliases }) => aliases.map((alias) => [alias, name])),
    ),
    topics,
    exitCodes: Object.entries(EXIT_MEANING).map(([exitCode, meaning]) => ({
      exitCode: Number(exitCode) as ExitCode,
      meaning,
    })),
    errorCodes: codes.map((code) => ({
      code,
      exitCode: ERROR_CODES[code],
      retry: RETRY[code],
      meaning: ERROR_MEANING[code],
    })),
  };
}

function listed(spec: CommandSpec): ListedCommand {
  const { path, summary, description, changes, prints, args = {}, flags = {}, examples } = spec;
  const exitCodes = exitCodesOf(spec.exitCodes);
  return {
    command: path.join(' '),
    summary,
    ...(description === undefined ? {} : { description }),
    changes,
    prints,
    args: Object.entries(args).map(([name, arg]) => ({
      name: kebab(name),
      required: arg.optional !== true,
      variadic: arg.variadic === true,
      ...(arg.choices === undefined ? {} : { choices: arg.choices }),
      doc: arg.doc,
    })),
    flags: flagsOf(flags),
    exitCodes,
    errorCodes: (Object.keys(ERROR_CODES) as ErrorCode[]).filter((code) =>
      exitCodes.includes(ERROR_CODES[code]),
    ),
    examples,
  };
}

function flagsOf(specs: FlagSpecs): readonly ListedFlag[] {
  return Object.entries(specs).map(([key, spec]) => {
    const held = spec.defaultText ?? (spec.kind === 'string' ? spec.default : undefined);
    const choices =
      spec.kind === 'choice'
        ? spec.choices
        : spec.kind === 'strings' && spec.choices !== undefined
          ? Object.keys(spec.choices)
          : undefined;
    return {
      flag: `--${kebab(key)}`,
      ...(spec.short === undefined ? {} : { short: `-${spec.short}` }),
      type: spec.kind,
      ...(spec.kind === 'boolean' ? {} : { value: spec.value ?? 'value' }),
      repeatable: spec.kind === 'strings',
      required: spec.required === true,
      ...(choices === undefined ? {} : { choices }),
      ...(spec.kind === 'integer' && spec.min !== undefined ? { min: spec.min } : {}),
      ...(spec.kind === 'integer' && spec.max !== undefined ? { max: spec.max } : {}),
      ...(held === undefined ? {} : { default: held }),
      doc: spec.doc,
    };
  });
}

export function listedCommands(kit: ShapeKit) {
  const { z, maybe } = kit;
  return z.looseObject({
    version: z.string(),
    commands: z.array(
      z.looseObject({
        command: z.string(),
        summary: z.string(),
        description: maybe(z.string()),
        changes: z.enum(['nothing', 'service', 'local']),
        prints: z.string(),
        args: z.array(
          z.looseObject({
            name: z.string(),
            required: z.boolean(),
            variadic: z.boolean(),
            choices: maybe(z.array(z.string())),
            doc: z.string(),
          }),
        ),
        flags: z.array(listedFlag(kit)),
        exitCodes: z.array(z.number()),
        errorCodes: z.array(z.string()),
        examples: z.array(z.looseObject({ run: z.string(), doc: z.string() })),
      }),
    ),
    flags: z.array(listedFlag(kit)),
    aliases: z.record(z.string(), z.string()),
    topics: z.record(z.string(), z.string()),
    exitCodes: z.array(z.looseObject({ exitCode: z.number(), meaning: z.string() })),
    errorCodes: z.array(
      z.looseObject({
        code: z.string(),
        exitCode: z.number(),
        retry: z.string(),
        meaning: z.string(),
      }),
    ),
  });
}

function listedFlag({ z, maybe }: ShapeKit) {
  return z.looseObject({
    flag: z.string(),
    short: maybe(z.string()),
    type: z.enum(['boolean', 'string', 'strings', 'choice', 'integer', 'number', 'duration']),
    value: maybe(z.string()),
    repeatable: z.boolean(),
    required: z.boolean(),
    choices: maybe(z.array(z.string())),
    min: maybe(z.number()),
    max: maybe(z.number()),
    default: maybe(z.string()),
    doc: z.string(),
  });
}
