export const ADDRESSES = {
  ids: { doc: 'ids of addresses; - for stdin', variadic: true },
} as const;
