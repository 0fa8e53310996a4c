/** Questions of `history resolve` and `history prune`. Errors stay English; questions follow `--lang`. */
const en = {
  resolve: {
    question: (what: string) => `What was the outcome: ${what}?`,
    applied: 'It was applied',
    notApplied: 'It was not applied',
    undecided: 'I do not know yet',
    id: 'Id of the created record',
    idNeeded: 'Enter an id.',
  },
  prune: (n: number) =>
    n === 1 ? 'Remove 1 entry from history?' : `Remove ${n} entries from history?`,
};

export type HistoryMessages = typeof en;

const es: HistoryMessages = {
  resolve: {
    question: (what) => `¿Cuál fue el resultado: ${what}?`,
    applied: 'Se aplicó',
    notApplied: 'No se aplicó',
    undecided: 'Aún no lo sé',
    id: 'Id del registro creado',
    idNeeded: 'Escriba un id.',
  },
  prune: (n) =>
    n === 1 ? '¿Quitar 1 entrada del historial?' : `¿Quitar ${n} entradas del historial?`,
};

export const historyMessages: Readonly<Record<'en' | 'es', HistoryMessages>> = { en, es };
