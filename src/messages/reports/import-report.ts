import { grouped } from '../../core/text/decimal.ts';
import type { Lang } from '../../core/text/phrase.ts';
import { capital } from '../confirmations.ts';
import { twiceCause } from '../errors/import-errors.ts';
import { type Counted, countedWord, countOf, inSpanish, isFeminine } from '../import-nouns.ts';

/** What a run counts, in the language of the texts. */
interface CountedWords {
  readonly one: string;
  readonly many: string;
  readonly Many: string;
  /** E.g. `2 rows`. */
  readonly n: (count: number) => string;
  /** E.g. `the row`, `the 2 rows`. */
  readonly the: (count: number) => string;
}

const en = ({ one, many, Many, n, the }: CountedWords) => ({
  title: (source: string) => `Import of ${source}`,
  nothingSent: 'Nothing was sent yet.',
  running: (pid: number, since: string | undefined) =>
    `The import is still running (process ${pid}${since === undefined ? '' : `, since ${since}`}).`,
  footer: (version: string, time: string) => `Made by proc ${version} on ${time}.`,
  next: {
    title: 'What to do next',
    wait: (rows: number) =>
      `The import is not finished: ${n(rows)} ${rows === 1 ? 'is' : 'are'} being sent or pending. When it has ended, make this report again:`,
    stage: () => 'The import is not staged yet. To finish staging, run:',
    send: (rows: number) => `To send ${the(rows)}, run:`,
    resume: (rows: number) =>
      `${n(rows)} ${rows === 1 ? 'is' : 'are'} still to be sent. Resume the import:`,
    lookUp: (rows: number) =>
      `${n(rows)} ${rows === 1 ? 'is' : 'are'} unconfirmed. To look ${rows === 1 ? 'it' : 'them'} up, resume the import:`,
    resolve: (rows: number) =>
      `${n(rows)} ${rows === 1 ? 'was' : 'were'} sent but not confirmed. Check the service, then record what happened:`,
    repair: (count: number, file: string) =>
      `Correct the ${count === 1 ? `rejected ${one}` : `${grouped(count)} rejected ${many}`} in ${file}, then import that file:`,
    writeRejected: `Write the rejected ${many} to a file, correct them there and import that file:`,
    nothing: `Nothing: every ${one} has its final state.`,
  },
  sending: {
    title: `${Many} being sent`,
    text: `The requests of these ${many} are on their way or about to leave. The responses have not arrived yet.`,
  },
  unconfirmed: {
    title: `Unconfirmed ${many}`,
    text: `These ${many} were sent, but their responses were lost. The service may have created them.`,
  },
  rejected: {
    title: `Rejected ${many}, by reason`,
    text: (rows: number) =>
      `Nothing was created for ${rows === 1 ? `this ${one}` : `these ${n(rows)}`}.`,
    reasons: 'Reasons',
    sheet: `Rejected ${many}`,
    reasonOf: (reason: string, rows: number) => `${reason} (${n(rows)})`,
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
    notVerified: `The created ${many} could not be verified in the list afterwards.`,
    fileProblem: (file: string, problem: string) => `${file}: ${problem}`,
    twice: (count: number, codes: string, here: number) =>
      `${count === 1 ? '1 code exists' : `${grouped(count)} codes exist`} more than once: ${codes}. ${twiceCause(count, here).en}.`,
    hidden: (count: number, codes: string) =>
      `${count === 1 ? '1 created row is missing from the list, or has' : `${grouped(count)} created rows are missing from the list, or have`} another code or name there: ${codes}`,
  },
  toSend: {
    title: 'What would be sent',
    text: (rows: number) => `${n(rows)} would be created. Check them before you send them.`,
    table: `${Many} to send`,
  },
  states: {
    title: `${Many} by state`,
    all: `all ${many}`,
    chart: (counts: string) => `Bar chart of ${many} by state: ${counts}`,
  },
  rate: {
    title: 'Rate over time',
    chart: (most: string, from: string, to: string) =>
      `Line chart of ${many} sent per second from ${from} to ${to}; at most ${most} ${many} per second`,
    unit: `${many} sent per second`,
    table: `${Many} sent over time`,
    sheet: `${Many} sent over time`,
  },
  duplicates: {
    title: 'Duplicates',
    table: (rows: number) =>
      `${n(rows)} ${rows === 1 ? 'has' : 'have'} the same key as another ${one}, which was used instead`,
  },
  created: {
    title: `Created ${many}`,
    table: (rows: number) => `${grouped(rows)} created ${rows === 1 ? one : many}`,
    cannotDelete: (noun: string) =>
      `The service has no request that deletes ${noun}. If the import was wrong, send this list to the operators of the service: only they can remove the ${many}.`,
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
    digest: `digest of the staged ${many}`,
  },
  columns: {
    row: 'row',
    line: 'line',
    code: 'code',
    name: 'name',
    cell: 'cell',
    reason: 'reason',
    id: 'id',
    rows: many,
    state: 'state',
    field: 'field',
    value: 'value',
    sentAt: 'sent',
    time: 'time',
    perSecond: `${many}/s`,
    content: 'content',
  },
});

export type ImportReportMessages = ReturnType<typeof en>;

const es = ({ one, many, Many, n, the }: CountedWords): ImportReportMessages => ({
  title: (source) => `Importación de ${source}`,
  nothingSent: 'Aún no se envió nada.',
  running: (pid, since) =>
    `La importación sigue en curso (proceso ${pid}${since === undefined ? '' : `, desde ${since}`}).`,
  footer: (version, time) => `Generado con proc ${version} el ${time}.`,
  next: {
    title: 'Qué hacer ahora',
    wait: (rows) =>
      `La importación no ha terminado: ${n(rows)} ${rows === 1 ? 'se está enviando o está pendiente' : 'se están enviando o están pendientes'}. Cuando termine, haga de nuevo este informe:`,
    stage: () => 'La importación aún no está preparada. Para terminar de prepararla, ejecute:',
    send: (rows) => `Para enviar ${the(rows)}, ejecute:`,
    resume: (rows) =>
      `${rows === 1 ? 'Falta' : 'Faltan'} por enviar ${n(rows)}. Reanude la importación:`,
    lookUp: (rows) =>
      `Hay ${n(rows)} sin confirmar. Para ${rows === 1 ? 'buscarla' : 'buscarlas'}, reanude la importación:`,
    resolve: (rows) =>
      `${rows === 1 ? 'Se envió' : 'Se enviaron'} ${n(rows)} y falta su confirmación. Revise el servicio y registre qué ocurrió:`,
    repair: (count, file) =>
      `Corrija ${the(count)} ${count === 1 ? 'rechazada' : 'rechazadas'} en ${file} e importe ese archivo:`,
    writeRejected: `Escriba las ${many} rechazadas en un archivo, corríjalas allí e importe ese archivo:`,
    nothing: `Nada: todas las ${many} tienen su estado final.`,
  },
  sending: {
    title: `${Many} en envío`,
    text: `Los envíos de estas ${many} están en camino o por salir. Aún no llegaron sus respuestas.`,
  },
  unconfirmed: {
    title: `${Many} sin confirmar`,
    text: `Estas ${many} se enviaron y la respuesta se perdió. Puede que el servicio las haya creado.`,
  },
  rejected: {
    title: `${Many} rechazadas, por motivo`,
    text: (rows) => `No se creó nada para ${rows === 1 ? `esta ${one}` : `estas ${n(rows)}`}.`,
    reasons: 'Motivos',
    sheet: `${Many} rechazadas`,
    reasonOf: (reason, rows) => `${reason} (${n(rows)})`,
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
    notVerified: `Después, proc no pudo verificar en la lista las ${many} creadas.`,
    fileProblem: (file, problem) => `${file}: ${problem}`,
    twice: (count, codes, here) =>
      `${count === 1 ? '1 código existe' : `${grouped(count, 'es')} códigos existen`} más de una vez: ${codes}. ${twiceCause(count, here).es}.`,
    hidden: (count, codes) =>
      `${n(count)} ${count === 1 ? 'creada falta en la lista o tiene' : 'creadas faltan en la lista o tienen'} allí otro código o nombre: ${codes}`,
  },
  toSend: {
    title: 'Qué se enviaría',
    text: (rows) =>
      `Se ${rows === 1 ? 'crearía' : 'crearían'} ${n(rows)}. ${rows === 1 ? 'Revísela antes de enviarla' : 'Revíselas antes de enviarlas'}.`,
    table: `${Many} por enviar`,
  },
  states: {
    title: `${Many} por estado`,
    all: `todas las ${many}`,
    chart: (counts) => `Gráfico de barras de ${many} por estado: ${counts}`,
  },
  rate: {
    title: 'Ritmo a lo largo del tiempo',
    chart: (most, from, to) =>
      `Gráfico de líneas de ${many} enviadas por segundo de ${from} a ${to}; ${most} ${many} por segundo como máximo`,
    unit: `${many} enviadas por segundo`,
    table: `${Many} enviadas a lo largo del tiempo`,
    sheet: `${Many} enviadas`,
  },
  duplicates: {
    title: 'Duplicadas',
    table: (rows) =>
      `${n(rows)} ${rows === 1 ? 'tiene' : 'tienen'} la misma clave que otra ${one}, que se usó en su lugar`,
  },
  created: {
    title: `${Many} creadas`,
    table: (rows) => `${n(rows)} ${rows === 1 ? 'creada' : 'creadas'}`,
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
    digest: `huella (SHA-256) de las ${many}`,
  },
  columns: {
    row: 'fila',
    line: 'línea',
    code: 'código',
    name: 'nombre',
    cell: 'celda',
    reason: 'motivo',
    id: 'id',
    rows: many,
    state: 'estado',
    field: 'campo',
    value: 'valor',
    sentAt: 'envío',
    time: 'hora',
    perSecond: `${many}/s`,
    content: 'contenido',
  },
});

export function importReportMessages(lang: Lang, of: Counted): ImportReportMessages {
  const [one, many] = [countedWord(1, of, lang), countedWord(2, of, lang)];
  const n = (count: number) => countOf(count, of, lang);
  const [theOne, theMany] = lang === 'es' ? ['la', 'las'] : ['the', 'the'];
  const the = (count: number) => (count === 1 ? `${theOne} ${one}` : `${theMany} ${n(count)}`);
  return { en, es }[lang]({ one, many, Many: capital(many), n, the });
}
