export const SECTORS = {
  sectors: { doc: 'ids, keys or names; - for stdin', variadic: true },
} as const;
