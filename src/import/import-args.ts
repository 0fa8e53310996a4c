export const NOT_LISTED =
  'The service cannot list these records. So an unconfirmed row stays unconfirmed until you resolve it (proc imports resolve), and proc recognizes rows that were sent before only by its own state folder.';

export const IMPORT_FILE = {
  file: { optional: true, doc: 'JSON, NDJSON, CSV, TSV (also gzipped) or .xlsx; - for stdin' },
} as const;
