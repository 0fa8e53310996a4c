import type { Lang } from '../core/text/phrase.ts';

/** Questions of `history resolve` and `history prune`. Errors stay English; questions follow `--lang`. */
const en = {
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

export type HistoryMessages = typeof en;

const es: HistoryMessages = {
  resolve: {
    question: (id) => `¿Cuál fue el resultado de ${id}?`,
    applied: 'Se aplicó',
    notApplied: 'No se aplicó',
    undecided: 'Aún no lo sé',
    id: 'Id del registro creado',
    idNeeded: 'Escriba un id.',
  },
  prune: (n) =>
    n === 1 ? '¿Quitar 1 entrada del historial?' : `¿Quitar ${n} entradas del historial?`,
  forget: (service, entries, runs) =>
    `¿Olvidar lo que se envió a ${service} (${entries === 1 ? '1 entrada' : `${entries} entradas`}, ${runs === 1 ? '1 importación' : `${runs} importaciones`})?`,
};

export const historyMessages: Readonly<Record<Lang, HistoryMessages>> = { en, es };
