import { grouped } from '../core/text/decimal.ts';
import type { Lang } from '../core/text/phrase.ts';
import { type Counted, countedWord, countOf, inSpanish } from './import-nouns.ts';

const en = {
  place: (row: number, line: number | null) =>
    line === null ? `row ${row}` : `row ${row}, line ${line}`,
  lines: (count: number) => `${grouped(count)} lines`,
  values: {
    field: 'field',
    filled: 'filled',
    distinct: 'distinct',
    shortest: 'shortest',
    longest: 'longest',
  },
  otherName: (code: string, name: string, listed: string) =>
    `${code} (file: ${name}; catalogue: ${listed})`,
  otherNames: (count: number, names: string) =>
    `${count === 1 ? '1 existing row has' : `${grouped(count)} existing rows have`} another name in the catalogue: ${names}`,
  unguarded: (count: number) =>
    `removed spreadsheet marks (' or ="…") from ${count === 1 ? '1 cell' : `${grouped(count)} cells`}`,
  inList: (codes: number, rows: number, isAtLeast: boolean) =>
    `${grouped(codes)} of the file's codes ${codes === 1 ? 'is' : 'are'} in a list of ${isAtLeast ? 'at least ' : ''}${rows === 1 ? '1 row' : `${grouped(rows)} rows`}`,
  notChecked: 'did not check which rows already exist',
  existingItems: (count: number) => `${grouped(count)} of existing items`,
  createdWithThem: 'created with the requisitions',
  codeless: (count: number) =>
    `${grouped(count)} without a code: each line creates a new item, even if the name exists`,
  catalogueNotRead: 'did not read the catalogue: existing items count as new',
  columnsMatched: (lines: string) => `Columns matched by name:\n${lines}`,
  columnsChosen: (lines: string) => `Columns that you chose:\n${lines}`,
  columnAmbiguous: (field: string, columns: string) =>
    `  ${field}: not mapped, because several columns match: ${columns}`,
  emptyColumn: 'empty',
  notUtf8: (file: string, line: number, sample: string) =>
    `${file} is not UTF-8. As Windows-1252, line ${line} reads: ${sample}`,
  input: 'The input',
  planWritten: (file: string) => `Plan written to ${file}`,
  notSent: (columns: string) => `Columns not sent: ${columns}`,
  notSentReplaced: (columns: string) =>
    `Columns not sent, because the mapping fills these fields from elsewhere: ${columns}`,
  readAs1252: (file: string, run: string) => `Reading ${file} as Windows-1252, as in run ${run}`,
  repairs: (file: string, run: string) => `${file} repairs run ${run} and uses its mapping`,
  repairsUnknown: (file: string, run: string) =>
    `${file} contains rejected rows of run ${run}. This machine does not have the run, so proc reads the file like any other`,
  catalogueWithoutKey:
    'the catalogue was not read, so existing rows count as new: there is no key for this address',
  /** `size` is e.g. `350 MB`. */
  space: (file: string, size: string, folder: string) =>
    `importing ${file} takes about ${size} in ${folder}`,
  notVerified: (why: string) => `cannot verify the created rows: ${why}`,
  rejectedBeside: (file: string, changed: string) =>
    `the rejected rows are in ${file}, because ${changed} may contain your changes`,
  sentBefore: (count: number, of: Counted, outcomes: SentCounts, next: string) =>
    `${countOf(count, of, 'en')} ${count === 1 ? 'was' : 'were'} sent before: ${sentCounts(outcomes)}. proc does not send unconfirmed ${countedWord(2, of, 'en')} again. Next step: ${next}`,
  sentMeanwhile: (count: number, of: Counted, by: string, outcomes: SentCounts) =>
    `${grouped(count)} pending ${countedWord(count, of, 'en')} ${count === 1 ? 'was' : 'were'} sent in the meantime by ${by}: ${sentCounts(outcomes)}. This run does not send ${count === 1 ? 'it' : 'them'}`,
  resolvedIn: (count: number, of: Counted, by: string) =>
    `${grouped(count)} unconfirmed ${countedWord(count, of, 'en')} ${count === 1 ? 'was' : 'were'} resolved in ${by}; this run takes over the outcome`,
  existByNow: (count: number, some: string) =>
    `${count === 1 ? '1 pending row exists' : `${grouped(count)} pending rows exist`} by now${some}. This run does not send ${count === 1 ? 'it' : 'them'}`,
  notRead: (source: string, isStaged: boolean) =>
    `Nothing was sent: the run stopped while proc was reading ${source}. Resuming reads the file again, makes the plan and ${isStaged ? 'saves it' : 'asks for confirmation'}`,
  namesDetected: (many: string, names: string) =>
    `detected the parameter names of the list of ${many}: ${names}. Using them for this run`,
  createdAnyway: (many: string, count: number) =>
    `cannot verify that the list of ${many} is complete: ${count === 1 ? '1 row' : `${grouped(count)} rows`} may already exist and will be created anyway. proc cannot look up unconfirmed rows in this list`,
  steps: {
    reading: (count: number, of: Counted) => `Reading: ${countOf(count, of, 'en')}`,
    readingCatalogue: (count: number) => `Reading the catalogue: ${countOf(count, 'rows', 'en')}`,
    searchingCatalogue: (count: number) =>
      `Searching the catalogue: ${count === 1 ? '1 code' : `${grouped(count)} codes`}`,
    lookingUp: (count: number) =>
      `Looking up ${count === 1 ? '1 item code' : `${grouped(count)} item codes`}`,
    writingPlan: (count: number, of: Counted) => `Writing the plan: ${countOf(count, of, 'en')}`,
    detecting: (noun: string) => `Detecting the parameter names of the list of ${noun}`,
  },
};

interface SentCounts {
  readonly created: number;
  readonly unconfirmed: number;
  readonly dropped: number;
}

export function sentCounts({ created, unconfirmed, dropped }: SentCounts): string {
  return `${created} created, ${unconfirmed} unconfirmed${dropped === 0 ? '' : `, ${dropped} dropped`}`;
}

function sentCountsEs({ created, unconfirmed, dropped }: SentCounts): string {
  return `creadas: ${grouped(created, 'es')}, sin confirmar: ${grouped(unconfirmed, 'es')}${dropped === 0 ? '' : `, abandonadas: ${grouped(dropped, 'es')}`}`;
}

export type ImportPlanMessages = typeof en;

const es: ImportPlanMessages = {
  place: (row, line) => (line === null ? `fila ${row}` : `fila ${row}, línea ${line}`),
  lines: (count) => `${grouped(count, 'es')} líneas`,
  values: {
    field: 'campo',
    filled: 'llenos',
    distinct: 'distintos',
    shortest: 'más corto',
    longest: 'más largo',
  },
  otherName: (code, name, listed) => `${code} (archivo: ${name}; catálogo: ${listed})`,
  otherNames: (count, names) =>
    `${count === 1 ? '1 fila existente tiene' : `${grouped(count, 'es')} filas existentes tienen`} otro nombre en el catálogo: ${names}`,
  unguarded: (count) =>
    `se quitaron marcas de hoja de cálculo (' o ="…") de ${count === 1 ? '1 celda' : `${grouped(count, 'es')} celdas`}`,
  inList: (codes, rows, isAtLeast) =>
    `${grouped(codes, 'es')} de los códigos del archivo ${codes === 1 ? 'está' : 'están'} en una lista de ${isAtLeast ? 'al menos ' : ''}${rows === 1 ? '1 fila' : `${grouped(rows, 'es')} filas`}`,
  notChecked: 'no se comprobó qué filas ya existen',
  existingItems: (count) => `${grouped(count, 'es')} de artículos existentes`,
  createdWithThem: 'se crean con las requisiciones',
  codeless: (count) =>
    `${grouped(count, 'es')} sin código: cada línea crea uno nuevo, aunque el nombre exista`,
  catalogueNotRead: 'no se leyó el catálogo: los artículos existentes cuentan como nuevos',
  columnsMatched: (lines) => `Columnas reconocidas por su nombre:\n${lines}`,
  columnsChosen: (lines) => `Columnas que usted eligió:\n${lines}`,
  columnAmbiguous: (field, columns) =>
    `  ${field}: sin asignar, porque coinciden varias columnas: ${columns}`,
  emptyColumn: 'vacía',
  notUtf8: (file, line, sample) =>
    `${file} no está en UTF-8. Como Windows-1252, la línea ${line} dice: ${sample}`,
  input: 'La entrada',
  planWritten: (file) => `Plan escrito en ${file}`,
  notSent: (columns) => `Columnas que no se envían: ${columns}`,
  notSentReplaced: (columns) =>
    `Columnas que no se envían, porque la asignación llena estos campos de otro modo: ${columns}`,
  readAs1252: (file, run) => `${file} se lee como Windows-1252, como en la importación ${run}`,
  repairs: (file, run) => `${file} repara la importación ${run} y usa su asignación`,
  repairsUnknown: (file, run) =>
    `${file} contiene filas rechazadas de la importación ${run}. Este equipo no la tiene, así que proc lee el archivo como cualquier otro`,
  catalogueWithoutKey:
    'no se leyó el catálogo, así que las filas existentes cuentan como nuevas: no hay clave para esta dirección',
  space: (file, size, folder) => `importar ${file} ocupa unos ${size} en ${folder}`,
  notVerified: (why) => `no se pueden verificar las filas creadas: ${why}`,
  rejectedBeside: (file, changed) =>
    `las filas rechazadas están en ${file}, porque ${changed} puede contener sus cambios`,
  sentBefore: (count, of, outcomes, next) =>
    `ya se ${count === 1 ? 'envió' : 'enviaron'} ${countOf(count, of, 'es')} (${sentCountsEs(outcomes)}). proc no envía otra vez ${countedWord(2, of, 'es')} sin confirmar. Siguiente paso: ${next}`,
  sentMeanwhile: (count, of, by, outcomes) =>
    `${countOf(count, of, 'es')} ${count === 1 ? 'pendiente se envió' : 'pendientes se enviaron'} entretanto (${by}; ${sentCountsEs(outcomes)}). Esta importación no ${count === 1 ? 'la' : 'las'} envía`,
  resolvedIn: (count, of, by) =>
    `${countOf(count, of, 'es')} sin confirmar se ${count === 1 ? 'resolvió' : 'resolvieron'} en otro lugar (${by}); esta importación toma ese resultado`,
  existByNow: (count, some) =>
    `${count === 1 ? '1 fila pendiente ya existe' : `${grouped(count, 'es')} filas pendientes ya existen`}${some}. Esta importación no ${count === 1 ? 'la' : 'las'} envía`,
  notRead: (source, isStaged) =>
    `No se envió nada: la importación se detuvo mientras proc leía ${source}. Al reanudarla, proc lee el archivo otra vez, hace el plan y ${isStaged ? 'lo guarda' : 'pide confirmación'}`,
  namesDetected: (many, names) =>
    `se detectaron los nombres de parámetros de la lista de ${inSpanish(many)}: ${names}. Se usan en esta importación`,
  createdAnyway: (many, count) =>
    `no se puede verificar que la lista de ${inSpanish(many)} esté completa: ${count === 1 ? '1 fila puede existir ya y se creará' : `${grouped(count, 'es')} filas pueden existir ya y se crearán`} de todos modos. proc no puede buscar filas sin confirmar en esta lista. El motivo: proc doctor`,
  steps: {
    reading: (count, of) => `Leyendo: ${countOf(count, of, 'es')}`,
    readingCatalogue: (count) => `Leyendo el catálogo: ${countOf(count, 'rows', 'es')}`,
    searchingCatalogue: (count) =>
      `Buscando en el catálogo: ${count === 1 ? '1 código' : `${grouped(count, 'es')} códigos`}`,
    lookingUp: (count) =>
      `Buscando ${count === 1 ? '1 código de artículo' : `${grouped(count, 'es')} códigos de artículo`}`,
    writingPlan: (count, of) => `Escribiendo el plan: ${countOf(count, of, 'es')}`,
    detecting: (noun) => `Detectando los nombres de parámetros de la lista de ${inSpanish(noun)}`,
  },
};

export const importPlanMessages: Readonly<Record<Lang, ImportPlanMessages>> = { en, es };
