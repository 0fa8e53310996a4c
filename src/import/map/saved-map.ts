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

export interface SavedMap {
  readonly content: object;
  readonly choices: SavedChoices;
}

/**
 * The map of `--map-file`; undefined without this flag.
 *
 * @throws ProcError `unreadable_file`, `invalid_input`
 */
export function givenMap(mapFile: string | undefined, cwd: string): SavedMap | undefined {
  if (mapFile === undefined) return undefined;
  const content = readMap(mapFile, cwd);
  const { fields, decimal, ...choices } = readMapFile(content);
  return { content, choices };
}

function readMap(file: string, cwd: string): object {
  try {
    const content = readJson(readFileSync(resolve(cwd, file), 'utf8').replace(/^\uFEFF/, ''));
    if (typeof content === 'object' && content !== null) return content;
  } catch (thrown) {
    if (!(thrown instanceof JsonError)) throw unreadable(`--map-file ${file}`, thrown);
    throw new ProcError('invalid_input', `--map-file ${file}: ${thrown.message}`);
  }
  throw new ProcError('invalid_input', `--map-file ${file}: expected a JSON object`);
}

export function saveMap(
  file: string,
  mapping: Mapping,
  { layout = {} }: Pick<Source, 'layout'>,
  flags: Pick<ImportFlags, 'groupBy' | 'key' | 'saveMap'>,
): void {
  const choices = {
    ...layout,
    groupBy: flags.groupBy,
    key: flags.key,
  };
  try {
    const text = JSON.stringify({ ...mapping, ...choices }, null, 2);
    writeWholeFile(file, `${text}\n`);
  } catch (thrown) {
    throw new ProcError('unwritable_output', `--save-map ${flags.saveMap}: ${messageOf(thrown)}`);
  }
}

const KINDS = ['column', 'template', 'constant', 'from'];

/** A rule that is a string has the syntax of `--map`: a column or a template. */
const RULE = z.custom<Rule | string>(
  (rule) => {
    if (typeof rule === 'string') return true;
    if (!isObject(rule)) return false;
    const [[kind = '', text] = [], ...more] = Object.entries(rule);
    return more.length === 0 && KINDS.includes(kind) && typeof text === 'string';
  },
  `must be a string, or an object with one of ${KINDS.join(', ')}`,
);

const TEXT = z.optional(z.string());

/** The mapping, and choices that a saved map keeps besides. Each of these has the name of its flag. */
const MAP_FILE = z.object({
  fields: z._default(z.record(z.string(), RULE), {}),
  decimal: z.optional(z.enum([',', '.'])),
  path: TEXT,
  sheet: TEXT,
  headerRow: z.optional(z.int().check(z.minimum(1))),
  delimiter: TEXT,
  encoding: TEXT,
  groupBy: TEXT,
  key: TEXT,
});

type MapFile = z.output<typeof MAP_FILE>;
type SavedChoices = Omit<MapFile, keyof Mapping>;

/**
 * Validates `{"fields": {"code": "SKU", "type": {"constant": "Bikes"}}}`.
 *
 * @throws ProcError `invalid_usage`, naming the invalid field
 */
export function readMapFile(content: object): MapFile {
  const { value, issues, unknown } = check(MAP_FILE, content);
  const [issue] = issues;
  const [extra] = unknown;
  if (value !== undefined && extra === undefined) return value;
  const keys = Object.keys(MAP_FILE.shape).join(', ');
  const problem =
    extra === undefined
      ? `${issue?.field} ${issue?.message}`
      : `unknown key ${JSON.stringify(extra.field)}, expected one of ${keys}`;
  throw new ProcError('invalid_usage', `map file: ${problem}`, {
    hint: 'Use e.g. {"fields": {"code": "SKU", "name": "{Model} {Color}"}}',
  });
}
