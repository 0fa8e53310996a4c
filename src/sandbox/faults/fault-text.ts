import { ProcError } from '../../core/errors.ts';
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

const FORMS: Readonly<Record<string, string>> = {
  ...Object.fromEntries([...CHANCES, ...STEPS].map((name) => [name, `${name}=2%`])),
  latency: 'latency=20ms or latency=20ms+-10',
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
export function parseFaults(text: string, where = '--faults'): FaultPlan {
  const chances = zeros(CHANCES);
  const steps = zeros(STEPS);
  const numbers = new Map<string, number>();
  let latency: FaultPlan['latency'];
  for (const pair of text.split(',').map((part) => part.trim())) {
    if (pair === '') continue;
    const [name = '', value = ''] = pair.split(/=(.*)/s).map((part) => part.trim());
    if (!Object.hasOwn(FORMS, name)) throw unknownFault(name, where);
    if (name === 'latency') {
      const [, ms, jitter = '0'] = match(
        /^(\d{1,6})(?:ms)?(?:\+-(\d{1,6})(?:ms)?)?$/,
        name,
        value,
        where,
      );
      latency = { ms: Number(ms), jitter: Number(jitter) };
    } else if (name === 'late-commit') {
      numbers.set(name, Number(match(/^(\d{1,6})(?:ms)?$/, name, value, where)[1]));
    } else if (name === 'rate') {
      numbers.set(name, Number(match(/^([1-9]\d{0,6})(?:\/s)?$/, name, value, where)[1]));
    } else if (name === 'retry-after') {
      numbers.set(name, Number(match(/^(\d{1,4})s?$/, name, value, where)[1]));
    } else if (name === 'seed') {
      numbers.set(name, Number(match(/^(\d{1,9})$/, name, value, where)[1]));
    } else {
      const percent = Number(match(/^(\d{1,3}(?:\.\d{1,6})?)%$/, name, value, where)[1]);
      if (percent > 100) throw badFault(name, value, where);
      if (Object.hasOwn(steps, name)) steps[name as StepName] = percent / 100;
      else chances[name as ChanceName] = percent / 100;
    }
  }
  return {
    seed: numbers.get('seed') ?? 0,
    chances,
    steps,
    latency,
    lateCommitMs: numbers.get('late-commit') ?? 0,
    rate: numbers.get('rate'),
    retryAfter: numbers.get('retry-after') ?? 1,
  };
}

function zeros<N extends string>(names: readonly N[]): Record<N, number> {
  return Object.fromEntries(names.map((name) => [name, 0])) as Record<N, number>;
}

function match(form: RegExp, name: string, value: string, where: string): RegExpExecArray {
  const found = form.exec(value);
  if (found === null) throw badFault(name, value, where);
  return found;
}

function badFault(name: string, value: string, where: string): ProcError {
  return new ProcError('invalid_usage', `${where}: invalid value ${name}="${value}"`, {
    hint: `Use the form ${FORMS[name]}`,
  });
}

function unknownFault(name: string, where: string): ProcError {
  const known = Object.keys(FORMS);
  const near = nearest(name, known);
  return new ProcError('invalid_usage', `${where}: unknown fault "${name}"`, {
    hint: `${near === undefined ? '' : `Did you mean "${near}"? `}Use one of: ${known.join(', ')}`,
  });
}
