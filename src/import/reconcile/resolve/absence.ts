import { ProcError } from '../../../core/errors.ts';
import type { Ports } from '../../../core/ports.ts';
import type { Problem } from '../../../core/problem/row-problem.ts';
import { inShell, typedAgain } from '../../../core/text/typed.ts';
import { sentence } from '../../../messages/problems.ts';
import type { Journal } from '../../ledger/journal.ts';
import type { Unconfirmed } from '../../ledger/rows/unconfirmed-rows.ts';
import { holdersOf, isOlder } from '../../ledger/sent/holders.ts';
import { resolveCommand } from '../../report/next-command.ts';
import { rowsIn } from '../../report/words.ts';
import { checkDestination } from '../../resume/run-destination.ts';
import type { ImportTarget } from '../../targets/import-target.ts';
import { keyOf, lookUp, type Seen } from './look-up.ts';

/** Maximum number of rows in the text of an error. */
const NAMED = 5;
/** Maximum number of rows in the details of an error. */
const DETAILED = 1_000;

/** A row that is in the list: sending it again would create a second record. */
export interface Present {
  readonly row: Unconfirmed;
  /** The records that may be the row; at least one. */
  readonly ids: readonly string[];
}

export interface Absence {
  readonly present: readonly Present[];
  /** Provably not in the list. */
  readonly absent: readonly Unconfirmed[];
  /** Not found, but perhaps in the list: e.g. the list may be incomplete, or the row has no key. */
  readonly unproved: readonly Unconfirmed[];
  readonly isListComplete: boolean;
  /** Why a complete list does not prove the absence of an unproved row. */
  readonly doubt: Problem | undefined;
}

/**
 * Looks up rows before they are sent again. A record with the code of a row may be that row. For a
 * row without a code, the name counts.
 *
 * Ignores records that existed before the run, and records that this machine created with another
 * row or command. A row that is not found is absent only if the list is provably complete.
 *
 * @param settleMs time after which the service has applied every request
 * @throws ProcError if the list cannot be read
 */
export async function findPresent(
  journal: Journal,
  target: ImportTarget,
  rows: readonly Unconfirmed[],
  settleMs: number,
  ports: Ports<'io' | 'api' | 'store' | 'self'>,
): Promise<Absence> {
  await checkDestination(journal, ports, 'resolve');
  await waitUntilApplied(rows, settleMs, ports);
  const sentUntil = ports.self.clock.now() - settleMs;
  const seen = await lookUp(rows, target, journal, ports, sentUntil);
  return absenceIn(seen, journal, target, rows, ports);
}

/**
 * @param seen the list, read after the service has applied every request
 * @param adopted ids that a person gives to other rows
 */
export async function absenceIn(
  seen: Seen,
  journal: Journal,
  target: ImportTarget,
  rows: readonly Unconfirmed[],
  ports: Ports<'store' | 'self'>,
  adopted: ReadonlySet<string> = new Set(),
): Promise<Absence> {
  const mayBe = (id: string) => !isOlder(id, journal) && !adopted.has(id);
  const candidates = new Map(rows.map((row) => [row, seen.alike(row).filter(mayBe)]));
  const holders = await holdersOf([...candidates.values()].flat(), journal, target, ports);
  const present: Present[] = [];
  const absent: Unconfirmed[] = [];
  const unproved: Unconfirmed[] = [];
  const canTell = seen.isComplete && journal.get('codesAltered') !== true;
  for (const [row, found] of candidates) {
    const ids = found.filter((id) => !holders.has(id));
    if (ids.length > 0) present.push({ row, ids });
    else if (canTell && keyOf(row, target) !== undefined && seen.doubt(row) === undefined) {
      absent.push(row);
    } else unproved.push(row);
  }
  const [doubt] = unproved.flatMap((row) => seen.doubt(row) ?? []);
  return { present, absent, unproved, isListComplete: seen.isComplete, doubt };
}

/**
 * Rows whose absence is not proved are resent only with `--again`, and proc warns about them.
 *
 * @throws ProcError `incomplete`
 */
export function confirmUnproved(
  { unproved, isListComplete, doubt }: Absence,
  journal: Journal,
  target: ImportTarget,
  ports: Ports<'io' | 'self'>,
): void {
  if (unproved.length === 0) return;
  const isOne = unproved.length === 1;
  const key = target.keyField;
  const known: Problem | undefined = !isListComplete
    ? { code: 'list_incomplete', args: {} }
    : journal.get('codesAltered') === true
      ? { code: 'stored_otherwise', args: { key } }
      : doubt;
  const why =
    known === undefined
      ? `${isOne ? 'it has' : 'they have'} no ${key} to look up`
      : sentence(known);
  const missing = `${rowsIn(unproved.length, 'row was', 'rows were')} not found in the list (${namesOf(unproved)}), but ${why}`;
  if (ports.self.flags.again) {
    const text = `${missing}. If ${isOne ? 'it was' : 'they were'} created, resuming creates ${isOne ? 'it' : 'them'} a second time`;
    ports.io.say({ kind: 'warning', text });
    return;
  }
  const learn = isListComplete ? '' : 'Detect the parameter names: proc doctor. ';
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

/**
 * Waits until the service must have applied the last request. Before that, a row that is missing from the
 * list proves nothing.
 */
export async function waitUntilApplied(
  rows: readonly Unconfirmed[],
  settleMs: number,
  { io: { say }, self: { clock, signal } }: Ports<'io' | 'self'>,
): Promise<void> {
  const last = rows.reduce((latest, { sent_at: at }) => Math.max(latest, at ?? 0), 0);
  const left = Math.min(settleMs, last + settleMs - clock.now());
  if (left <= 0) return;
  const text = `waiting ${Math.ceil(left / 1_000)} s before reading the list, because the service may still be applying a request`;
  say({ kind: 'notice', text });
  await clock.sleep(left, signal);
}

function namesOf(rows: readonly Unconfirmed[]): string {
  const names = rows.slice(0, NAMED).map(({ row, code }) => code ?? `row ${row}`);
  return names.join(', ') + (rows.length > NAMED ? ', …' : '');
}

export function presentRefusal(
  present: readonly Present[],
  journal: Journal,
  ports: Ports<'io' | 'self'>,
): ProcError {
  const resolve = resolveCommand(journal.header, ports);
  const rows = withProposals(present).map(({ row: { row, code }, ids, id }) => ({
    row,
    code,
    candidates: ids,
    command: `${resolve} ${row} --adopt ${inShell(id)}`,
  }));
  const some = rows.slice(0, NAMED);
  const more = rows.length > NAMED ? '; …' : '';
  const which = rows.length === 1 ? 'it' : 'them';
  const shown = some.map(
    ({ row, code, candidates }) =>
      `row ${row}${code === null ? '' : ` (${code})`} as ${candidates.slice(0, NAMED).join(', ')}`,
  );
  return new ProcError(
    'confirmation_required',
    `${rowsIn(rows.length, 'row is', 'rows are')} in the list: ${shown.join('; ')}${more}. Sending ${which} again would create ${which} twice; nothing was changed`,
    {
      hint: `Adopt the existing records: ${some.map(({ command }) => command).join('; ')}${more}`,
      details: { found: rows.length, rows: rows.slice(0, DETAILED) },
    },
  );
}

/** Proposes different ids for rows with the same code, as long as there are enough ids. */
function withProposals(present: readonly Present[]): (Present & { readonly id: string })[] {
  const proposed = new Set<string>();
  return present.map(({ row, ids }) => {
    const id = ids.find((one) => !proposed.has(one)) ?? ids[0]!;
    proposed.add(id);
    return { row, ids, id };
  });
}
