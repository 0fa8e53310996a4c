/** Questions of `history resolve`. */
export const historyMessages = {
  resolve: {
    question: (id: string) => `What was the outcome of ${id}?`,
    applied: 'It was applied',
    notApplied: 'It was not applied',
    undecided: 'I do not know yet',
    id: 'Id of the created record',
    idNeeded: 'Enter an id.',
  },
};
