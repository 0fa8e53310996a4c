/** Questions of `history resolve` and `history prune`. */
export const historyMessages = {
  resolve: {
    question: (id: string) => `What was the outcome of ${id}?`,
    applied: 'It was applied',
    notApplied: 'It was not applied',
    undecided: 'I do not know yet',
    id: 'Id of the created record',
    idNeeded: 'Enter an id.',
  },
  prune: (n: number) =>
    n === 1 ? 'Remove 1 entry from history?' : `Remove ${n} entries from history?`,
  forget: (service: string, entries: number, runs: number) =>
    `Forget what was sent to ${service} (${entries === 1 ? '1 entry' : `${entries} entries`}, ${runs === 1 ? '1 import' : `${runs} imports`})?`,
};
