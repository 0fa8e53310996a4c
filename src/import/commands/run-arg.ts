export const RUN = {
  doc: 'name of the run, or its first or last characters',
  from: 'proc imports list',
} as const;
