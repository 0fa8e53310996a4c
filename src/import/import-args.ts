export const notListed = (many: string): string =>
  `The service cannot list ${many}. So an unconfirmed row stays unconfirmed until you resolve it (proc imports resolve). The state folder has the only record of the rows that were sent before.`;

export const IMPORT_FILE = {
  file: { optional: true, doc: 'JSON, NDJSON, CSV, TSV (also gzipped) or .xlsx; - for stdin' },
} as const;
