/** The states of a row. `docs/glossary.md` explains them. */
const STATES = [
  'filtered',
  'pending',
  'sending',
  'created',
  'existing',
  'duplicate',
  'dropped',
  'rejected',
  'unconfirmed',
] as const;

export type RowState = (typeof STATES)[number];

export type Counts = Readonly<Record<RowState, number>>;

export function noCounts(): Record<RowState, number> {
  return Object.fromEntries(STATES.map((state) => [state, 0])) as Record<RowState, number>;
}
