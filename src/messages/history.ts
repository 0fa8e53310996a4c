/** What `history resolve` and `history prune` ask. Errors stay English; questions follow `--lang`. */
const en = {
  resolve: {
    question: (what: string) => `What became of it: ${what}?`,
    applied: 'It was applied',
    notApplied: 'It was not applied',
    undecided: 'I do not know yet',
    id: 'Id of what it created',
    idNeeded: 'An id is needed.',
  },
  prune: (n: number) =>
    n === 1 ? 'Remove 1 entry from history?' : `Remove ${n} entries from history?`,
};

export type HistoryMessages = typeof en;

const es: HistoryMessages = {
  resolve: {
    question: (what) => `¿Qué resultó de esto: ${what}?`,
    applied: 'Se aplicó',
    notApplied: 'No se aplicó',
    undecided: 'Aún no lo sé',
    id: 'Identificador de lo que creó',
    idNeeded: 'Hace falta un identificador.',
  },
  prune: (n) =>
    n === 1 ? '¿Quitar 1 entrada del historial?' : `¿Quitar ${n} entradas del historial?`,
};

export const historyMessages: Readonly<Record<'en' | 'es', HistoryMessages>> = { en, es };
