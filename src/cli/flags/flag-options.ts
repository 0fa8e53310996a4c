import { Option } from 'commander';
import type {
  ArgSpec,
  CommandSpec,
  FlagSpec,
  FlagSpecs,
  FlagValues,
} from '../../core/command-spec.ts';
import { ProcError } from '../../core/errors.ts';
import {
  GLOBAL_FLAGS,
  type GlobalFlags,
  type RequestLimits,
  type SHARED_FLAGS,
} from '../../core/global-flags.ts';
import type { Env } from '../../core/io.ts';
import { eitherNumber, readNumber, survivesDouble } from '../../core/text/decimal.ts';
import { kebab } from '../../core/text/kebab.ts';
import { nearest } from '../../core/text/nearest.ts';
import { readPeriod, readTimeLimit } from '../../core/time/duration.ts';
import { show } from '../../core/validate.ts';

/** Commander collects the values of the flag; {@link flagValues} checks them. */
export function optionOf(key: string, spec: FlagSpec): Option {
  const option = new Option(flagTerm(key, spec));
  if (spec.kind === 'boolean') return option;
  if (isBare(spec)) option.preset(BARE);
  return option.argParser((raw: string, before: unknown) => [
    ...(Array.isArray(before) ? before : []),
    raw,
  ]);
}

/** Stands for a missing value: an empty one usually comes from an unset shell variable. */
const BARE = '\0';

function isBare(spec: FlagSpec): boolean {
  return spec.kind === 'string' && spec.bare === true;
}

/** Returns e.g. `-o, --output <format>`. */
export function flagTerm(key: string, spec: FlagSpec): string {
  const short = spec.short === undefined ? '' : `-${spec.short}, `;
  const name = spec.value ?? 'value';
  const value = spec.kind === 'boolean' ? '' : isBare(spec) ? ` [${name}]` : ` <${name}>`;
  return `${short}--${kebab(key)}${value}`;
}

export function docOf(spec: FlagSpec): string {
  const choices =
    spec.kind === 'choice'
      ? `; one of: ${choiceList(spec.choices)}`
      : spec.kind === 'strings' && spec.choices !== undefined
        ? `; any of: ${Object.keys(spec.choices).join(', ')}`
        : '';
  const held = spec.defaultText ?? (spec.kind === 'string' ? spec.default : undefined);
  const notes = [
    ...(held === undefined ? [] : [`(default ${held})`]),
    ...(spec.kind === 'strings' && spec.choices === undefined ? ['(repeatable)'] : []),
    ...(spec.required === true ? ['(required)'] : []),
  ];
  return [`${spec.doc}${choices}`, ...notes].join(' ');
}

export function argDocOf({ doc, choices }: ArgSpec): string {
  return choices === undefined ? doc : `${doc}; one of: ${choiceList(choices)}`;
}

/** Punctuation is quoted and joined by `or`: `"," or "."`. */
function choiceList(choices: readonly string[]): string {
  return choices.every((choice) => /^\w/.test(choice))
    ? choices.join(', ')
    : choices.map((choice) => JSON.stringify(choice)).join(' or ');
}

export function flagValues(
  specs: FlagSpecs,
  raw: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [key, spec] of Object.entries(specs)) {
    values[key] = flagValue(`--${kebab(key)}`, spec, rawValue(key, raw));
  }
  return values;
}

/** Commander stores `--no-input` under `input`. Without the flag, the stored value is `true`. */
function rawValue(key: string, raw: Readonly<Record<string, unknown>>): unknown {
  if (!/^no[A-Z]/.test(key)) return raw[key];
  return raw[key.charAt(2).toLowerCase() + key.slice(3)] === false;
}

/** @param raw true for a boolean flag that was given; else all its values */
function flagValue(flag: string, spec: FlagSpec, raw: unknown): unknown {
  if (spec.kind === 'boolean') return raw === true;
  const texts = (raw ?? []) as readonly string[];
  if (spec.kind === 'strings') {
    for (const text of texts) refuseEmpty(flag, spec, text);
    return spec.choices === undefined ? texts : namesIn(flag, texts, Object.keys(spec.choices));
  }
  const text = texts.at(-1);
  if (text === undefined) {
    if (spec.required === true) {
      throw new ProcError('invalid_usage', `${flag} is missing: ${spec.doc}`, {
        hint: `Add ${flag} <${spec.value ?? 'value'}>`,
      });
    }
    return spec.kind === 'string' ? spec.default : undefined;
  }
  refuseTwice(flag, texts);
  switch (spec.kind) {
    case 'string':
      if (text === BARE) return '';
      refuseEmpty(flag, spec, text);
      return text;
    case 'choice': {
      // `-o=json`: commander gives `=json`.
      const choice = text.replace(/^=/, '');
      if (spec.choices.includes(choice)) return choice;
      throw notOneOf(flag, choice, spec.choices, spec.instead);
    }
    case 'integer':
      return integer(flag, text, spec.min, spec.max);
    case 'number':
      return number(flag, text);
    case 'duration':
      return duration(flag, text, spec.needsUnit);
  }
}

/** Scripts that join arguments may give a flag twice, and the last value would silently win. */
function refuseTwice(flag: string, texts: readonly string[]): void {
  const [first, ...others] = texts;
  const other = others.find((text) => text !== first);
  if (first === undefined || other === undefined) return;
  throw new ProcError(
    'invalid_usage',
    `${flag} was given twice: ${show(first)} and ${show(other)}`,
    {
      hint: 'Give it once.',
    },
  );
}

/** An empty value usually comes from an unset shell variable. */
function refuseEmpty(flag: string, spec: FlagSpec, text: string): void {
  if (text.trim() !== '' || spec.mayBeEmpty === true) return;
  throw new ProcError('invalid_usage', `${flag} is empty, expected <${spec.value ?? 'value'}>`, {
    hint: `Give it a value, or remove ${flag}`,
  });
}

/** Names separated by commas, each once. */
function namesIn(
  flag: string,
  texts: readonly string[],
  choices: readonly string[],
): readonly string[] {
  const names = texts.flatMap((text) => text.split(',')).map((name) => name.trim());
  for (const name of names) if (!choices.includes(name)) throw notOneOf(flag, name, choices);
  return [...new Set(names)];
}

export function notOneOf(
  flag: string,
  text: string,
  choices: readonly string[],
  instead: Readonly<Record<string, string>> = {},
): ProcError {
  const near = nearest(text, choices);
  const meant = Object.hasOwn(instead, text.toLowerCase())
    ? instead[text.toLowerCase()]
    : undefined;
  return new ProcError(
    'invalid_usage',
    `${flag} must be one of ${choices.join(', ')}, got ${show(text)}`,
    {
      hint: meant ?? (near === undefined ? instead['*'] : `Did you mean ${near}?`),
    },
  );
}

function integer(
  flag: string,
  text: string,
  min: number | undefined,
  max: number | undefined,
): number {
  const value = Number(text);
  if (!/^[+-]?\d+$/.test(text)) {
    throw new ProcError('invalid_usage', `${flag} ${show(text)}: expected a whole number`);
  }
  if (!Number.isSafeInteger(value)) {
    throw new ProcError(
      'invalid_usage',
      `${flag} ${text}: the number is too large, expected at most ${Number.MAX_SAFE_INTEGER}`,
    );
  }
  if ((min !== undefined && value < min) || (max !== undefined && value > max)) {
    const range =
      max === undefined
        ? `at least ${min}`
        : min === undefined
          ? `at most ${max}`
          : `from ${min} to ${max}`;
    throw new ProcError('invalid_usage', `${flag} ${text}: expected a whole number, ${range}`);
  }
  return value;
}

function number(flag: string, text: string): number {
  const reading = readNumber(text, undefined, flag);
  if (reading.kind === 'ambiguous') {
    throw new ProcError('invalid_usage', `${flag} ${text} ${eitherNumber(reading)}`, {
      hint: `Write ${flag} ${reading.grouped} or ${flag} ${reading.divided}`,
    });
  }
  if (reading.kind === 'none' || reading.text !== text) {
    throw new ProcError(
      'invalid_usage',
      `${flag} ${show(text)}: expected a number such as 1234.56`,
      reading.kind === 'none' ? {} : { hint: `Write ${flag} ${reading.text}` },
    );
  }
  if (!survivesDouble(text.replace(/^\+/, ''))) {
    throw new ProcError('invalid_usage', `${flag} ${show(text)}: JSON would round this number`, {
      hint: 'Give at most 15 significant digits.',
    });
  }
  return Number(text);
}

function duration(flag: string, text: string, needsUnit = false): number {
  const ms = needsUnit ? readPeriod(text) : readTimeLimit(text);
  if (ms === undefined) {
    const expected = needsUnit
      ? 'a time with a unit, such as 7d or 12h, at most 10 years'
      : 'a time such as 30s, 500ms or 5m';
    throw new ProcError('invalid_usage', `${flag} ${show(text)}: expected ${expected}`);
  }
  return ms;
}

/**
 * Reads `PROC_TIMEOUT` and `PROC_RETRIES` for flags that are not given. Names of profiles and
 * environments become NFC, the form in which they are stored.
 */
export function globalFlags(
  values: FlagValues<typeof GLOBAL_FLAGS & typeof SHARED_FLAGS>,
  env: Env,
  spec: Pick<CommandSpec, 'toleratesSettings'> = {},
): GlobalFlags {
  const { timeout, retries, fields, ...rest } = values;
  return {
    ...rest,
    profile: rest.profile?.normalize('NFC'),
    env: rest.env?.normalize('NFC'),
    ...requestLimits({ timeout, retries }, env, spec.toleratesSettings),
    fields: fields?.split(',').map((field) => field.trim()),
  };
}

/**
 * How long a request may take and how often it is retried: flag, variable, default. An empty variable counts as unset.
 *
 * @param tolerates if true, an invalid variable counts as unset
 * @throws ProcError `invalid_setting`
 */
function requestLimits(
  flags: { readonly timeout: number | undefined; readonly retries: number | undefined },
  env: Env,
  tolerates = false,
): RequestLimits {
  const { timeout, retries } = GLOBAL_FLAGS;
  const variableOf = (
    { variable }: { readonly variable: string },
    read: (text: string) => number | undefined,
    expected: string,
  ): number | undefined => {
    const text = env[variable];
    const value = text ? read(text) : undefined;
    if (value !== undefined || !text || tolerates) return value;
    const message = `${variable}: expected ${expected}, got ${show(text)}`;
    throw new ProcError('invalid_setting', message, { hint: `Correct ${variable}, or unset it` });
  };
  const whole = (text: string) =>
    /^\d{1,3}$/.test(text) && Number(text) <= retries.max ? Number(text) : undefined;
  return {
    timeoutMs:
      flags.timeout ??
      variableOf(timeout, readTimeLimit, 'a time such as 30s, 500ms or 5m') ??
      30_000,
    retries:
      flags.retries ?? variableOf(retries, whole, `a whole number, 0 to ${retries.max}`) ?? 2,
  };
}
