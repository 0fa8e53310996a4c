import type { Phrase } from '../core/text/phrase.ts';

/** Questions of imports. Errors and data stay English; questions follow `--lang`. */
const en = {
  useColumns: 'Use these columns?',
  use1252: 'Read it as Windows-1252?',
  storeWords: (words: string, place: string) => `Store ${words} for ${place}?`,
  whatBecame: (row: number) => `What was the outcome of row ${row}?`,
  leave: 'I do not know yet',
  adopt: 'It was created: enter its id',
  resend: 'It was not created: send it again',
  drop: 'Drop the row',
  whichId: 'Id of the created record',
  isInList: (row: number, code: string | null) =>
    `Row ${row}${code === null ? '' : ` (${code})`} is already in the list. Use that record instead of sending the row again?`,
  adoptIt: (id: string) => `Yes, it is ${id}`,
  discard: (run: string, sent: number, inDoubt: number) =>
    sent === 0
      ? `Discard the run ${run}? Nothing was sent.`
      : inDoubt === 0
        ? `Discard the run ${run}? ${sent} of its rows ${sent === 1 ? 'was sent, and is' : 'were sent, and are'} created.`
        : `Discard the run ${run}? ${sent} of its rows ${sent === 1 ? 'was' : 'were'} sent. The outcome of ${inDoubt} is unknown, and discarding the run removes the means to find out.`,
  resolveAll: (kind: 'resend' | 'drop', n: number, run: string) =>
    kind === 'drop'
      ? `Drop ${n === 1 ? 'the unconfirmed row' : `all ${n} unconfirmed rows`} of ${run}? This cannot be undone.`
      : `Send ${n === 1 ? 'the unconfirmed row' : `all ${n} unconfirmed rows`} of ${run} again when it is resumed?`,
  prune: (n: number) => (n === 1 ? 'Remove 1 finished run?' : `Remove ${n} finished runs?`),
};

export type BulkMessages = typeof en;

const es: BulkMessages = {
  useColumns: '¿Usar estas columnas?',
  use1252: '¿Leerlo como Windows-1252?',
  storeWords: (words, place) => `¿Guardar ${words} para ${place}?`,
  whatBecame: (row) => `¿Cuál fue el resultado de la fila ${row}?`,
  leave: 'Aún no lo sé',
  adopt: 'Se creó: indicar su id',
  resend: 'No se creó: enviarla otra vez',
  drop: 'Descartar la fila',
  whichId: 'Id del registro creado',
  isInList: (row, code) =>
    `La fila ${row}${code === null ? '' : ` (${code})`} ya está en la lista. ¿Usar ese registro en vez de enviar la fila otra vez?`,
  adoptIt: (id) => `Sí, es ${id}`,
  discard: (run, sent, inDoubt) =>
    sent === 0
      ? `¿Descartar la importación ${run}? No se envió nada.`
      : inDoubt === 0
        ? `¿Descartar la importación ${run}? ${sent === 1 ? 'Se envió 1 fila, y está creada' : `Se enviaron ${sent} filas, y están creadas`}.`
        : `¿Descartar la importación ${run}? ${sent === 1 ? 'Se envió 1 fila' : `Se enviaron ${sent} filas`}; de ${inDoubt} no se conoce el resultado, y al descartarla ya no se podrá saber.`,
  resolveAll: (kind, n, run) => {
    const rows = n === 1 ? 'la fila sin confirmar' : `las ${n} filas sin confirmar`;
    return kind === 'drop'
      ? `¿Descartar ${rows} de ${run}? No se puede deshacer.`
      : `¿Enviar otra vez ${rows} de ${run} al reanudarla?`;
  },
  prune: (n) =>
    n === 1 ? '¿Eliminar 1 importación terminada?' : `¿Eliminar ${n} importaciones terminadas?`,
};

export const bulkMessages: Readonly<Record<'en' | 'es', BulkMessages>> = { en, es };

/** What an import does, before its rows are counted. */
export function importingFile(many: string, file: string): Phrase {
  return { en: `import ${many} from ${file}`, es: `importar ${many} de ${file}` };
}

interface Named {
  readonly one: string;
  readonly many: string;
}

/** What an import does, for the confirmation and for errors. */
export function importing(count: number, { one, many }: Named, file: string, newItems = 0): Phrase {
  const what = `${count} ${count === 1 ? one : many}`;
  const en = newItems === 1 ? ' and 1 new item' : ` and ${newItems} new items`;
  const es = newItems === 1 ? ' y 1 artículo nuevo' : ` y ${newItems} artículos nuevos`;
  return {
    en: `create ${what}${newItems === 0 ? '' : en} from ${file}`,
    es: `crear ${what}${newItems === 0 ? '' : es} a partir de ${file}`,
  };
}
