export const ADDRESSES = {
  ids: {
    doc: 'ids or aliases of addresses; - reads them from standard input',
    variadic: true,
    from: 'proc addresses known',
  },
} as const;
