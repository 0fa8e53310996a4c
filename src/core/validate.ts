import type * as z from 'zod/mini';
import { joinPath } from './json.ts';
import { isRawNumber } from './numbers.ts';
import { nearest } from './wording.ts';

export interface FieldIssue {
  /** `groups[0].items[2].quantity`; empty for the value as a whole. */
  readonly field: string;
  readonly message: string;
}

export interface Checked<T> {
  /** Without fields unknown to the contract. Undefined if there are issues. */
  readonly value: T | undefined;
  readonly issues: readonly FieldIssue[];
  /** Fields unknown to the contract, with the nearest known field. */
  readonly unknown: readonly { readonly field: string; readonly near: string | undefined }[];
}

/**
 * Checks a value against a schema of the contract. Unknown fields are not issues.
 * A raw number (`3.0`) counts as a number.
 */
export function check<S extends z.ZodMiniType>(schema: S, value: unknown): Checked<z.output<S>> {
  let result = schema.safeParse(value);
  if (!result.success && value !== undefined)
    result = schema.safeParse(JSON.parse(JSON.stringify(value)));
  const unknown: { field: string; near: string | undefined }[] = [];
  collectUnknown(schema, value, '', unknown);
  if (result.success) return { value: result.data, issues: [], unknown };
  const issues = result.error.issues.map((issue) => {
    const field = issue.path.reduce<string>(
      (path, key) => joinPath(path, key as string | number),
      '',
    );
    return { field, message: issueText(issue, at(value, issue.path)) };
  });
  return { value: undefined, issues, unknown };
}

function at(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (current, key) => (current as Record<PropertyKey, unknown> | null | undefined)?.[key],
    value,
  );
}

/** What is wrong with a value, without its field. */
function issueText(issue: z.core.$ZodIssue, value: unknown): string {
  const expected = expectedBy(issue);
  if (value === undefined) return `is required (${expected.replace(/^be /, '')})`;
  return `must ${expected}, got ${show(value)}`;
}

function expectedBy(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.expected === 'int') return 'be a whole number';
      return `be ${/^[aeiou]/.test(issue.expected) ? 'an' : 'a'} ${issue.expected}`;
    case 'invalid_value':
      return `be one of ${issue.values.join(', ')}`;
    case 'too_small': {
      const { minimum, inclusive, origin } = issue;
      if (origin === 'array') return `have at least ${minimum} element${minimum === 1 ? '' : 's'}`;
      return `be ${inclusive === false ? 'greater than' : 'at least'} ${minimum}`;
    }
    case 'too_big':
      return `be ${issue.inclusive === false ? 'less than' : 'at most'} ${issue.maximum}`;
    default:
      return `be valid: ${issue.message}`;
  }
}

const MOST_SHOWN = 60;

/** A value as errors show it: JSON text, shortened. The content of an array or object is not shown. */
export function show(value: unknown): string {
  if (Array.isArray(value))
    return value.length === 0 ? 'an empty array' : `an array of ${value.length}`;
  if (typeof value === 'object' && value !== null && !isRawNumber(value)) return 'an object';
  const text = JSON.stringify(value) ?? String(value);
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN - 1)}…` : text;
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
