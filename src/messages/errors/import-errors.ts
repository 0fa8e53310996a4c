import { afterSending } from '../../client/response/not-sent.ts';
import { grouped } from '../../core/text/decimal.ts';
import { type Counted, countedWord, countOf } from '../import-nouns.ts';

interface Named {
  readonly code: string;
  readonly ids: readonly string[];
}

/** What is wrong at the end of an import. A run counts rows, or requisitions. */
export const importEndings = {
  parked: (n: number, counted: Counted): string =>
    `${countOf(n, counted)} ${n === 1 ? 'was' : 'were'} sent but not confirmed`,
  undelivered: (n: number, counted: Counted, why: string): string =>
    `${countOf(n, counted)} created, but ${why}`,
  stopped: (why: string): string => `stopped: ${why}`,
  open: (n: number, counted: Counted): string =>
    `${countOf(n, counted)} still to be sent or looked up`,
  rejected: (n: number, counted: Counted): string =>
    `${countOf(n, counted)} ${n === 1 ? 'was' : 'were'} rejected`,
  /** `here` of the codes were created again by other runs or commands of this machine. */
  twice: (n: number, here: number, named: readonly Named[], isByName: boolean): string => {
    const shown = named.slice(0, 3).map(({ code, ids }) => `${code} (${ids.join(', ')})`);
    const some = shown.join(', ') + (n > shown.length ? ', …' : '');
    return `${n} ${isByName ? (n === 1 ? 'code or name now exists' : 'codes or names now exist') : n === 1 ? 'code now exists' : 'codes now exist'} more than once: ${some}. ${twiceCause(n, here)}`;
  },
  listed: (n: number, codes: string): string =>
    `rejected, but the list has ${n === 1 ? 'it' : 'them'}: ${codes}`,
} as const;

/** Who created codes that exist twice: `here` of them were created again from this machine. */
function twiceCause(twice: number, here: number): string {
  const rest = twice - here;
  const isOne = twice === 1;
  if (here === 0) {
    return `${isOne ? 'It was' : 'They were'} also created elsewhere at the same time`;
  }

  if (rest === 0) {
    return `Other runs or commands of this machine created ${isOne ? 'it' : 'them'} too`;
  }
  return `Other runs or commands of this machine created ${grouped(here)} of them too. The other ${grouped(rest)} ${rest === 1 ? 'was' : 'were'} also created elsewhere`;
}

/** What to do at the end of an import. */
export const importNexts = {
  lost: 'The run cannot be resumed. Check the service before you import the file again',
  resume: (open: number, counted: Counted, resume: string): string =>
    `Resume it${open === 0 ? '' : `, to look up ${open} unconfirmed ${countedWord(open, counted)}`}: ${resume}`,
  resolve: (resolve: string): string => `Check the service, then run: ${resolve}`,
  writeAgain: (resume: string): string => `Write it again: ${resume} --results FILE`,
  fix: (n: number, file: string): string =>
    `Fix ${n === 1 ? 'it' : 'them'} in ${file}, then import that file`,
  checkRecords: 'Check these records in the service before you import the rows again',
  checkHidden: (n: number): string =>
    n === 1
      ? 'Check the row in the service. This machine does not create it again, but an import from another machine would'
      : 'Check the rows in the service. This machine does not create them again, but an import from another machine would',
} as const;

/** Why an import stopped. */
export const importStops = {
  lookUpFailed: (why: string): string => `a look-up failed: ${afterSending(why)}`,
  asksToWait: (why: string, seconds: number): string =>
    `${why} and asks to wait ${seconds} s, longer than proc waits`,
  /** `row` is what is wrong with the row, which it names. */
  rejected: (row: string): string => `rejected: ${row}`,
  allRefused: (count: number, why: string, status: number): string =>
    `the first ${count} rows were all refused: ${why} (${status})`,
  /** `how` is e.g. `in upper case`. */
  met: (how: string, sent: string, stored: string, id: string): string =>
    `the service stores codes ${how}: it created ${sent} as ${stored}, the code of ${id}`,
  notSearchable: (how: string, code: string): string =>
    `the service stores codes ${how}, and proc cannot search its list for ${code}`,
  existThatWay: (how: string, n: number): string =>
    `the service stores codes ${how}, and ${n === 1 ? '1 pending row exists' : `${n} pending rows exist`} in that form (--on-existing fail)`,
} as const;

/** The service stores codes in another form. */
export function codesChangedText(how: string, sent: string, stored: string): string {
  return `the service stores codes ${how}: it stored ${sent} as ${stored}`;
}
