import type { Lang } from '../core/text/phrase.ts';

const en = {
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

export type PromptMessages = typeof en;

const es: PromptMessages = {
  keys: {
    navigate: 'mover',
    select: 'elegir',
    submit: 'listo',
    space: 'barra espaciadora',
    all: 'todos',
    invert: 'invertir',
  },
  confirm: {
    yes: 'Sí',
    short: { byDefault: '(S/n)', otherwise: '(s/N)' },
    again: 'Responda s o n.',
  },
  choice: {
    number: (last) => `Número de 1 a ${last}:`,
    missing: (last) => `Escriba un número de 1 a ${last}.`,
    wrong: (typed, last) => `"${typed}" no es un número de 1 a ${last}.`,
    numbers: (last) => `Números de 1 a ${last}, separados por comas; vacío para ninguno:`,
    wrongList: (typed, last) => `"${typed}" no es una lista de números de 1 a ${last}.`,
  },
  search: {
    term: 'Parte del nombre o código (vacío: mostrar los primeros):',
    termOr: (offered) => `Parte del nombre o código (vacío: "${offered}"):`,
    again: 'Buscar otra vez',
  },
};

export const promptMessages: Readonly<Record<Lang, PromptMessages>> = { en, es };
