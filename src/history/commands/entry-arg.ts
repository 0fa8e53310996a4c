export const ENTRY = {
  id: { doc: 'id of the entry, e.g. h-7k3mqd', from: 'proc history list' },
} as const;
