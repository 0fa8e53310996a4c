import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import * as z from 'zod/mini';
import { messageOf, ProcError, unreadable } from '../../core/errors.ts';
import { isObject } from '../../core/is-object.ts';
import { JsonError, readJson } from '../../core/text/strict-json.ts';
import { check } from '../../core/validate.ts';
import { writeWholeFile } from '../../store/whole-file.ts';
import type { ImportFlags } from '../import-flags.ts';
import type { Source } from '../source/record.ts';
import type { Mapping, Rule } from './mapping.ts';

const TEXT = z.optional(z.string());
const TEXTS = z.optional(z.record(z.string(), z.string()));

/** `--map` and `--set` by field, a table of values written by hand, and flags under their names. */
const SAVED_MAP = z.object({
  map: TEXTS,
  set: TEXTS,
  values: z.optional(z.record(z.string(), z.record(z.string(), z.string()))),
  decimal: z.optional(z.enum([',', '.'])),
  path: TEXT,
  sheet: TEXT,
  headerRow: z.optional(z.int().check(z.minimum(1))),
  delimiter: TEXT,
  encoding: TEXT,
  groupBy: TEXT,
  key: TEXT,
});

export type SavedMap = z.output<typeof SAVED_MAP>;

/**
 * The map of `--map-file`; undefined without this flag.
 *
 * @throws ProcError `unreadable_file`, `invalid_input`
 */
export function givenMap(file: string | undefined, cwd: string): SavedMap | undefined {
  if (file === undefined) return undefined;
  const place = `--map-file ${file}`;
  let content: unknown;
  try {
    content = readJson(readFileSync(resolve(cwd, file), 'utf8').replace(/^\uFEFF/, ''));
  } catch (thrown) {
    if (!(thrown instanceof JsonError)) throw unreadable(place, thrown);
    throw new ProcError('invalid_input', `${place}: ${thrown.message}`);
  }
  if (!isObject(content)) throw new ProcError('invalid_input', `${place}: expected a JSON object`);
  const { value, issues, unknown } = check(SAVED_MAP, content);
  const [issue] = issues;
  const [extra] = unknown;
  if (value !== undefined && extra === undefined) return value;
  const problem =
    extra === undefined
      ? `${issue?.field} ${issue?.message}`
      : `unknown key ${JSON.stringify(extra.field)}, expected one of ${Object.keys(SAVED_MAP.shape).join(', ')}`;
  throw new ProcError('invalid_input', `${place}: ${problem}`, {
    hint: 'Use e.g. {"map": {"code": "SKU", "name": "{Model} {Color}"}, "set": {"unitOfMeasure": "EA"}}',
  });
}

/** @param file as typed, and its absolute path */
export function saveMap(
  [typed, file]: readonly [string, string],
  { fields, decimal, values }: Mapping,
  leftOut: readonly string[],
  { layout = {} }: Pick<Source, 'layout'>,
  { groupBy, key }: Pick<ImportFlags, 'groupBy' | 'key'>,
): void {
  const map: Record<string, string> = {};
  const set: Record<string, string> = {};
  for (const [field, rule] of Object.entries(fields)) put(field, rule);
  for (const field of leftOut) map[field] = '';
  function put(field: string, rule: Rule): void {
    if ('column' in rule) map[field] = rule.column;
    else if ('template' in rule) map[field] = rule.template;
    else set[field] = 'from' in rule ? `@${rule.from}` : rule.constant;
  }
  const saved: SavedMap = {
    map,
    ...(Object.keys(set).length === 0 ? {} : { set }),
    ...{ values: values as SavedMap['values'], decimal, ...layout, groupBy, key },
  };
  try {
    writeWholeFile(file, `${JSON.stringify(saved, null, 2)}\n`);
  } catch (thrown) {
    throw new ProcError('unwritable_output', `--save-map ${typed}: ${messageOf(thrown)}`);
  }
}
