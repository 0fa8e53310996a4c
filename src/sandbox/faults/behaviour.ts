import { ProcError } from '../../core/errors.ts';
import { nearest } from '../../core/text/nearest.ts';

/** Faults to inject. `chances` are probabilities in [0, 1]. */
export interface FaultPlan {
  readonly seed: number;
  readonly chances: Readonly<Record<ChanceName, number>>;
  readonly latency: { readonly ms: number; readonly jitter: number } | undefined;
  /** A request that `reset-after` cuts off is committed after this delay. */
  readonly lateCommitMs: number;
  /** Allowed requests per second; further requests get 429. */
  readonly rate: number | undefined;
  /** Seconds in the `Retry-After` of the responses to requests above `rate`. */
  readonly retryAfter: number;
}

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

/** Everything that `--faults` takes, each with an example. */
const FAULTS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(CHANCES.map((name) => [name, `${name}=2%`])),
  latency: 'latency=20ms, latency=4s or latency=20ms+-10',
  'late-commit': 'late-commit=100ms',
  rate: 'rate=200/s',
  'retry-after': 'retry-after=5s',
  seed: 'seed=7',
};

/**
 * Reads `reset-after=2%,429=3%,latency=20ms+-10,late-commit=100ms,rate=200/s,seed=7`.
 *
 * @throws ProcError `invalid_usage` with the name of the fault
 */
export function parseFaults(text: string): FaultPlan {
  const words = wordsIn(text);
  const number = (name: string, form: RegExp): number | undefined => {
    const found = words.match(name, form);
    return found === undefined ? undefined : Number(found[1]);
  };
  const chances = CHANCES.map((name) => {
    const percent = number(name, /^(\d{1,3}(?:\.\d{1,6})?)%$/) ?? 0;
    if (percent > 100) throw words.bad(name);
    return [name, percent / 100] as const;
  });
  const latency = words.match('latency', /^(\d{1,6})(ms|s)?(?:\+-(\d{1,6})(ms|s)?)?$/);
  return {
    seed: number('seed', /^(\d{1,9})$/) ?? 0,
    chances: Object.fromEntries(chances) as FaultPlan['chances'],
    latency:
      latency === undefined
        ? undefined
        : { ms: msOf(latency[1], latency[2]), jitter: msOf(latency[3], latency[4]) },
    lateCommitMs: msOf(...(words.match('late-commit', MS)?.slice(1) ?? [])),
    rate: number('rate', /^([1-9]\d{0,6})(?:\/s)?$/),
    retryAfter: number('retry-after', /^(\d{1,4})s?$/) ?? 1,
  };
}

const SETTLE_MS = 2_000;

/** How long a sandbox with these faults may take to apply a request, e.g. `2000ms`. */
export function settleOf(faults = ''): string {
  const { lateCommitMs, latency } = parseFaults(faults);
  const latencyMs = latency === undefined ? 0 : latency.ms + latency.jitter;
  return `${SETTLE_MS + lateCommitMs + latencyMs}ms`;
}

const MS = /^(\d{1,6})(ms|s)?$/;

function msOf(digits = '0', unit = 'ms'): number {
  return Number(digits) * (unit === 's' ? 1_000 : 1);
}

/** The words of the flag: `name=value`. */
function wordsIn(text: string) {
  const values = new Map<string, string>();
  for (const word of text.split(',').map((part) => part.trim())) {
    if (word === '') continue;
    const [name = '', value = ''] = word.split(/=(.*)/s).map((part) => part.trim());
    if (!Object.hasOwn(FAULTS, name)) throw unknownFault(name);
    values.set(name, value);
  }
  const bad = (name: string) =>
    new ProcError('invalid_usage', `--faults: invalid value ${name}="${values.get(name)}"`, {
      hint: `Use the form ${FAULTS[name]}`,
    });
  return {
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

function unknownFault(name: string): ProcError {
  const known = Object.keys(FAULTS);
  const near = nearest(name, known);
  return new ProcError('invalid_usage', `--faults: unknown fault "${name}"`, {
    hint: `${near === undefined ? '' : `Did you mean "${near}"? `}Use one of: ${known.join(', ')}`,
  });
}
