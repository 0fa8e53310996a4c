export const NOT_LISTED =
  'They cannot be listed: a row whose outcome is not known stays in doubt until you say what became of it (proc imports resolve), and rows that were sent before are recognised from the state folder of this machine alone.';

export const IMPORT_FILE = {
  file: { doc: 'JSON, NDJSON, CSV, TSV, also gzipped, or .xlsx; - for standard input' },
} as const;
