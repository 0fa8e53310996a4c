import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { messageOf, ProcError, unreadable } from '../../core/errors.ts';
import { isObject } from '../../core/is-object.ts';
import type { DecimalMark } from '../../core/text/decimal.ts';
import { JsonError, readJson } from '../../core/text/strict-json.ts';
import { show } from '../../core/validate.ts';
import { writeWholeFile } from '../../store/whole-file.ts';
import type { ImportFlags } from '../import-flags.ts';
import type { Source, SourceLayout } from '../source/record.ts';
import type { Mapping, Rule } from './mapping.ts';
import { runNamedIn } from './repair/marks.ts';
import { headerOf } from './repair/recognise.ts';

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
  return { content, choices: readMapFile(content).choices };
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

/**
 * Settings for reading the file; flags override them. The saved map does not apply to a file of
 * rejected rows: proc chose the layout of that file.
 *
 * @param folder of the runs' files
 */
export async function savedLayout(
  file: string,
  saved: SavedMap | undefined,
  folder: string,
  cwd: string,
): Promise<SavedChoices> {
  const path = resolve(cwd, file);
  const isFile = file !== '-' && statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  const run = isFile ? runNamedIn(path) : undefined;
  if (run === undefined) return saved?.choices ?? {};
  return { path: (await headerOf(folder, run))?.source.arrayPath };
}

export function saveMap(
  file: string,
  mapping: Mapping,
  { format, layout = {} }: Pick<Source, 'format' | 'layout'>,
  flags: Pick<ImportFlags, 'encoding' | 'groupBy' | 'onDuplicate' | 'fillDown' | 'saveMap'>,
): void {
  const isOld = format.encoding === 'windows-1252';
  const choices: SavedChoices = {
    ...layout,
    encoding: flags.encoding ?? (isOld ? 'windows-1252' : undefined),
    groupBy: flags.groupBy,
    onDuplicate: flags.onDuplicate,
    fillDown: flags.fillDown.length === 0 ? undefined : flags.fillDown,
  };
  try {
    const text = JSON.stringify({ ...mapping, ...choices }, null, 2);
    writeWholeFile(file, `${text}\n`);
  } catch (thrown) {
    throw new ProcError('unwritable_output', `--save-map ${flags.saveMap}: ${messageOf(thrown)}`);
  }
}

/**
 * The content of `--map-file`. A rule that is a string has the syntax of `--map`: a column, a
 * template or an expression.
 */
interface MapFile {
  readonly fields: Readonly<Record<string, Rule | string>>;
  readonly nulls: readonly string[];
  readonly decimal: DecimalMark | undefined;
  readonly values: Mapping['values'];
  readonly choices: SavedChoices;
}

/** Choices that a saved map keeps besides the mapping. Each has the name of its flag. */
interface SavedChoices extends SourceLayout {
  readonly encoding?: ImportFlags['encoding'];
  readonly groupBy?: string | undefined;
  readonly onDuplicate?: ImportFlags['onDuplicate'];
  readonly fillDown?: readonly string[] | undefined;
}

const oneOf = (...words: readonly string[]) => ({
  fits: (value: unknown) => words.includes(value as string),
  expected: words.join(' or '),
});
const TEXT = {
  fits: (value: unknown): boolean => typeof value === 'string',
  expected: 'a string',
};
const COUNT = {
  fits: (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0,
  expected: 'a number from 0',
};

const CHOICES: Readonly<Record<keyof SavedChoices, typeof TEXT>> = {
  path: TEXT,
  sheet: TEXT,
  headerRow: COUNT,
  skipRows: COUNT,
  encoding: oneOf('utf-8', 'windows-1252'),
  groupBy: TEXT,
  onDuplicate: oneOf('first', 'last', 'all'),
  fillDown: {
    fits: (value) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
    expected: 'an array of strings',
  },
};

const KINDS = ['column', 'template', 'jmespath', 'constant', 'from'];

/**
 * Validates `{"fields": {"code": "SKU", "type": {"constant": "Bikes"}}, "nulls": ["NA"]}`. Throws
 * `invalid_usage`, naming the invalid field.
 */
export function readMapFile(content: object): MapFile {
  const { fields = {}, nulls = [], decimal, values, ...rest } = content as Record<string, unknown>;
  for (const [key, value] of Object.entries(rest)) {
    const choice = Object.hasOwn(CHOICES, key) ? CHOICES[key as keyof SavedChoices] : undefined;
    if (choice === undefined) {
      const keys = ['fields', 'nulls', 'decimal', 'values', ...Object.keys(CHOICES)].join(', ');
      throw wrong(`unknown key ${JSON.stringify(key)}, expected one of ${keys}`);
    }
    if (!choice.fits(value)) throw wrong(`${key} must be ${choice.expected}, got ${show(value)}`);
  }
  if (!isObject(fields)) throw wrong(`fields must be an object, got ${show(fields)}`);
  if (!Array.isArray(nulls) || !nulls.every((word) => typeof word === 'string')) {
    throw wrong(`nulls must be an array of strings, got ${show(nulls)}`);
  }
  if (decimal !== undefined && decimal !== ',' && decimal !== '.') {
    throw wrong(`decimal must be "," or ".", got ${show(decimal)}`);
  }
  if (values !== undefined && !isValues(values)) {
    throw wrong(
      `values must be an object such as {"unitOfMeasure": {"ST": "EA"}}, got ${show(values)}`,
    );
  }
  for (const [field, rule] of Object.entries(fields)) {
    if (typeof rule !== 'string' && !isRule(rule)) {
      throw wrong(
        `${field} must be a string, or an object with one of ${KINDS.join(', ')}, got ${show(rule)}`,
      );
    }
  }
  return {
    fields: fields as MapFile['fields'],
    nulls,
    decimal,
    values: values as Mapping['values'],
    choices: rest as SavedChoices,
  };
}

function isValues(value: unknown): boolean {
  const isText = (one: unknown) => typeof one === 'string';
  return (
    isObject(value) &&
    Object.values(value).every((one) => isObject(one) && Object.values(one).every(isText))
  );
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
