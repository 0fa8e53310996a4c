export const SECTORS = {
  sectors: { doc: 'ids, keys or names; - reads them from standard input', variadic: true },
} as const;
