import type { Lang } from '../core/text/phrase.ts';

/** Questions about the columns of a file. Names of fields and columns stay as they are. */
const en = {
  which: (field: string, at: number, all: number) =>
    `Which column fills ${field}? (${at} of ${all})`,
  none: 'None: leave it empty',
  rest: 'None for this field or the fields after it',
  back: (field: string) => `Back to ${field}`,
  empty: 'empty',
  taken: (field: string) => `fills ${field}`,
  use: (count: number): string =>
    count === 0 ? 'No column is used. Continue without any?' : 'Use these columns?',
  again: (command: string) => `To skip these questions next time, run: ${command}`,
};

export type ColumnMessages = typeof en;

const es: ColumnMessages = {
  which: (field, at, all) => `¿Qué columna llena ${field}? (${at} de ${all})`,
  none: 'Ninguna: dejarlo vacío',
  rest: 'Ninguna para este campo ni para los siguientes',
  back: (field) => `Volver a ${field}`,
  empty: 'vacía',
  taken: (field) => `llena ${field}`,
  use: (count) =>
    count === 0 ? 'No se usa ninguna columna. ¿Continuar sin ellas?' : '¿Usar estas columnas?',
  again: (command) => `Para omitir estas preguntas la próxima vez, ejecute: ${command}`,
};

export const columnMessages: Readonly<Record<Lang, ColumnMessages>> = { en, es };
