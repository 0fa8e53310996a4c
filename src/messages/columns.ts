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

/** Questions about where the records of a file are, which decimal mark it has, and which duplicate stays. */
const placesEn = {
  whichRow: 'Which row is the header?',
  whichSheet: 'Which sheet has the rows?',
  whichPath: 'Where are the records?',
  whichGroup: 'Which column holds the requisition? Rows with the same value form one.',
  whichDelivery: (column: string) => `The lines seem to be in ${column}. How are they delivered?`,
  whichValue: (field: string) => `No column fills ${field}. What is it in all of them?`,
  row: (row: number) => `row ${row}`,
  sheet: (name: string) => `sheet ${name}`,
  none: 'None of these: stop',
  whichNumber: (field: string, text: string) => `Which number is ${text} in ${field}?`,
  grouped: (number: string, mark: string) =>
    `${number} (the ${mark === '.' ? 'point' : 'comma'} groups thousands)`,
  divided: (number: string, mark: string) =>
    `${number} (the ${mark === '.' ? 'point' : 'comma'} is the decimal mark)`,
  eachItself: 'Neither: reject such rows',
  differ: (key: string, rows: string, last: number) =>
    `${key} is in rows ${rows} and ${last}, which differ:`,
  whichDuplicate: (key: string, left: number) =>
    `Which row of ${key} is created?${left === 0 ? '' : ` (${left} more like it)`}`,
  allFirst: 'The first row, also for all that follow',
  allLast: 'The last row, also for all that follow',
  stop: 'Stop: create nothing',
  empty: '(empty)',
};

type PlaceMessages = typeof placesEn;

const placesEs: PlaceMessages = {
  whichRow: '¿Qué fila es el encabezado?',
  whichSheet: '¿Qué hoja tiene las filas?',
  whichPath: '¿Dónde están los registros?',
  whichGroup: '¿Qué columna contiene la requisición? Las filas con el mismo valor forman una.',
  whichDelivery: (column) => `Las líneas parecen estar en ${column}. ¿Cómo se entregan?`,
  whichValue: (field) => `Ninguna columna llena ${field}. ¿Cuál es en todas?`,
  row: (row) => `fila ${row}`,
  sheet: (name) => `hoja ${name}`,
  none: 'Ninguno de estos: detener',
  whichNumber: (field, text) => `¿Qué número es ${text} en ${field}?`,
  grouped: (number, mark) =>
    `${number} (${mark === '.' ? 'el punto' : 'la coma'} separa los miles)`,
  divided: (number, mark) =>
    `${number} (${mark === '.' ? 'el punto' : 'la coma'} separa los decimales)`,
  eachItself: 'Ninguno: rechazar esas filas',
  differ: (key, rows, last) => `${key} está en las filas ${rows} y ${last}, que difieren:`,
  whichDuplicate: (key, left) =>
    `¿Qué fila de ${key} se crea?${left === 0 ? '' : ` (hay ${left} casos más)`}`,
  allFirst: 'La primera fila, también en los casos siguientes',
  allLast: 'La última fila, también en los casos siguientes',
  stop: 'Detener: no crear nada',
  empty: '(vacío)',
};

export const placeMessages: Readonly<Record<Lang, PlaceMessages>> = {
  en: placesEn,
  es: placesEs,
};
