import { ProcError } from '../../../core/errors.ts';
import type { Ports } from '../../../core/ports.ts';
import type { Problem } from '../../../core/problem/row-problem.ts';
import { storedCode } from '../../../core/service/code-change.ts';
import { listed, listedAndMore } from '../../../core/text/listed.ts';
import { inShell, typedAgain } from '../../../core/text/typed.ts';
import { bulkMessages } from '../../../messages/bulk.ts';
import { importPlanMessages } from '../../../messages/planning.ts';
import { sentence } from '../../../messages/problems.ts';
import { resolveCommand } from '../../report/next-command.ts';
import { rowsIn } from '../../report/words.ts';
import { checkDestination } from '../../resume/run-destination.ts';
import { settleMsOf } from '../../run-options.ts';
import { holdersOf, isOlder } from '../../store/known-records.ts';
import type { Unconfirmed } from '../../store/looked-up-rows.ts';
import type { Run } from '../../store/run-file.ts';
import { type Decided, nameOf, type Resolving } from './decision.ts';
import type { DecisionFile } from './decision-file.ts';
import { keyOf, lookUp, type Seen } from './look-up.ts';

/** Maximum number of rows or ids in the text of an error. */
const NAMED = 5;
/** Maximum number of rows in the details of an error. */
const DETAILED = 1_000;

type CheckPorts = Ports<'io' | 'api' | 'ask' | 'store' | 'self'>;

export interface Checked extends Resolving {
  readonly journal: Run;
  /** The source of the decisions; undefined for flags and the prompt. */
  readonly file: DecisionFile | undefined;
}

interface Adoption {
  readonly row: Unconfirmed;
  readonly id: string;
  readonly place?: string;
}

interface WrongAdoption extends Adoption {
  readonly why: string;
  readonly fitting: readonly string[];
}

interface LookedUp {
  readonly resent: readonly Decided[];
  readonly adopted: readonly Adoption[];
  readonly seen: Seen;
}

/** A row that is in the list: sending it again would create a second record. */
interface Present {
  readonly one: Decided;
  /** The records that may be the row; at least one. */
  readonly ids: readonly string[];
}

/**
 * Checks the ids to adopt and the rows to resend. Reads the list at most once.
 *
 * An id is wrong if another row or a command of this machine created it; and with a list, if it existed
 * before the run, or the complete list does not have it, or it has another code than the row.
 *
 * A row to resend must be provably absent; with `--again`, it may also be in doubt. A row in the list
 * is never resent: on a terminal, proc proposes to adopt its record. If the service has no list, every
 * row may be resent.
 *
 * @returns the decisions to record; a row that is left out stays unconfirmed
 * @throws ProcError `invalid_usage`, `reference_not_found`, `confirmation_required`, `incomplete`;
 *   nothing was changed
 */
export async function checkDecided(
  decided: readonly Decided[],
  checked: Checked,
  ports: CheckPorts,
): Promise<readonly Decided[]> {
  if (decided.length === 0) return [];
  const { target, journal, file, flags } = checked;
  const settleMs = await settleMsOf(flags, ports);
  const resent = decided.filter(({ decision }) => decision.kind === 'resend');
  const adopted = decided.flatMap(({ decision, ...one }) =>
    decision.kind === 'adopt' ? [{ ...one, id: decision.id }] : [],
  );
  if (resent.length + adopted.length === 0) return decided;
  let seen: Seen | undefined;
  if (target.listing !== undefined) {
    if (ports.api.isPreview && !(await canRead(ports))) {
      const text = bulkMessages[await ports.io.lang()].listNotRead(target.many);
      ports.io.say({ kind: 'warning', text });
      return decided;
    }
    await checkDestination(journal, ports, 'resolve');
    await waitUntilApplied(resent, settleMs, ports);
    const sentUntil = ports.self.clock.now() - settleMs;
    const ids = adopted.map(({ id }) => id);
    const rows = [...resent, ...adopted].map(({ row }) => row);
    seen = await lookUp(rows, ids, { target, journal, sentUntil }, ports);
  }
  const wrong = await wrongAdoptions(adopted, seen, checked, ports);
  if (wrong.length > 0) {
    throw file === undefined
      ? wrongId(wrong[0]!, seen, checked, ports)
      : wrongIds(wrong, file.name);
  }
  await sayUnverified(
    adopted.map(({ id }) => id),
    seen,
    checked,
    ports,
  );
  if (seen === undefined) return decided;
  const { present, unproved } = await sortOut({ resent, adopted, seen }, checked, ports);
  const { io, self, api } = ports;
  const canAsk = file === undefined && io.terminal.interactive && !self.flags.yes && !api.isPreview;
  if (present.length > 0 && !canAsk) {
    throw file === undefined
      ? presentByFlags(present, checked, ports)
      : presentInFile(present, file.name);
  }
  await confirmUnproved(unproved, seen, checked, ports);
  if (present.length === 0) return decided;
  const proposed = await proposeAdoptions(present, seen, checked, ports);
  const isPresent = new Set(present.map(({ one }) => one));
  return [...proposed, ...decided.filter((one) => !isPresent.has(one))];
}

async function canRead({ api, self }: CheckPorts): Promise<boolean> {
  return !self.flags.offline && (await api.target()).key !== undefined;
}

/**
 * Waits until the service must have applied the last request. Before that, a row that is missing from the
 * list proves nothing.
 */
async function waitUntilApplied(
  resent: readonly Decided[],
  settleMs: number,
  { io, self: { clock, signal } }: CheckPorts,
): Promise<void> {
  const last = resent.reduce((latest, { row }) => Math.max(latest, row.sent_at ?? 0), 0);
  const left = Math.min(settleMs, last + settleMs - clock.now());
  if (left <= 0) return;
  const text = bulkMessages[await io.lang()].waiting(Math.ceil(left / 1_000));
  io.say({ kind: 'notice', text });
  await clock.sleep(left, signal);
}

async function wrongAdoptions(
  adopted: readonly Adoption[],
  seen: Seen | undefined,
  { journal, target }: Checked,
  ports: CheckPorts,
): Promise<readonly WrongAdoption[]> {
  const ids = adopted.map(({ id }) => id);
  const holders = await holdersOf(ids, journal, target, ports);
  const wrong = adopted.flatMap((one) => {
    const holder = holders.get(one.id);
    const why =
      holder !== undefined
        ? `${one.id} was created by ${holder}`
        : seen === undefined
          ? undefined
          : whyNot(one, seen, journal);
    if (why === undefined) return [];
    const alike = seen?.alike(one.row) ?? [];
    const fitting = alike.filter((id) => id !== one.id && !isOlder(id, journal));
    return [{ ...one, why, fitting }];
  });
  const candidates = wrong.flatMap(({ fitting }) => fitting);
  const others = await holdersOf(candidates, journal, target, ports);
  return wrong.map((one) => ({ ...one, fitting: one.fitting.filter((id) => !others.has(id)) }));
}

function whyNot({ row, id }: Adoption, seen: Seen, journal: Run): string | undefined {
  if (isOlder(id, journal)) return `${id} existed before this run started`;
  const found = seen.record(id);
  if (found === undefined) return seen.isComplete ? `${id} is not in the list` : undefined;
  // If the service changes codes, a different code proves nothing.
  const { code } = row;
  const isSame = code === null || found.code === storedCode(journal.codeChange, code);
  if (isSame || journal.get('codesAltered') === true) return undefined;
  return `${id} has the code ${found.code ?? '(none)'}, but row ${row.row} has ${code}`;
}

async function sayUnverified(
  ids: readonly string[],
  seen: Seen | undefined,
  { journal, target: { many } }: Checked,
  { io: { say, lang } }: CheckPorts,
): Promise<void> {
  if (ids.length === 0) return;
  const words = bulkMessages[await lang()];
  if (seen === undefined) {
    say({ kind: 'notice', text: words.notListed(ids, many) });
    return;
  }
  const missing = ids.filter((id) => seen.record(id) === undefined);
  if (missing.length > 0) {
    say({ kind: 'warning', text: words.notSeen(missing) });
  }
  if (journal.get('baseline') === 'unproved') {
    say({ kind: 'warning', text: words.maybeOld(ids) });
  }
}

/**
 * A record with the code of a row may be that row; for a row without a code, the name counts. Ignores
 * records that existed before the run, that are adopted for other rows, and that this machine created
 * with another row or command. A row that is not found is absent only if the list is provably complete.
 */
async function sortOut(
  { resent, adopted, seen }: LookedUp,
  { journal, target }: Checked,
  ports: CheckPorts,
): Promise<{ readonly present: readonly Present[]; readonly unproved: readonly Unconfirmed[] }> {
  const taken = new Set(adopted.map(({ id }) => id));
  const found = resent.map((one) => {
    const alike = seen.alike(one.row).filter((id) => !isOlder(id, journal) && !taken.has(id));
    return { one, alike };
  });
  const candidates = found.flatMap(({ alike }) => alike);
  const holders = await holdersOf(candidates, journal, target, ports);
  const canTell = seen.isComplete && journal.get('codesAltered') !== true;
  const present: Present[] = [];
  const unproved: Unconfirmed[] = [];
  for (const { one, alike } of found) {
    const ids = alike.filter((id) => !holders.has(id));
    const isAbsent = () =>
      canTell && keyOf(one.row, target) !== undefined && seen.doubt(one.row) === undefined;
    if (ids.length > 0) present.push({ one, ids });
    else if (!isAbsent()) unproved.push(one.row);
  }
  return { present, unproved };
}

/**
 * Rows whose absence is not proved are resent only with `--again`, and proc warns about them.
 *
 * @throws ProcError `incomplete`
 */
async function confirmUnproved(
  unproved: readonly Unconfirmed[],
  seen: Seen,
  { journal, target }: Checked,
  ports: CheckPorts,
): Promise<void> {
  if (unproved.length === 0) return;
  const isOne = unproved.length === 1;
  const key = target.keyField;
  const known: Problem | undefined = !seen.isComplete
    ? { code: 'list_incomplete', args: {} }
    : journal.get('codesAltered') === true
      ? { code: 'stored_otherwise', args: { key } }
      : unproved.map((row) => seen.doubt(row)).find((doubt) => doubt !== undefined);
  const lang = await ports.io.lang();
  const { place } = importPlanMessages[ports.self.flags.again ? lang : 'en'];
  const names = unproved.map(({ row, code }) => code ?? place(row, null));
  if (ports.self.flags.again) {
    const doubt = known === undefined ? undefined : sentence(known, lang);
    const text = bulkMessages[lang].resentAnyway(unproved.length, listed(names, NAMED), key, doubt);
    ports.io.say({ kind: 'warning', text });
    return;
  }
  const why =
    known === undefined
      ? `${isOne ? 'it has' : 'they have'} no ${key} to look up`
      : sentence(known);
  const missing = `${rowsIn(unproved.length, 'row was', 'rows were')} not found in the list (${listed(names, NAMED)}), but ${why}`;
  const learn = seen.isComplete ? '' : 'Detect the parameter names: proc doctor. ';
  const isTyped = ports.self.typed.some((word) => /^--(resend|from)(=|$)/.test(word));
  const again = isTyped
    ? typedAgain(ports.self.typed, ['--again'])
    : `${resolveCommand(journal.header, ports)} ${unproved[0]!.row} --resend --again`;
  throw new ProcError('incomplete', `${missing}; nothing was changed`, {
    hint: `${learn}If you know that the ${isOne ? 'row was' : 'rows were'} not created, run: ${again}`,
    details: {
      notFound: unproved.length,
      rows: unproved.slice(0, DETAILED).map(({ row, code }) => ({ row, code, candidates: [] })),
    },
  });
}

/** Asks whether a record in the list is the row. A row without an answer stays unconfirmed. */
async function proposeAdoptions(
  present: readonly Present[],
  seen: Seen,
  checked: Checked,
  ports: CheckPorts,
): Promise<readonly Decided[]> {
  const words = bulkMessages[await ports.io.lang()];
  const taken = new Set<string>();
  const adopted: Decided[] = [];
  for (const { one, ids } of present) {
    const { row, code } = one.row;
    const free = ids.filter((id) => !taken.has(id));
    if (free.length === 0) continue;
    const id = await ports.ask.select<string | undefined>(words.isInList(row, code), [
      ...free.map((value) => ({ name: words.adoptIt(value), value })),
      { name: words.leave, value: undefined },
    ]);
    if (id === undefined) continue;
    taken.add(id);
    adopted.push({ ...one, decision: { kind: 'adopt', id } });
    await sayUnverified([id], seen, checked, ports);
  }
  return adopted;
}

function wrongId(
  { why, row: { row, code }, fitting }: WrongAdoption,
  seen: Seen | undefined,
  { journal, target: { one, noun } }: Checked,
  ports: CheckPorts,
): ProcError {
  if (seen === undefined) return new ProcError('invalid_usage', why);
  const command = `${resolveCommand(journal.header, ports)} ${row}`;
  const alike = code === null ? 'name' : `code ${code}`;
  const [first] = fitting;
  const hint =
    first !== undefined
      ? `The list has a new ${one} with the ${alike} of this row: ${listed(fitting, NAMED)}. If the row created it, run: ${command} --adopt ${inShell(first)}`
      : seen.isComplete
        ? `No new ${one} has the ${alike} of this row. If the row was not created, run: ${command} --resend`
        : `Look for it in the list: proc ${noun} list --all`;
  return new ProcError('reference_not_found', `${why}; row ${row} was not changed`, {
    hint,
    details: { row, code, candidates: fitting },
  });
}

function wrongIds(wrong: readonly WrongAdoption[], file: string): ProcError {
  const some = wrong.map(({ place, why, fitting }) => {
    const shown = fitting.length === 0 ? '' : ` (new in the list: ${listed(fitting, NAMED)})`;
    return `${place}: id: ${why}${shown}`;
  });
  const rows = wrong.slice(0, DETAILED).map(({ row: { row, code }, id, why, fitting }) => {
    return { row, code, id, reason: why, candidates: fitting };
  });
  return new ProcError(
    'reference_not_found',
    `${file}, ${listedAndMore(some, NAMED)}; nothing was changed`,
    {
      hint: 'Correct these ids in the file and run the command again',
      details: { wrong: wrong.length, rows },
    },
  );
}

function presentByFlags(
  present: readonly Present[],
  { journal }: Checked,
  ports: CheckPorts,
): ProcError {
  const resolve = resolveCommand(journal.header, ports);
  // Rows with the same code get different ids, as long as there are enough.
  const proposed = new Set<string>();
  const commands = present.map(({ one, ids }) => {
    const id = ids.find((free) => !proposed.has(free)) ?? ids[0]!;
    proposed.add(id);
    return `${resolve} ${one.row.row} --adopt ${inShell(id)}`;
  });
  const names = namesOf(present);
  return new ProcError(
    'confirmation_required',
    `${rowsIn(present.length, 'row is', 'rows are')} in the list: ${listed(names, NAMED, '; ')}. ${twice(present)}`,
    {
      hint: `Adopt the existing records: ${listed(commands, NAMED, '; ')}`,
      details: {
        found: present.length,
        rows: detailsOf(present).map((row, at) => ({ ...row, command: commands[at] })),
      },
    },
  );
}

function presentInFile(present: readonly Present[], file: string): ProcError {
  const names = namesOf(present).map((name, at) => `${present[at]!.one.place}: ${name}`);
  return new ProcError(
    'confirmation_required',
    `${file}: ${rowsIn(present.length, 'row to resend is', 'rows to resend are')} in the list: ${listedAndMore(names, NAMED)}. ${twice(present)}`,
    {
      hint: `In the file, set the outcome of ${present.length === 1 ? 'this row' : 'these rows'} to adopt and give the id`,
      details: { found: present.length, rows: detailsOf(present) },
    },
  );
}

function namesOf(present: readonly Present[]): readonly string[] {
  return present.map(({ one, ids }) => `${nameOf(one.row)} as ${listed(ids, NAMED)}`);
}

function twice({ length }: readonly Present[]): string {
  const which = length === 1 ? 'it' : 'them';
  return `Sending ${which} again would create ${which} twice; nothing was changed`;
}

function detailsOf(present: readonly Present[]) {
  return present.slice(0, DETAILED).map(({ one: { row }, ids }) => {
    return { row: row.row, code: row.code, candidates: ids };
  });
}
