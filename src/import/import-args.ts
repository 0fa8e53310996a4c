export const NOT_LISTED =
  'The service cannot list them: an unconfirmed row stays unconfirmed until you resolve it (proc imports resolve), and proc recognises rows sent before only from the state folder of this machine.';

export const IMPORT_FILE = {
  file: { optional: true, doc: 'JSON, NDJSON, CSV, TSV (also gzipped) or .xlsx; - for stdin' },
} as const;
