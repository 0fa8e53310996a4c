export const SECTORS = {
  sectors: {
    doc: 'ids, keys or names; - for stdin',
    variadic: true,
    from: 'proc sectors list',
  },
} as const;
