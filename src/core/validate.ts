import type * as z from 'zod/mini';
import type { ContractIssueArgs, Problem, Shown } from './problem/row-problem.ts';
import { survivesDouble } from './text/decimal.ts';
import { nearest } from './text/nearest.ts';
import { isRawNumber, type RawNumber } from './text/raw-number.ts';
import { joinPath } from './text/strict-json.ts';

export interface FieldIssue {
  /** `groups[0].items[2].quantity`; empty for the value as a whole. */
  readonly field: string;
  readonly message: string;
}

interface ContractIssue extends FieldIssue {
  readonly problem: ContractProblem;
}

export interface Checked<T> {
  /** Without fields unknown to the contract. Undefined if there are issues. */
  readonly value: T | undefined;
  readonly issues: readonly ContractIssue[];
  /** Fields unknown to the contract, with the nearest known field. */
  readonly unknown: readonly { readonly field: string; readonly near: string | undefined }[];
}

/**
 * Checks a value against a schema of the contract. Unknown fields are not issues.
 * A raw number (`3.0`) counts as a number if a double keeps it.
 */
export function check<S extends z.ZodMiniType>(schema: S, value: unknown): Checked<z.output<S>> {
  let result = schema.safeParse(value);
  if (!result.success) {
    const rawPaths = result.error.issues
      .map(({ path }) => path)
      .filter((path) => isRawAt(value, path));
    if (rawPaths.length > 0) result = schema.safeParse(withNumbers(value, rawPaths));
  }
  const unknown: { field: string; near: string | undefined }[] = [];
  collectUnknown(schema, value, '', unknown);
  if (result.success) return { value: result.data, issues: [], unknown };
  const issues = result.error.issues.map((issue) => {
    const field = issue.path.reduce<string>(
      (path, key) => joinPath(path, key as string | number),
      '',
    );
    const problem = problemOf(issue, at(value, issue.path));
    const message = (CONTRACT_ISSUES[problem.code] as (args: typeof problem.args) => string)(
      problem.args,
    );
    return { field, message, problem };
  });
  return { value: undefined, issues, unknown };
}

function at(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (current, key) => (current as Record<PropertyKey, unknown> | null | undefined)?.[key],
    value,
  );
}

type Path = readonly PropertyKey[];

function isRawAt(value: unknown, path: Path): boolean {
  const found = at(value, path);
  return isRawNumber(found) && survivesDouble(found.rawJSON);
}

/** A copy that has numbers instead of raw numbers at these paths. */
function withNumbers(value: unknown, paths: readonly Path[]): unknown {
  const whole = [copied(value)];
  for (const path of paths) {
    const parent = at(whole, [0, ...path].slice(0, -1)) as Record<PropertyKey, unknown>;
    const key = path.at(-1) ?? 0;
    parent[key] = Number((parent[key] as RawNumber).rawJSON);
  }
  return whole[0];
}

function copied(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copied);
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, copied(inner)]));
}

export const CONTRACT_ISSUES: {
  readonly [C in keyof ContractIssueArgs]: (args: ContractIssueArgs[C]) => string;
} = {
  missing: ({ expected }) => `is required (${named(expected)})`,
  missing_choice: ({ choices }) => `is required: one of ${choices.join(', ')}`,
  wrong_type: ({ expected, got }) => `must be ${named(expected)}, got ${shownText(got)}`,
  wrong_choice: ({ choices, got }) => `must be one of ${choices.join(', ')}, got ${shownText(got)}`,
  too_few: ({ least, got }) =>
    `must have at least ${least === 1 ? '1 element' : `${least} elements`}, got ${shownText(got)}`,
  too_small: ({ least, isExclusive, got }) =>
    `must be ${isExclusive ? 'greater than' : 'at least'} ${least}, got ${shownText(got)}`,
  too_big: ({ most, isExclusive, got }) =>
    `must be ${isExclusive ? 'less than' : 'at most'} ${most}, got ${shownText(got)}`,
  not_valid: ({ says, got }) =>
    `${says}, ${got === undefined ? 'it is missing' : `got ${shownText(got)}`}`,
};

type ContractProblem = Extract<Problem, { code: keyof ContractIssueArgs }>;

function problemOf(issue: z.core.$ZodIssue, value: unknown): ContractProblem {
  const got = shown(value);
  switch (issue.code) {
    case 'invalid_type': {
      const { expected } = issue;
      return value === undefined
        ? { code: 'missing', args: { expected } }
        : { code: 'wrong_type', args: { expected, got } };
    }
    case 'invalid_value': {
      const choices = issue.values.map(String);
      return value === undefined
        ? { code: 'missing_choice', args: { choices } }
        : { code: 'wrong_choice', args: { choices, got } };
    }
    case 'too_small': {
      if (issue.origin === 'array') {
        return { code: 'too_few', args: { least: Number(issue.minimum), got } };
      }
      const least = String(issue.minimum);
      return { code: 'too_small', args: { least, got, ...exclusive(issue.inclusive) } };
    }
    case 'too_big': {
      const most = String(issue.maximum);
      return { code: 'too_big', args: { most, got, ...exclusive(issue.inclusive) } };
    }
    default:
      return {
        code: 'not_valid',
        args: { says: issue.message, ...(value === undefined ? {} : { got }) },
      };
  }
}

function exclusive(inclusive: boolean | undefined): { readonly isExclusive?: true } {
  return inclusive === false ? { isExclusive: true } : {};
}

function named(expected: string): string {
  if (expected === 'int') return 'a whole number';
  return /^[aeiou]/.test(expected) ? `an ${expected}` : `a ${expected}`;
}

const MOST_SHOWN = 60;

export function shown(value: unknown): Shown {
  if (Array.isArray(value)) return { elements: value.length };
  if (typeof value === 'object' && value !== null && !isRawNumber(value)) return { kind: 'object' };
  const text = JSON.stringify(value) ?? String(value);
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN - 1)}…` : text;
}

export function shownText(value: Shown): string {
  if (typeof value === 'string') return value;
  if (!('elements' in value)) return 'an object';
  return value.elements === 0 ? 'an empty array' : `an array of ${value.elements}`;
}

export function show(value: unknown): string {
  return shownText(shown(value));
}

interface Def {
  readonly type: string;
  readonly shape?: Readonly<Record<string, z.core.$ZodType>>;
  readonly innerType?: z.core.$ZodType;
  readonly element?: z.core.$ZodType;
}

function collectUnknown(
  schema: z.core.$ZodType,
  value: unknown,
  path: string,
  found: { field: string; near: string | undefined }[],
): void {
  const def = schema._zod.def as unknown as Def;
  if (def.innerType !== undefined) collectUnknown(def.innerType, value, path, found);
  if (def.element !== undefined && Array.isArray(value)) {
    for (const [index, element] of value.entries()) {
      collectUnknown(def.element, element, joinPath(path, index), found);
    }
  }
  if (def.shape === undefined || typeof value !== 'object' || value === null) return;
  if (Array.isArray(value) || isRawNumber(value)) return;
  const known = Object.keys(def.shape);
  for (const [key, inner] of Object.entries(value)) {
    const field = joinPath(path, key);
    // hasOwn, because a field may be named `constructor`.
    if (!Object.hasOwn(def.shape, key)) found.push({ field, near: nearest(key, known) });
    else collectUnknown(def.shape[key]!, inner, field, found);
  }
}

export function moreProblems(count: number): string {
  if (count < 2) return '';
  return ` (and ${count - 1} more ${count === 2 ? 'problem' : 'problems'})`;
}
