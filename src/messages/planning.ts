import { grouped } from '../core/text/decimal.ts';
import { type Counted, countedWord, countOf } from './import-nouns.ts';

export const importPlanMessages = {
  place: (row: number, line: number | null) =>
    line === null ? `row ${row}` : `row ${row}, line ${line}`,
  lines: (count: number) => `${grouped(count)} lines`,
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
  notUtf8: (file: string, line: number, sample: string) =>
    `${file} is not UTF-8. As Windows-1252, line ${line} reads: ${sample}`,
  input: 'The input',
  notSent: (columns: string) => `Columns not sent: ${columns}`,
  catalogueWithoutKey:
    'the catalogue was not read, so existing rows count as new: there is no key for this address',
  /** `size` is e.g. `350 MB`. */
  space: (file: string, size: string, folder: string) =>
    `importing ${file} takes about ${size} in ${folder}`,
  notVerified: (why: string) => `cannot verify the created rows: ${why}`,
  rejectedBeside: (file: string, changed: string) =>
    `the rejected rows are in ${file}, because ${changed} may contain your changes`,
  sentBefore: (count: number, of: Counted, outcomes: SentCounts, next: string) =>
    `${countOf(count, of)} ${count === 1 ? 'was' : 'were'} sent before: ${sentCounts(outcomes)}. proc does not send unconfirmed ${countedWord(2, of)} again. Next step: ${next}`,
  sentMeanwhile: (count: number, of: Counted, by: string, outcomes: SentCounts) =>
    `${grouped(count)} pending ${countedWord(count, of)} ${count === 1 ? 'was' : 'were'} sent in the meantime by ${by}: ${sentCounts(outcomes)}. This run does not send ${count === 1 ? 'it' : 'them'}`,
  resolvedIn: (count: number, of: Counted, by: string) =>
    `${grouped(count)} unconfirmed ${countedWord(count, of)} ${count === 1 ? 'was' : 'were'} resolved in ${by}; this run takes over the outcome`,
  existByNow: (count: number, some: string) =>
    `${count === 1 ? '1 pending row exists' : `${grouped(count)} pending rows exist`} by now${some}. This run does not send ${count === 1 ? 'it' : 'them'}`,
  namesDetected: (many: string, names: string) =>
    `detected the parameter names of the list of ${many}: ${names}. Using them for this run`,
  steps: {
    reading: (count: number, of: Counted) => `Reading: ${countOf(count, of)}`,
    readingCatalogue: (count: number) => `Reading the catalogue: ${countOf(count, 'rows')}`,
    searchingCatalogue: (count: number) =>
      `Searching the catalogue: ${count === 1 ? '1 code' : `${grouped(count)} codes`}`,
    lookingUp: (count: number) =>
      `Looking up ${count === 1 ? '1 item code' : `${grouped(count)} item codes`}`,
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

export type ImportPlanMessages = typeof importPlanMessages;
