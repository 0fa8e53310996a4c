export const HABIT_FLAGS = {
  empty: { kind: 'boolean', doc: 'leave out the sample data; the API keys stay' },
  asOf: {
    kind: 'string',
    value: 'day',
    doc: 'the day of the newest sample order, e.g. 2026-01-31',
    defaultText: 'today',
  },
  dialect: {
    kind: 'string',
    value: 'text',
    doc: 'names of the list parameters, e.g. limit=pageSize,offset=skip',
  },
  habits: {
    kind: 'string',
    value: 'text',
    doc: 'how it stores, lists and deletes, e.g. upper,trim,unique,lag=2s',
  },
  faults: {
    kind: 'string',
    value: 'text',
    doc: 'faults to simulate, e.g. reset-after=2%,429=3%,latency=20ms,seed=7',
  },
} as const;
