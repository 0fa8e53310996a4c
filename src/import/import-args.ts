export const NOT_LISTED =
  'The service cannot list these records. So an unconfirmed row stays unconfirmed until you resolve it (proc imports resolve). Only the state folder of proc records which rows were sent before.';

export const IMPORT_FILE = {
  file: { optional: true, doc: 'JSON, NDJSON, CSV, TSV (also gzipped) or .xlsx; - for stdin' },
} as const;
