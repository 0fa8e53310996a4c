import { grouped } from '../../core/text/decimal.ts';
import type { Lang } from '../../core/text/phrase.ts';
import { twiceCause } from '../errors/import-errors.ts';
import { type Counted, countedWord, countOf, inSpanish, isFeminine } from '../import-nouns.ts';

const en = {
  title: (source: string) => `Import of ${source}`,
  nothingSent: 'Nothing was sent yet.',
  running: (pid: number, since: string | undefined) =>
    `The import is still running (process ${pid}${since === undefined ? '' : `, since ${since}`}).`,
  footer: (version: string, time: string) => `Made by proc ${version} on ${time}.`,
  next: {
    title: 'What to do next',
    wait: (rows: number) =>
      `The import is not finished: ${rows === 1 ? '1 row is' : `${grouped(rows)} rows are`} being sent or pending. When it has ended, make this report again:`,
    stage: () => 'The import is not staged yet. To finish staging, run:',
    send: (rows: number) =>
      rows === 1 ? 'To send the row, run:' : `To send the ${grouped(rows)} rows, run:`,
    resume: (rows: number) =>
      `${rows === 1 ? '1 row is' : `${grouped(rows)} rows are`} still to be sent. Resume the import:`,
    lookUp: (rows: number) =>
      `${rows === 1 ? '1 row is' : `${grouped(rows)} rows are`} unconfirmed. To look ${rows === 1 ? 'it' : 'them'} up, resume the import:`,
    resolve: (rows: number) =>
      `${rows === 1 ? '1 row was' : `${grouped(rows)} rows were`} sent but not confirmed. Check the service, then record what happened:`,
    repair: (count: number, file: string, counted: Counted) =>
      `Correct the ${count === 1 ? `rejected ${countedWord(1, counted, 'en')}` : `${grouped(count)} rejected ${countedWord(count, counted, 'en')}`} in ${file}, then import that file:`,
    writeRejected: 'Write the rejected rows to a file, correct them there and import that file:',
    nothing: 'Nothing: every row has its final state.',
  },
  sending: {
    title: 'Rows being sent',
    text: 'The requests of these rows are on their way or about to leave. The responses have not arrived yet.',
  },
  unconfirmed: {
    title: 'Unconfirmed rows',
    text: 'These rows were sent, but their responses were lost. The service may have created them.',
  },
  rejected: {
    title: 'Rejected rows, by reason',
    text: (rows: number) =>
      rows === 1
        ? 'Nothing was created for this row.'
        : `Nothing was created for these ${grouped(rows)} rows.`,
    reasons: 'Reasons',
    sheet: 'Rejected rows',
    reasonOf: (reason: string, rows: number) =>
      `${reason} (${rows === 1 ? '1 row' : `${grouped(rows)} rows`})`,
    other: 'other reasons',
    emptyCell: '(empty)',
    repaired: (rows: number) =>
      rows === 1
        ? 'A later import has repaired 1 of them.'
        : `Later imports have repaired ${grouped(rows)} of them.`,
  },
  warnings: {
    title: 'Warnings',
    unverified:
      'proc could not verify that the list of existing records was complete before the import.',
    notVerified: 'proc could not verify the created rows in the list afterwards.',
    fileProblem: (file: string, problem: string) => `${file}: ${problem}`,
    twice: (count: number, codes: string, here: number) =>
      `${count === 1 ? '1 code exists' : `${grouped(count)} codes exist`} more than once: ${codes}. ${twiceCause(count, here).en}.`,
    hidden: (count: number, codes: string) =>
      `${count === 1 ? '1 created row is missing from the list, or has' : `${grouped(count)} created rows are missing from the list, or have`} another code or name there: ${codes}`,
  },
  toSend: {
    title: 'What would be sent',
    text: (rows: number) =>
      `${rows === 1 ? '1 row' : `${grouped(rows)} rows`} would be created. Check them before you send them.`,
    table: 'Rows to send',
  },
  states: {
    title: 'Rows by state',
    all: 'all rows',
    chart: (counts: string) => `Bar chart of rows by state: ${counts}`,
  },
  rate: {
    title: 'Rate over time',
    chart: (most: string, from: string, to: string) =>
      `Line chart of rows sent per second from ${from} to ${to}; at most ${most} rows per second`,
    unit: 'rows sent per second',
    table: 'Rows sent over time',
    sheet: 'Rows sent over time',
  },
  duplicates: {
    title: 'Duplicates',
    table: (rows: number) =>
      `${rows === 1 ? '1 row has' : `${grouped(rows)} rows have`} the same key as another row, which was used instead`,
  },
  created: {
    title: 'Created rows',
    table: (rows: number) => (rows === 1 ? '1 created row' : `${grouped(rows)} created rows`),
    cannotDelete: (noun: string) =>
      `The service has no request that deletes ${noun}. If the import was wrong, send this list to the operators of the service: only they can remove the rows.`,
  },
  mapping: { title: 'Mapping', table: 'What fills each field', groupBy: 'rows grouped by' },
  rules: {
    column: (name: string) => `column ${name}`,
    template: (text: string) => `template ${text}`,
    constant: (text: string) => `always ${text}`,
    expression: (text: string) => `expression ${text}`,
    from: (field: string) => `taken from ${field}`,
  },
  about: {
    title: 'About this import',
    service: 'service',
    stagedBy: 'staged by',
    importer: (user: string, host: string) => `${user} on ${host}`,
    sentBy: 'sent by',
    writer: (user: string, host: string, actor: string, version: string) =>
      `${user} on ${host} (${actor}), proc ${version}`,
    job: 'CI job',
    finished: 'finished',
    took: 'took',
    file: 'file',
    size: 'size',
    bytes: (count: number) => `${grouped(count)} bytes`,
    hash: 'SHA-256 of the file',
    digest: 'digest of the staged rows',
  },
  columns: {
    row: 'row',
    line: 'line',
    code: 'code',
    name: 'name',
    cell: 'cell',
    reason: 'reason',
    id: 'id',
    rows: 'rows',
    state: 'state',
    field: 'field',
    value: 'value',
    sentAt: 'sent',
    time: 'time',
    perSecond: 'rows/s',
    content: 'content',
  },
};

export type ImportReportMessages = typeof en;

const es: ImportReportMessages = {
  title: (source) => `Importación de ${source}`,
  nothingSent: 'Aún no se envió nada.',
  running: (pid, since) =>
    `La importación sigue en curso (proceso ${pid}${since === undefined ? '' : `, desde ${since}`}).`,
  footer: (version, time) => `Generado con proc ${version} el ${time}.`,
  next: {
    title: 'Qué hacer ahora',
    wait: (rows) =>
      `La importación no ha terminado: ${rows === 1 ? '1 fila se está enviando o está pendiente' : `${grouped(rows, 'es')} filas se están enviando o están pendientes`}. Cuando termine, haga de nuevo este informe:`,
    stage: () => 'La importación aún no está preparada. Para terminar de prepararla, ejecute:',
    send: (rows) =>
      rows === 1
        ? 'Para enviar la fila, ejecute:'
        : `Para enviar las ${grouped(rows, 'es')} filas, ejecute:`,
    resume: (rows) =>
      `${rows === 1 ? 'Falta por enviar 1 fila' : `Faltan por enviar ${grouped(rows, 'es')} filas`}. Reanude la importación:`,
    lookUp: (rows) =>
      `Hay ${rows === 1 ? '1 fila' : `${grouped(rows, 'es')} filas`} sin confirmar. Para ${rows === 1 ? 'buscarla' : 'buscarlas'}, reanude la importación:`,
    resolve: (rows) =>
      `${rows === 1 ? 'Se envió 1 fila' : `Se enviaron ${grouped(rows, 'es')} filas`} y falta su confirmación. Revise el servicio y registre qué ocurrió:`,
    repair: (count, file, counted) =>
      `Corrija ${count === 1 ? `la ${countedWord(1, counted, 'es')} rechazada` : `las ${countOf(count, counted, 'es')} rechazadas`} en ${file} e importe ese archivo:`,
    writeRejected:
      'Escriba las filas rechazadas en un archivo, corríjalas allí e importe ese archivo:',
    nothing: 'Nada: todas las filas tienen su estado final.',
  },
  sending: {
    title: 'Filas en envío',
    text: 'Los envíos de estas filas están en camino o por salir. Aún no llegaron sus respuestas.',
  },
  unconfirmed: {
    title: 'Filas sin confirmar',
    text: 'Estas filas se enviaron y la respuesta se perdió. Puede que el servicio las haya creado.',
  },
  rejected: {
    title: 'Filas rechazadas, por motivo',
    text: (rows) =>
      rows === 1
        ? 'No se creó nada para esta fila.'
        : `No se creó nada para estas ${grouped(rows, 'es')} filas.`,
    reasons: 'Motivos',
    sheet: 'Filas rechazadas',
    reasonOf: (reason, rows) =>
      `${reason} (${rows === 1 ? '1 fila' : `${grouped(rows, 'es')} filas`})`,
    other: 'otros motivos',
    emptyCell: '(vacía)',
    repaired: (rows) =>
      rows === 1
        ? 'Una importación posterior reparó 1 de ellas.'
        : `Importaciones posteriores repararon ${grouped(rows, 'es')} de ellas.`,
  },
  warnings: {
    title: 'Avisos',
    unverified:
      'proc no pudo verificar que la lista de registros existentes estuviera completa antes de importar.',
    notVerified: 'Después, proc no pudo verificar en la lista las filas creadas.',
    fileProblem: (file, problem) => `${file}: ${problem}`,
    twice: (count, codes, here) =>
      `${count === 1 ? '1 código existe' : `${grouped(count, 'es')} códigos existen`} más de una vez: ${codes}. ${twiceCause(count, here).es}.`,
    hidden: (count, codes) =>
      `${count === 1 ? '1 fila creada falta en la lista o tiene' : `${grouped(count, 'es')} filas creadas faltan en la lista o tienen`} allí otro código o nombre: ${codes}`,
  },
  toSend: {
    title: 'Qué se enviaría',
    text: (rows) =>
      `Se ${rows === 1 ? 'crearía 1 fila. Revísela antes de enviarla' : `crearían ${grouped(rows, 'es')} filas. Revíselas antes de enviarlas`}.`,
    table: 'Filas por enviar',
  },
  states: {
    title: 'Filas por estado',
    all: 'todas las filas',
    chart: (counts) => `Gráfico de barras de filas por estado: ${counts}`,
  },
  rate: {
    title: 'Ritmo a lo largo del tiempo',
    chart: (most, from, to) =>
      `Gráfico de líneas de filas enviadas por segundo de ${from} a ${to}; ${most} filas por segundo como máximo`,
    unit: 'filas enviadas por segundo',
    table: 'Filas enviadas a lo largo del tiempo',
    sheet: 'Filas enviadas',
  },
  duplicates: {
    title: 'Duplicadas',
    table: (rows) =>
      `${rows === 1 ? '1 fila tiene' : `${grouped(rows, 'es')} filas tienen`} la misma clave que otra fila, que se usó en su lugar`,
  },
  created: {
    title: 'Filas creadas',
    table: (rows) => (rows === 1 ? '1 fila creada' : `${grouped(rows, 'es')} filas creadas`),
    cannotDelete: (noun) =>
      `El servicio no permite eliminar ${inSpanish(noun)}. Si la importación fue un error, solo los operadores del servicio pueden ${isFeminine(noun) ? 'quitarlas' : 'quitarlos'}: envíeles esta lista.`,
  },
  mapping: { title: 'Asignación', table: 'Qué llena cada campo', groupBy: 'filas agrupadas por' },
  rules: {
    column: (name) => `columna ${name}`,
    template: (text) => `plantilla ${text}`,
    constant: (text) => `siempre ${text}`,
    expression: (text) => `expresión ${text}`,
    from: (field) => `tomado de ${field}`,
  },
  about: {
    title: 'Sobre esta importación',
    service: 'servicio',
    stagedBy: 'preparada por',
    importer: (user, host) => `${user} en ${host}`,
    sentBy: 'enviada por',
    writer: (user, host, actor, version) => `${user} en ${host} (${actor}), proc ${version}`,
    job: 'trabajo de CI',
    finished: 'fin',
    took: 'duración',
    file: 'archivo',
    size: 'tamaño',
    bytes: (count) => `${grouped(count, 'es')} bytes`,
    hash: 'huella (SHA-256) del archivo',
    digest: 'huella (SHA-256) de las filas',
  },
  columns: {
    row: 'fila',
    line: 'línea',
    code: 'código',
    name: 'nombre',
    cell: 'celda',
    reason: 'motivo',
    id: 'id',
    rows: 'filas',
    state: 'estado',
    field: 'campo',
    value: 'valor',
    sentAt: 'envío',
    time: 'hora',
    perSecond: 'filas/s',
    content: 'contenido',
  },
};

export const importReportMessages: Readonly<Record<Lang, ImportReportMessages>> = { en, es };
