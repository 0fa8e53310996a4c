export const ADDRESSES = {
  ids: {
    doc: 'ids or aliases of addresses; - for stdin',
    variadic: true,
    from: 'proc addresses known',
  },
} as const;
