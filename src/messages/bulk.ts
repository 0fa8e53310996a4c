import { grouped } from '../core/text/decimal.ts';
import { type Counted, countedWord, countOf } from './import-nouns.ts';

/** Questions of imports. */
export const bulkMessages = {
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
  /** `rest` is the number of pending rows that are dropped too. */
  resolveAll: (kind: 'resend' | 'drop', n: number, rest: number, run: string, of: Counted) => {
    const unconfirmed =
      n === 1 ? `the unconfirmed ${countedWord(1, of)}` : `all ${unconfirmedOf(n, of)}`;
    const pending = `${countOf(rest, of)} not sent yet`;
    const which = rest === 0 ? unconfirmed : n === 0 ? pending : `${unconfirmed} and ${pending}`;
    return kind === 'drop'
      ? `Drop ${which} of ${run}? This cannot be undone.`
      : `Send ${which} of ${run} again when it is resumed?`;
  },
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
  return `${grouped(count)} unconfirmed ${countedWord(count, of)}`;
}

function theseIds(ids: readonly string[], one: string, several: string): string {
  return ids.length === 1 ? `${ids[0]} ${one}` : `${ids.length} ids ${several}`;
}

/** @param run of a shared ledger, whose file is on another machine */
export function continuing(
  run: string,
  { user, host }: { readonly user: string; readonly host: string },
): string {
  return `this import continues and replaces ${run}, which ${user} started on ${host}`;
}

export function importingFile(many: string, file: string): string {
  return `import ${many} from ${file}`;
}

interface Named {
  readonly one: string;
  readonly many: string;
}

export function importing(count: number, { one, many }: Named, file: string, newItems = 0): string {
  const noun = count === 1 ? one : many;
  const en = newItems === 1 ? ' and 1 new item' : ` and ${grouped(newItems)} new items`;

  return `create ${grouped(count)} ${noun}${newItems === 0 ? '' : en} from ${file}`;
}
