export const RUN = {
  doc: 'name of the run, its first or last characters, or "last"',
  from: 'proc imports list',
} as const;

/** Of a command that shows a statement as if it were a run. */
export const SHOWN = { ...RUN, doc: `${RUN.doc}; or a file of --statement` } as const;
