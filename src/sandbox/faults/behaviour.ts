import { dialectFor, parseDialect } from '../../client/dialect.ts';
import { ProcError } from '../../core/errors.ts';
import type { Dialect } from '../../core/service-target.ts';
import { nearest } from '../../core/text/nearest.ts';

/** Faults to inject. `chances` and `steps` are probabilities in [0, 1]. */
export interface FaultPlan {
  readonly seed: number;
  readonly chances: Readonly<Record<ChanceName, number>>;
  /** Drawn independently of `chances`: e.g. `dup` sends a response twice, even if it is a 429. */
  readonly steps: Readonly<Record<StepName, number>>;
  readonly latency: { readonly ms: number; readonly jitter: number } | undefined;
  /** A request that `reset-after` cuts off is committed after this delay. */
  readonly lateCommitMs: number;
  /** Allowed requests per second; further requests get 429. */
  readonly rate: number | undefined;
  /** Seconds in the `Retry-After` of the responses to requests above `rate`. */
  readonly retryAfter: number;
}

/** The sandbox's behaviour where the API is not documented and services differ. */
export interface Habits {
  dialect(noun: string): Dialect;
  /** The code under which an item is stored. */
  stored(code: string): string;
  /** Longer codes get 400. */
  readonly longestCode: number;
  /** What a second item with a stored code gets: its own record, 409, or the first record. */
  readonly second: 'create' | 'refuse' | 'same id';
  /** For this long, a list does not show a new record. */
  readonly lagMs: number;
  /** Unsorted lists begin with the newest record. */
  readonly isNewestFirst: boolean;
  /** The response to a delete. `kept`: 204, but the record stays. */
  readonly delete: '204' | '200' | '202' | 'kept';
  /** The response to a create has only the id. */
  readonly isBare: boolean;
  /** The response to a create has the code as it was sent. */
  readonly isEcho: boolean;
  /** What a list does with an empty parameter: 400, ignore it, or take it for 0. */
  readonly empty: 'refuse' | 'ignore' | 'zero';
  /** What a list does with a repeated parameter: 400, or take one of its values. */
  readonly repeated: 'refuse' | 'first' | 'last';
  readonly unknown: 'refuse' | 'ignore';
  readonly collation: Collation;
  readonly absent: 'omit' | 'null' | 'empty';
}

export type Collation = 'binary' | 'nocase' | 'unaccented';

/** In the order in which they are drawn; the first hit applies. */
export const CHANCES = [
  'reset-before',
  '429',
  '503',
  'reset-after',
  'truncate',
  'html',
  '500',
] as const;

export type ChanceName = (typeof CHANCES)[number];

/**
 * Responses that do not match their requests: sent twice, swapped with the response to another request,
 * or followed by an unsolicited 503.
 */
export const STEPS = ['dup', 'swap', 'late503'] as const;

export type StepName = (typeof STEPS)[number];

const CODES = {
  upper: (code: string) => code.toUpperCase(),
  lower: (code: string) => code.toLowerCase(),
  trim: (code: string) => code.trim(),
  'plain-dashes': (code: string) => code.replace(/\p{Pd}/gu, '-'),
  'no-dashes': (code: string) => code.replace(/\p{Pd}/gu, ''),
  'no-zeros': (code: string) => code.replace(/^0+(?=.)/, ''),
  nfc: (code: string) => code.normalize('NFC'),
  nfd: (code: string) => code.normalize('NFD'),
  nfkc: (code: string) => code.normalize('NFKC'),
} as const;

/** The first value is the default. */
const CHOICES = {
  delete: ['204', '200', '202', 'kept'],
  empty: ['refuse', 'ignore', 'zero'],
  repeated: ['refuse', 'first', 'last'],
  unknown: ['ignore', 'refuse'],
  collation: ['binary', 'nocase', 'unaccented'],
  absent: ['omit', 'null', 'empty'],
} as const;

const SWITCHES = ['unique', 'same-id', 'newest-first', 'bare', 'echo'] as const;

/** Everything that the two flags take, each with an example. */
export const BEHAVIOURS = {
  '--faults': {
    ...Object.fromEntries([...CHANCES, ...STEPS].map((name) => [name, `${name}=2%`])),
    latency: 'latency=20ms, latency=4s or latency=20ms+-10',
    'late-commit': 'late-commit=100ms',
    rate: 'rate=200/s',
    'retry-after': 'retry-after=5s',
    seed: 'seed=7',
  },
  '--habits': {
    ...Object.fromEntries([...Object.keys(CODES), ...SWITCHES].map((name) => [name, name])),
    cut: 'cut=40',
    max: 'max=40',
    lag: 'lag=2s',
    ...Object.fromEntries(
      Object.entries(CHOICES).map(([name, values]) => [name, `${name}=${values[1]}`]),
    ),
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>;

type Flag = keyof typeof BEHAVIOURS;

/**
 * Reads `reset-after=2%,429=3%,latency=20ms+-10,late-commit=100ms,rate=200/s,seed=7`.
 *
 * @throws ProcError `invalid_usage` with the name of the fault
 */
export function parseFaults(text: string): FaultPlan {
  const words = wordsIn(text, '--faults');
  const number = (name: string, form: RegExp): number | undefined => {
    const found = words.match(name, form);
    return found === undefined ? undefined : Number(found[1]);
  };
  const shares = <N extends string>(names: readonly N[]) =>
    Object.fromEntries(
      names.map((name) => {
        const percent = number(name, /^(\d{1,3}(?:\.\d{1,6})?)%$/) ?? 0;
        if (percent > 100) throw words.bad(name);
        return [name, percent / 100];
      }),
    ) as Record<N, number>;
  const latency = words.match('latency', /^(\d{1,6})(ms|s)?(?:\+-(\d{1,6})(ms|s)?)?$/);
  return {
    seed: number('seed', /^(\d{1,9})$/) ?? 0,
    chances: shares(CHANCES),
    steps: shares(STEPS),
    latency:
      latency === undefined
        ? undefined
        : { ms: msOf(latency[1], latency[2]), jitter: msOf(latency[3], latency[4]) },
    lateCommitMs: msOf(...(words.match('late-commit', MS)?.slice(1) ?? [])),
    rate: number('rate', /^([1-9]\d{0,6})(?:\/s)?$/),
    retryAfter: number('retry-after', /^(\d{1,4})s?$/) ?? 1,
  };
}

/**
 * Reads `upper,trim,unique,lag=2s`. Changes of codes apply in the order of the text.
 *
 * @param dialect as `--dialect`
 * @throws ProcError `invalid_usage` with the name of the habit; `invalid_setting` for the dialect
 */
export function parseHabits(text: string, dialect = ''): Habits {
  const words = wordsIn(text, '--habits');
  const settings = parseDialect(dialect, '--dialect');
  for (const name of [...Object.keys(CODES), ...SWITCHES]) words.match(name, /^$/);
  const length = (name: string) => Number(words.match(name, /^([1-9]\d{0,3})$/)?.[1] ?? Infinity);
  const choice = <K extends keyof typeof CHOICES>(name: K): (typeof CHOICES)[K][number] => {
    const choices: readonly (typeof CHOICES)[K][number][] = CHOICES[name];
    const given = words.match(name, new RegExp(`^(${choices.join('|')})$`))?.[1];
    return choices.find((one) => one === given) ?? choices[0]!;
  };
  const changes = [...words.names].flatMap((name) =>
    Object.hasOwn(CODES, name) ? [CODES[name as keyof typeof CODES]] : [],
  );
  const cut = length('cut');
  const lag = words.match('lag', MS);
  return {
    dialect: (noun) => dialectFor(settings, noun),
    stored: (code) => changes.reduce((stored, change) => change(stored), code).slice(0, cut),
    longestCode: length('max'),
    second: words.names.has('unique')
      ? 'refuse'
      : words.names.has('same-id')
        ? 'same id'
        : 'create',
    // Without a unit: seconds.
    lagMs: lag === undefined ? 0 : msOf(lag[1], lag[2] ?? 's'),
    isNewestFirst: words.names.has('newest-first'),
    delete: choice('delete'),
    isBare: words.names.has('bare'),
    isEcho: words.names.has('echo'),
    empty: choice('empty'),
    repeated: choice('repeated'),
    unknown: choice('unknown'),
    collation: choice('collation'),
    absent: choice('absent'),
  };
}

const MS = /^(\d{1,6})(ms|s)?$/;

function msOf(digits = '0', unit = 'ms'): number {
  return Number(digits) * (unit === 's' ? 1_000 : 1);
}

/** The words of a flag: `name=value` or `name`. */
function wordsIn(text: string, flag: Flag) {
  const forms: Readonly<Record<string, string>> = BEHAVIOURS[flag];
  const values = new Map<string, string>();
  for (const word of text.split(',').map((part) => part.trim())) {
    if (word === '') continue;
    const [name = '', value = ''] = word.split(/=(.*)/s).map((part) => part.trim());
    if (!Object.hasOwn(forms, name)) throw unknownWord(name, flag, Object.keys(forms));
    values.set(name, value);
  }
  const bad = (name: string) =>
    new ProcError('invalid_usage', `${flag}: invalid value ${name}="${values.get(name)}"`, {
      hint: `Use the form ${forms[name]}`,
    });
  return {
    names: new Set(values.keys()),
    bad,
    match(name: string, form: RegExp): RegExpExecArray | undefined {
      const value = values.get(name);
      if (value === undefined) return undefined;
      const found = form.exec(value);
      if (found === null) throw bad(name);
      return found;
    },
  };
}

function unknownWord(name: string, flag: Flag, known: readonly string[]): ProcError {
  const near = nearest(name, known);
  const kind = flag === '--faults' ? 'fault' : 'habit';
  return new ProcError('invalid_usage', `${flag}: unknown ${kind} "${name}"`, {
    hint: `${near === undefined ? '' : `Did you mean "${near}"? `}Use one of: ${known.join(', ')}`,
  });
}
