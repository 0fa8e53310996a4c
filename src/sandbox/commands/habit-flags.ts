export const HABIT_FLAGS = {
  empty: { kind: 'boolean', doc: 'keys only: no orders, sectors or addresses' },
  dialect: {
    kind: 'string',
    value: 'text',
    doc: 'names of the list parameters and other habits, for instance limit=pageSize,unknown=refuse',
  },
  faults: {
    kind: 'string',
    value: 'text',
    doc: 'what goes wrong on purpose, for instance reset-after=2%,429=3%,latency=20ms,seed=7',
  },
} as const;
