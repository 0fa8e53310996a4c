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

export const SHEET_FLAG = {
  sheet: { kind: 'string', value: 'name', doc: 'sheet of an .xlsx workbook' },
} as const;
