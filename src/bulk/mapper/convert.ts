import { survivesDouble } from '../../core/decimal.ts';
import { show } from '../../core/validate.ts';
import type { ImportField } from '../../resources/import-fields.ts';

/** A value as it will be sent, or what is wrong with it. Neither: it is empty. */
export interface Converted {
  readonly value?: unknown;
  readonly problem?: string;
}

const json = JSON as typeof JSON & { isRawJSON(value: unknown): boolean };

const NUMBER = /^[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const INTEGER = /^[+-]?\d+$/;

/** The text of a number, exactly as its file wrote it where it has a choice (`1.10`). */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  if (typeof value === 'object' && value !== null && json.isRawJSON(value)) {
    return (value as { rawJSON: string }).rawJSON;
  }
  return undefined;
}

/** Makes a value what the field takes. Text is trimmed already; a number becomes text as it is written. */
export function convert(value: unknown, kind: ImportField['kind']): Converted {
  if (kind === 'any') return { value };
  const text = textOf(value);
  if (kind === 'string') {
    return text === undefined ? { problem: `must be text, got ${show(value)}` } : { value: text };
  }
  const wanted = kind === 'integer' ? 'a whole number' : 'a number';
  if (text === undefined) return { problem: `must be ${wanted}, got ${show(value)}` };
  if (!(kind === 'integer' && typeof value === 'string' ? INTEGER : NUMBER).test(text)) {
    return {
      problem: `must be ${wanted} like ${kind === 'integer' ? '12' : '1234.5'}, got ${show(value)}`,
    };
  }
  const number = Number(text);
  if (!survivesDouble(text.replace(/^\+/, ''))) {
    return { problem: `the number ${text.slice(0, 60)} would be rounded` };
  }
  if (kind === 'integer' && !Number.isSafeInteger(number)) {
    return { problem: `must be ${wanted}, got ${text}` };
  }
  return { value: number };
}
