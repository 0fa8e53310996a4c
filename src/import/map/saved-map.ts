import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import * as z from 'zod/mini';
import { unreadable } from '../../core/errors.ts';
import { isObject, JsonError, readJson } from '../../core/json.ts';
import { check } from '../../core/validate.ts';
import { writeOutFile } from '../../output/sink.ts';
import { badFile } from '../source/record.ts';
import type { Mapping } from './mapping.ts';

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
 * @throws ProcError `invalid_input`
 */
export function givenMap(file: string | undefined, cwd: string): SavedMap | undefined {
  if (file === undefined) return undefined;
  const place = `--map-file ${file}`;
  let content: unknown;
  try {
    content = readJson(readFileSync(resolve(cwd, file), 'utf8').replace(/^\uFEFF/, ''));
  } catch (thrown) {
    if (!(thrown instanceof JsonError)) throw unreadable(place, thrown);
    throw badFile(`${place}: ${thrown.message}`);
  }
  if (!isObject(content)) throw badFile(`${place}: expected a JSON object`);
  const { value, issues, unknown } = check(SAVED_MAP, content);
  const [issue] = issues;
  const [extra] = unknown;
  if (value !== undefined && extra === undefined) return value;
  const problem =
    extra === undefined
      ? `${issue?.field} ${issue?.message}`
      : `unknown key ${JSON.stringify(extra.field)}, expected one of ${Object.keys(SAVED_MAP.shape).join(', ')}`;
  throw badFile(`${place}: ${problem}`);
}

/**
 * @param typed the file of `--save-map`
 * @param leftOut fields of `--map brand=`
 */
export async function saveMap(
  typed: string,
  cwd: string,
  { fields, decimal, values }: Mapping,
  leftOut: readonly string[],
  flags: Omit<SavedMap, 'map' | 'set' | 'values' | 'decimal'>,
): Promise<void> {
  const map: Record<string, string> = Object.fromEntries(leftOut.map((field) => [field, '']));
  const set: Record<string, string> = {};
  for (const [field, rule] of Object.entries(fields))
    if ('constant' in rule) set[field] = rule.constant;
    else map[field] = 'column' in rule ? rule.column : rule.template;
  const { path, sheet, headerRow, delimiter, encoding, groupBy, key } = flags;
  const layout = { path, sheet, headerRow, delimiter, encoding };
  const sets = Object.keys(set).length === 0 ? undefined : set;
  const saved: SavedMap = { map, set: sets, values, decimal, ...layout, groupBy, key };
  await writeOutFile(resolve(cwd, typed), '--save-map', (write) =>
    write(`${JSON.stringify(saved, null, 2)}\n`),
  );
}
