export const RUN = {
  doc: 'name of the run, or its beginning or end',
  from: 'proc imports list',
} as const;
