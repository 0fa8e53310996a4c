import type { FlagSpecs, FlagValues } from '../core/command-spec.ts';

export const READING = 'Prepare and read the file';
export const MAPPING = 'Map columns to fields';

/** Flags about the file and its columns. `proc items diff` has all except `--set` and `--save-map`. */
export const FILE_FLAGS = {
  path: {
    kind: 'string',
    value: 'a.b',
    group: READING,
    doc: 'path of the array in a JSON document',
  },
  map: {
    kind: 'strings',
    value: 'field=column',
    group: MAPPING,
    doc: "map a field: COLUMN, #3, '{Model} {Color}' or jmes:EXPRESSION",
  },
  set: {
    kind: 'strings',
    value: 'field=value',
    group: MAPPING,
    doc: 'set a field in every row',
  },
  mapValue: {
    kind: 'strings',
    value: 'field:value=other',
    group: MAPPING,
    doc: 'replace a value of a field, e.g. unitOfMeasure:ST=EA; or FIELD:FILE with a file of two columns',
  },
  null: {
    kind: 'strings',
    value: 'word',
    group: READING,
    doc: 'treat this word as an empty cell, e.g. NA',
  },
  fillDown: {
    kind: 'strings',
    value: 'column',
    group: READING,
    doc: 'give empty cells of this column the value of the row above',
  },
  mapFile: {
    kind: 'string',
    value: 'file',
    group: MAPPING,
    doc: 'use a mapping written by --save-map',
  },
  saveMap: { kind: 'string', value: 'file', group: MAPPING, doc: 'write the mapping to this file' },
  decimal: {
    kind: 'choice',
    choices: [',', '.'],
    value: 'mark',
    group: READING,
    doc: 'decimal separator of numbers stored as text; the other mark groups thousands',
  },
  encoding: {
    kind: 'choice',
    choices: ['utf-8', 'windows-1252'],
    value: 'name',
    group: READING,
    doc: 'file encoding',
    defaultText: 'detect',
  },
  sheet: { kind: 'string', value: 'name', group: READING, doc: 'sheet of an .xlsx workbook' },
  headerRow: {
    kind: 'integer',
    min: 0,
    value: 'n',
    group: READING,
    doc: 'row of the header (CSV: its line); 0: no header',
    defaultText: 'the first row with cells',
  },
  skipRows: {
    kind: 'integer',
    min: 0,
    value: 'n',
    group: READING,
    doc: 'ignore the first n rows (CSV: lines)',
  },
} as const satisfies FlagSpecs;

export type FileFlags = FlagValues<typeof FILE_FLAGS>;
