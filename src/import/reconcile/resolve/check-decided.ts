import { ProcError } from '../../../core/errors.ts';
import type { Ports } from '../../../core/ports.ts';
import type { Problem } from '../../../core/problem/row-problem.ts';
import { sentence } from '../../../core/problem/sentence.ts';
import { storedCode } from '../../../core/service/code-change.ts';
import { grouped } from '../../../core/text/decimal.ts';
import { listed } from '../../../core/text/listed.ts';
import { inShell, typedAgain } from '../../../core/text/typed.ts';
import { runCommand } from '../../report/old-next-steps.ts';
import { checkDestination } from '../../resume/which-run.ts';
import { settleMsOf } from '../../run-options.ts';
import { holdersOf } from '../../store/known-records.ts';
import type { Unconfirmed } from '../../store/looked-up-rows.ts';
import type { Run } from '../../store/run-file.ts';
import { type Decided, nameOf, type Resolving } from './decision.ts';
import { lookUp, type Seen } from './look-up.ts';

/** Maximum number of rows or ids in the text of an error. */
const NAMED = 5;
/** Maximum number of rows in the details of an error. */
const DETAILED = 1_000;

type CheckPorts = Ports<'io' | 'api' | 'ask' | 'store' | 'self'>;

export interface Checked extends Resolving {
  readonly run: Run;
}

/** A decision, and what the list shows of its row. */
interface Judged {
  readonly one: Decided;
  /** Records that may be the row, other than the id to adopt. */
  readonly ids: readonly string[];
  /** Why the decision is wrong: the row did not create the record, or the list has the row to resend. */
  readonly why?: string | undefined;
  /** Why the list does not prove that the row to resend is absent. */
  readonly doubt?: Problem | undefined;
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
 * @throws ProcError `reference_not_found`, `confirmation_required`, `incomplete`; nothing was changed
 */
export async function checkDecided(
  decided: readonly Decided[],
  checked: Checked,
  ports: CheckPorts,
): Promise<readonly Decided[]> {
  const { target } = checked;
  const { io, self } = ports;
  const settleMs = await settleMsOf(ports);
  const given = decided.filter(({ decision }) => decision.kind !== 'drop');
  if (given.length === 0) return decided;
  let seen: Seen | undefined;
  if (target.listing !== undefined) seen = await look(given, settleMs, checked, ports);
  const judged = await judge(given, seen, checked, ports);
  const canAsk = io.terminal.interactive && !self.flags.yes;
  const wrong = judged.filter(({ why }) => why !== undefined);
  const present = wrong.filter(({ one }) => canAsk && one.decision.kind === 'resend');
  if (wrong.length > present.length) throw refusal(wrong, checked, ports);
  await sayUnverified(idsOf(given), seen, checked, ports);
  await confirmUnproved(judged, checked, ports);
  if (present.length === 0) return decided;
  const proposed = await proposeAdoptions(present, seen, checked, ports);
  const isPresent = new Set(present.map(({ one }) => one));
  return [...proposed, ...decided.filter((one) => !isPresent.has(one))];
}

function idsOf(decided: readonly Decided[]): readonly string[] {
  return decided.flatMap(({ decision }) => (decision.kind === 'adopt' ? [decision.id] : []));
}

/**
 * Reads the list once the service must have applied the last request. Before that, a row that is missing
 * from it proves nothing.
 */
async function look(
  given: readonly Decided[],
  settleMs: number,
  { run, target }: Checked,
  ports: CheckPorts,
): Promise<Seen> {
  const { clock, signal } = ports.self;
  await checkDestination(run, ports, 'resolve');
  const resent = given.filter(({ decision }) => decision.kind === 'resend');
  const last = resent.reduce((latest, { row }) => Math.max(latest, row.sent_at ?? 0), 0);
  const left = Math.min(settleMs, last + settleMs - clock.now());
  if (left > 0) {
    const text = `waiting ${Math.ceil(left / 1_000)} s before reading the list, because the service may still be applying a request`;
    ports.io.say({ kind: 'notice', text });
    await clock.sleep(left, signal);
  }
  const place = { target, run, sentUntil: clock.now() - settleMs };
  const rows = given.map(({ row }) => row);
  return lookUp(rows, idsOf(given), place, ports);
}

/**
 * A record with the code of a row may be that row; for a row without a code, the name counts. Ignores
 * records that existed before the run, that are adopted for other rows, and that this machine created
 * with another row or command.
 */
async function judge(
  given: readonly Decided[],
  seen: Seen | undefined,
  { run, target }: Checked,
  ports: CheckPorts,
): Promise<readonly Judged[]> {
  const alike = new Map(
    given.map(({ row }) => {
      const ids = seen?.alike(row).filter((id) => !run.rows.catalogue.has(id));
      return [row, ids ?? []] as const;
    }),
  );
  const adopted = new Set(idsOf(given));
  const all = [...adopted, ...[...alike.values()].flat()];
  const holders = await holdersOf(all, run, target, ports);
  return given.map((one): Judged => {
    const { row, decision } = one;
    const free = alike.get(row)!.filter((id) => !holders.has(id));
    if (decision.kind === 'adopt') {
      const { id } = decision;
      const holder = holders.get(id);
      const why =
        holder === undefined ? whyNot(row, id, seen, run) : `${id} was created by ${holder}`;
      const ids = free.filter((other) => other !== id);
      if (why === undefined || ids.length === 0) return { one, ids, why };
      const fresh = `${why} (new in the list: ${listed(ids, NAMED)})`;
      return { one, ids, why: fresh };
    }
    const ids = free.filter((id) => !adopted.has(id));
    if (ids.length === 0) return { one, ids, doubt: seen?.doubt(row) };
    const as = listed(ids, NAMED);
    const why = `${nameOf(row)} is in the list as ${as}, so sending it again would create it twice`;
    return { one, ids, why };
  });
}

function whyNot(
  { row, code }: Unconfirmed,
  id: string,
  seen: Seen | undefined,
  run: Run,
): string | undefined {
  if (seen === undefined) return undefined;
  if (run.rows.catalogue.has(id)) {
    return `${id} existed before this run started`;
  }
  const found = seen.record(id);
  if (found === undefined) {
    const text = `${id} is not in the list`;
    return seen.isComplete ? text : undefined;
  }
  // If the service changes codes, a different code proves nothing.
  const isSame = code === null || found.code === storedCode(run.codeChange, code);
  if (isSame || run.get('codesAltered') === true) return undefined;
  return `${id} has the code ${found.code ?? '(none)'}, but row ${row} has ${code}`;
}

async function sayUnverified(
  ids: readonly string[],
  seen: Seen | undefined,
  { run, target: { many } }: Checked,
  { io: { say } }: CheckPorts,
): Promise<void> {
  if (ids.length === 0) return;
  const these = (some: readonly string[], one: string, several: string) =>
    some.length === 1 ? `${some[0]} ${one}` : `${some.length} ids ${several}`;
  if (seen === undefined) {
    const text = `${these(ids, 'was', 'were')} not verified: the service cannot list ${many}`;
    say({ kind: 'notice', text });
    return;
  }
  const missing = ids.filter((id) => seen.record(id) === undefined);
  if (missing.length > 0) {
    const text = `${these(missing, 'was', 'were')} not verified: the list may be incomplete`;
    say({ kind: 'warning', text });
  }
  if (run.get('baseline') === 'unproved') {
    const text = `cannot verify that ${these(ids, 'is', 'are')} new: before this run, proc could not read the complete list`;
    say({ kind: 'warning', text });
  }
}

/**
 * Rows whose absence is not proved are resent only with `--again`, and proc warns about them.
 *
 * @throws ProcError `incomplete`
 */
async function confirmUnproved(
  judged: readonly Judged[],
  { run }: Checked,
  ports: CheckPorts,
): Promise<void> {
  const { io, self } = ports;
  const unproved = judged.filter(({ doubt }) => doubt !== undefined);
  const { length } = unproved;
  if (length === 0) return;
  const rows = unproved.map(({ one: { row } }) => row);
  const [{ doubt }] = unproved as [Judged];
  const notFound = () => {
    const names = rows.map((row) => row.code ?? nameOf(row));
    return `${length === 1 ? '1 row was' : `${grouped(length)} rows were`} not found in the list (${listed(names, NAMED)}), but ${sentence(doubt!)}`;
  };
  if (self.flags.again) {
    const text = `${notFound()}. If ${length === 1 ? 'it was' : 'they were'} created, resuming creates ${length === 1 ? 'it' : 'them'} a second time`;
    io.say({ kind: 'warning', text });
    return;
  }
  const isTyped = self.typed.some((word) => /^--resend(=|$)/.test(word));
  const again = isTyped
    ? typedAgain(self.typed, ['--again'])
    : `${runCommand('resolve', run.header, ports)} ${rows[0]!.row} --resend --again`;
  const isList = doubt!.code === 'list_incomplete';
  const details = rows.slice(0, DETAILED).map(({ row, code }) => ({ row, code, candidates: [] }));
  throw new ProcError('incomplete', `${notFound()}; nothing was changed`, {
    hint: `${isList ? 'Detect the parameter names: proc doctor. ' : ''}If you know that ${length === 1 ? 'the row was' : 'the rows were'} not created, run: ${again}`,
    details: { notFound: length, rows: details },
  });
}

/** Asks whether a record in the list is the row. A row without an answer stays unconfirmed. */
async function proposeAdoptions(
  present: readonly Judged[],
  seen: Seen | undefined,
  checked: Checked,
  ports: CheckPorts,
): Promise<readonly Decided[]> {
  const taken = new Set<string>();
  const adopted: Decided[] = [];
  for (const { one, ids } of present) {
    const { row, code } = one.row;
    const free = ids.filter((id) => !taken.has(id));
    if (free.length === 0) continue;
    const id = await ports.ask.select<string | undefined>(
      `Row ${row}${code === null ? '' : ` (${code})`} is already in the list. Use that record instead of sending the row again?`,
      [
        ...free.map((value) => ({ name: `Yes, it is ${value}`, value })),
        { name: 'I do not know yet', value: undefined },
      ],
    );
    if (id === undefined) continue;
    taken.add(id);
    adopted.push({ ...one, decision: { kind: 'adopt', id } });
    await sayUnverified([id], seen, checked, ports);
  }
  return adopted;
}

/** All wrong decisions in one error, with a command for each row. */
function refusal(wrong: readonly Judged[], { run }: Checked, ports: CheckPorts): ProcError {
  const resolve = runCommand('resolve', run.header, ports);
  // Rows with the same code get different ids, as long as there are enough.
  const proposed = new Set<string>();
  const rows = wrong.slice(0, DETAILED).map(({ one: { row, decision }, ids, why }) => {
    const id = ids.find((free) => !proposed.has(free)) ?? ids[0];
    if (id !== undefined) proposed.add(id);
    const outcome = id === undefined ? '--resend' : `--adopt ${inShell(id)}`;
    return {
      ...{ row: row.row, code: row.code },
      ...{ id: decision.kind === 'adopt' ? decision.id : null },
      ...{ reason: why!, candidates: ids, command: `${resolve} ${row.row} ${outcome}` },
    };
  });
  const said = listed(
    wrong.map(({ why }) => why!),
    NAMED,
    '; ',
  );
  const commands = listed(
    rows.map(({ command }) => command),
    NAMED,
    '; ',
  );
  const isFound = wrong[0]!.ids.length > 0;
  return new ProcError(
    wrong.some(({ one }) => one.decision.kind === 'adopt')
      ? 'reference_not_found'
      : 'confirmation_required',
    `${said}; nothing was changed`,
    {
      hint: isFound
        ? `If the list shows what was created, adopt it: ${commands}`
        : `If the row was not created, run: ${commands}`,
      details: { wrong: wrong.length, rows },
    },
  );
}
