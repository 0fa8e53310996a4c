import { grouped } from '../../core/text/decimal.ts';
import { capital } from '../confirmations.ts';
import { twiceCause } from '../errors/import-errors.ts';
import { type Counted, countedWord, countOf } from '../import-nouns.ts';

/** What a run counts, in the language of the texts. */
interface CountedWords {
  readonly one: string;
  readonly many: string;
  readonly Many: string;
  /** E.g. `2 rows`. */
  readonly n: (count: number) => string;
}

const en = ({ one, many, Many, n }: CountedWords) => ({
  title: (source: string) => `Import of ${source}`,
  nothingSent: 'Nothing was sent yet.',
  running: (pid: number, since: string | undefined) =>
    `The import is still running (process ${pid}${since === undefined ? '' : `, since ${since}`}).`,
  footer: (version: string, time: string) => `Made by proc ${version} on ${time}.`,
  next: {
    title: 'What to do next',
    wait: (rows: number) =>
      `The import is not finished: ${n(rows)} ${rows === 1 ? 'is' : 'are'} being sent or pending. When it has ended, make this report again:`,
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
      `${count === 1 ? '1 code exists' : `${grouped(count)} codes exist`} more than once: ${codes}. ${twiceCause(count, here)}.`,
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
    from: (field: string) => `taken from ${field}`,
  },
  about: {
    title: 'About this import',
    service: 'service',
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

export function importReportMessages(of: Counted): ImportReportMessages {
  const [one, many] = [countedWord(1, of), countedWord(2, of)];
  const n = (count: number) => countOf(count, of);
  return en({ one, many, Many: capital(many), n });
}
