import { ProcError } from '../../core/errors.ts';
import { isObject } from '../../core/is-object.ts';
import { show } from '../../core/validate.ts';
import type { Decimal, Rule } from './mapping.ts';

/** The content of a map file: what `--save-map` writes, or values of `--map` typed by hand. */
export interface MapFile {
  readonly fields: Readonly<Record<string, Rule | string>>;
  readonly nulls: readonly string[];
  readonly decimal: Decimal | undefined;
}

const KINDS = ['column', 'template', 'jmespath', 'constant', 'from'];

/**
 * Validates `{"fields": {"code": "SKU", "type": {"constant": "Bikes"}}, "nulls": ["NA"]}`. Throws
 * `invalid_usage`, naming the invalid field.
 */
export function readMapFile(content: object): MapFile {
  const { fields = {}, nulls = [], decimal, ...rest } = content as Record<string, unknown>;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined)
    throw wrong(`unknown key ${JSON.stringify(unknown)}, expected fields, nulls or decimal`);
  if (!isObject(fields)) throw wrong(`fields must be an object, got ${show(fields)}`);
  if (!Array.isArray(nulls) || !nulls.every((word) => typeof word === 'string')) {
    throw wrong(`nulls must be an array of strings, got ${show(nulls)}`);
  }
  if (decimal !== undefined && decimal !== ',' && decimal !== '.') {
    throw wrong(`decimal must be "," or ".", got ${show(decimal)}`);
  }
  for (const [field, rule] of Object.entries(fields)) {
    if (typeof rule !== 'string' && !isRule(rule)) {
      throw wrong(
        `${field} must be a string, or an object with one of ${KINDS.join(', ')}, got ${show(rule)}`,
      );
    }
  }
  return { fields: fields as MapFile['fields'], nulls, decimal };
}

function isRule(value: unknown): value is Rule {
  if (!isObject(value)) return false;
  const { position, ...rule } = value as { readonly position?: unknown };
  const isPlaced = position === undefined || (Number.isInteger(position) && 'column' in rule);
  const entries = Object.entries(rule);
  const [kind, text] = entries[0] ?? [];
  return isPlaced && entries.length === 1 && KINDS.includes(kind ?? '') && typeof text === 'string';
}

function wrong(problem: string): ProcError {
  return new ProcError('invalid_usage', `map file: ${problem}`, {
    hint: 'Use e.g. {"fields": {"code": "SKU", "name": "{Model} {Color}"}, "nulls": ["NA"]}',
  });
}
