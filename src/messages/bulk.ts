import { grouped } from '../core/text/decimal.ts';
import type { Lang, Phrase, Said } from '../core/text/phrase.ts';
import { type Counted, countedWord, countOf, inSpanish } from './import-nouns.ts';

/** Questions of imports. Errors and data stay English; questions follow `--lang`. */
const en = {
  use1252: 'Read it as Windows-1252?',
  outcomeOf: (row: number) => `What was the outcome of row ${row}?`,
  leave: 'I do not know yet',
  adopt: 'It was created: enter its id',
  resend: 'It was not created: send it again',
  drop: 'Drop the row',
  whichId: 'Id of the created record',
  isInList: (row: number, code: string | null) =>
    `Row ${row}${code === null ? '' : ` (${code})`} is already in the list. Use that record instead of sending the row again?`,
  adoptIt: (id: string) => `Yes, it is ${id}`,
  /** `sent` is undefined if the file of the run cannot be read. */
  discard: (run: string, sent: number | undefined, unconfirmed: number, of: Counted) => {
    const question = `Discard run ${run}?`;
    if (sent === undefined) return `${question} Its file cannot be read.`;
    if (sent === 0)
      return `${question} None of its ${countedWord(2, of, 'en')} was created or is unconfirmed.`;
    const rows = `${countOf(sent, of, 'en')} ${sent === 1 ? 'was' : 'were'} sent`;
    if (unconfirmed === 0) return `${question} ${rows} and created.`;
    const which = unconfirmedOf(unconfirmed, of);
    return `${question} ${rows}. If you discard the run, proc can no longer find out whether ${which} ${unconfirmed === 1 ? 'was' : 'were'} created.`;
  },
  resolveAll: (kind: 'resend' | 'drop', n: number, run: string, of: Counted) => {
    const which =
      n === 1 ? `the unconfirmed ${countedWord(1, of, 'en')}` : `all ${unconfirmedOf(n, of)}`;
    return kind === 'drop'
      ? `Drop ${which} of ${run}? This cannot be undone.`
      : `Send ${which} of ${run} again when it is resumed?`;
  },
  resolveFrom: (
    file: string,
    run: string,
    { adopt, resend, drop, open }: FiledCounts,
    of: Counted,
  ) =>
    `Record the outcomes from ${file} for ${run}? ${adopt} to adopt, ${resend} to send again when it is resumed, ${drop} to drop. ${countOf(open, of, 'en')} ${open === 1 ? 'stays' : 'stay'} unconfirmed.`,
  discarded: (unconfirmed: number, of: Counted) =>
    `discarded ${unconfirmedOf(unconfirmed, of)}: ${unconfirmed === 1 ? 'its' : 'their'} outcome stays unknown`,
  recordedBefore: (file: string) =>
    `nothing was changed: the outcomes in ${file} were recorded before`,
  remade: (run: string) =>
    `the file of ${run} was not here: its rows come from the ledger, which has those that were sent or may have been; for the others, import the source again`,
  howToResend: (command: string) => `to send these rows again, run: ${command}`,
  /** `at` is when the row was sent, `why` what is known about it. */
  openRow: (row: number, code: string | null, at: string | undefined, why: string | null) =>
    `row ${row}${code === null ? '' : ` (${code})`}${at === undefined ? '' : `, sent ${at}`}: ${why ?? 'no response was recorded'}`,
  listNotRead: (many: string) => `the rows were not verified: the list of ${many} was not read`,
  waiting: (seconds: number) =>
    `waiting ${seconds} s before reading the list, because the service may still be applying a request`,
  notListed: (ids: readonly string[], many: string) =>
    `${theseIds(ids, 'was', 'were')} not verified: the service cannot list ${many}`,
  notSeen: (ids: readonly string[]) =>
    `${theseIds(ids, 'was', 'were')} not verified: the list may be incomplete`,
  maybeOld: (ids: readonly string[]) =>
    `cannot verify that ${theseIds(ids, 'is', 'are')} new: before this run, proc could not read the complete list`,
  notFound: (n: number, names: string, doubt: string) =>
    `${n === 1 ? '1 row was' : `${grouped(n)} rows were`} not found in the list (${names}), but ${doubt}`,
  resentAnyway: (n: number) =>
    `If ${n === 1 ? 'it was' : 'they were'} created, resuming creates ${n === 1 ? 'it' : 'them'} a second time`,
  prune: (n: number) => (n === 1 ? 'Remove 1 finished run?' : `Remove ${n} finished runs?`),
  notPruned: (n: number) =>
    n === 1
      ? '1 run was not removed: another command works on it'
      : `${grouped(n)} runs were not removed: another command works on them`,
};

/** E.g. `2 unconfirmed rows`. */
function unconfirmedOf(count: number, of: Counted): string {
  return `${grouped(count)} unconfirmed ${countedWord(count, of, 'en')}`;
}

function unconfirmedEs(count: number, of: Counted): string {
  const which = count === 1 ? `la ${countedWord(1, of, 'es')}` : `las ${countOf(count, of, 'es')}`;
  return `${which} sin confirmar`;
}

interface FiledCounts {
  readonly adopt: number;
  readonly resend: number;
  readonly drop: number;
  readonly open: number;
}

function theseIds(ids: readonly string[], one: string, several: string): string {
  return ids.length === 1 ? `${ids[0]} ${one}` : `${ids.length} ids ${several}`;
}

function verifiedEs(ids: readonly string[]): string {
  return ids.length === 1 ? `verificó ${ids[0]}` : `verificaron ${ids.length} ids`;
}

export type BulkMessages = typeof en;

const es: BulkMessages = {
  use1252: '¿Leerlo como Windows-1252?',
  outcomeOf: (row) => `¿Cuál fue el resultado de la fila ${row}?`,
  leave: 'Aún no lo sé',
  adopt: 'Se creó: indicar su id',
  resend: 'No se creó: enviarla otra vez',
  drop: 'Abandonar la fila',
  whichId: 'Id del registro creado',
  isInList: (row, code) =>
    `La fila ${row}${code === null ? '' : ` (${code})`} ya está en la lista. ¿Usar ese registro en vez de enviar la fila otra vez?`,
  adoptIt: (id) => `Sí, es ${id}`,
  discard: (run, sent, unconfirmed, of) => {
    const question = `¿Descartar la importación ${run}?`;
    if (sent === undefined) return `${question} proc no puede leer lo que registró de ella.`;
    if (sent === 0)
      return `${question} Ninguna de sus ${countedWord(2, of, 'es')} se creó ni está sin confirmar.`;
    const rows = `${sent === 1 ? 'Se envió' : 'Se enviaron'} ${countOf(sent, of, 'es')}`;
    const created = sent === 1 ? 'se creó' : 'se crearon';
    if (unconfirmed === 0) return `${question} ${rows} y ${created}.`;
    const which = `${unconfirmedEs(unconfirmed, of)} ${unconfirmed === 1 ? 'se creó' : 'se crearon'}`;
    return `${question} ${rows}. Si la descarta, proc ya no podrá averiguar si ${which}.`;
  },
  resolveAll: (kind, n, run, of) => {
    const rows = unconfirmedEs(n, of);
    return kind === 'drop'
      ? `¿Abandonar ${rows} de ${run}? No se puede deshacer.`
      : `¿Enviar otra vez ${rows} de ${run} al reanudarla?`;
  },
  resolveFrom: (file, run, { adopt, resend, drop, open }, of) =>
    `¿Registrar los resultados de ${file} en ${run}? ${adopt} por adoptar, ${resend} por enviar otra vez al reanudarla, ${drop} por abandonar. ${open === 1 ? 'Queda' : 'Quedan'} ${countOf(open, of, 'es')} sin confirmar.`,
  discarded: (unconfirmed, of) =>
    `${unconfirmed === 1 ? 'se descartó' : 'se descartaron'} ${countOf(unconfirmed, of, 'es')} sin confirmar: su resultado sigue siendo desconocido`,
  recordedBefore: (file) => `no se cambió nada: los resultados de ${file} ya estaban registrados`,
  remade: (run) =>
    `el archivo de ${run} no estaba aquí: sus filas vienen del registro, que tiene las que se enviaron o pudieron enviarse; las demás se importan otra vez desde el origen`,
  howToResend: (command) => `para enviar estas filas otra vez, ejecute: ${command}`,
  openRow: (row, code, at, why) =>
    `fila ${row}${code === null ? '' : ` (${code})`}${at === undefined ? '' : `, enviada ${at}`}: ${why ?? 'no se registró ninguna respuesta'}`,
  listNotRead: (many) => `no se verificaron las filas: no se leyó la lista de ${inSpanish(many)}`,
  waiting: (seconds) =>
    `esperando ${seconds} s antes de leer la lista, porque el servicio aún puede estar aplicando una petición`,
  notListed: (ids, many) =>
    `no se ${verifiedEs(ids)}: el servicio no puede listar ${inSpanish(many)}`,
  notSeen: (ids) => `no se ${verifiedEs(ids)}: la lista puede estar incompleta`,
  maybeOld: (ids) =>
    `no se puede verificar que ${theseIds(ids, 'sea nuevo', 'sean nuevos')}: antes de esta importación, proc no pudo leer la lista completa`,
  notFound: (n, names, doubt) =>
    `${n === 1 ? 'no se encontró 1 fila' : `no se encontraron ${grouped(n, 'es')} filas`} en la lista (${names}), pero ${doubt}`,
  resentAnyway: (n) =>
    `Si ${n === 1 ? 'se creó, al reanudar se crea' : 'se crearon, al reanudar se crean'} por segunda vez`,
  prune: (n) =>
    n === 1 ? '¿Eliminar 1 importación terminada?' : `¿Eliminar ${n} importaciones terminadas?`,
  notPruned: (n) =>
    n === 1
      ? 'No se eliminó 1 importación: otro comando trabaja en ella'
      : `No se eliminaron ${grouped(n, 'es')} importaciones: otro comando trabaja en ellas`,
};

export const bulkMessages: Readonly<Record<Lang, BulkMessages>> = { en, es };

/** @param run of a shared ledger, whose file is on another machine */
export function continuing(
  run: string,
  { user, host }: { readonly user: string; readonly host: string },
): Said {
  return {
    en: `this import continues and replaces ${run}, which ${user} started on ${host}`,
    es: `esta importación continúa y reemplaza ${run}, que ${user} inició en ${host}`,
  };
}

export function importingFile(many: string, file: string): Phrase {
  return { en: `import ${many} from ${file}`, es: `importar ${inSpanish(many)} de ${file}` };
}

interface Named {
  readonly one: string;
  readonly many: string;
}

export function importing(count: number, { one, many }: Named, file: string, newItems = 0): Phrase {
  const noun = count === 1 ? one : many;
  const en = newItems === 1 ? ' and 1 new item' : ` and ${grouped(newItems)} new items`;
  const es =
    newItems === 1 ? ' y 1 artículo nuevo' : ` y ${grouped(newItems, 'es')} artículos nuevos`;
  return {
    en: `create ${grouped(count)} ${noun}${newItems === 0 ? '' : en} from ${file}`,
    es: `crear ${grouped(count, 'es')} ${inSpanish(noun)}${newItems === 0 ? '' : es} a partir de ${file}`,
  };
}
