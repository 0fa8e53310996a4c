export const promptMessages = {
  /** For the line that explains the keyboard: each word of inquirer, and the word that proc shows instead. */
  keys: {
    navigate: 'move',
    select: 'choose',
    submit: 'done',
    space: 'space bar',
    all: 'all',
    invert: 'invert',
  },
  confirm: {
    yes: 'Yes',
    short: { byDefault: '(Y/n)', otherwise: '(y/N)' },
    again: 'Type y or n.',
  },
  choice: {
    number: (last: string) => `Number from 1 to ${last}:`,
    missing: (last: string) => `Type a number from 1 to ${last}.`,
    wrong: (typed: string, last: string) => `"${typed}" is not a number from 1 to ${last}.`,
    numbers: (last: string) => `Numbers from 1 to ${last}, separated by commas; empty for none:`,
    wrongList: (typed: string, last: string) =>
      `"${typed}" is not a list of numbers from 1 to ${last}.`,
  },
  search: {
    term: 'Part of the name or code (empty: show the first):',
    termOr: (offered: string) => `Part of the name or code (empty: "${offered}"):`,
    again: 'Search again',
  },
};

export type PromptMessages = typeof promptMessages;
