export const SECTORS = {
  sectors: {
    doc: 'ids, keys or names; - for stdin',
    variadic: true,
    from: 'proc sectors list',
  },
} as const;

export const FILE_ARG = {
  file: { doc: 'JSON, NDJSON, CSV or .xlsx file of sectors, matched by id or key; - for stdin' },
} as const;

export const FILE_FLAGS = {
  sheet: { kind: 'string', value: 'name', doc: 'sheet of an .xlsx workbook' },
  encoding: {
    kind: 'choice',
    choices: ['utf-8', 'windows-1252'],
    value: 'name',
    doc: 'file encoding',
    defaultText: 'detect',
  },
} as const;
