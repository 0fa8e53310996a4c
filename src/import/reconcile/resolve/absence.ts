import { ProcError } from '../../../core/errors.ts';
import type { Ports } from '../../../core/ports.ts';
import { inShell, typedAgain } from '../../../core/text/typed.ts';
import type { Journal } from '../../ledger/journal.ts';
import type { Unconfirmed } from '../../ledger/rows/unconfirmed-rows.ts';
import { holdersOf, isOlder } from '../../ledger/sent/holders.ts';
import { resolveCommand } from '../../report/next-command.ts';
import { rowsIn } from '../../report/words.ts';
import { checkDestination } from '../../resume/run-destination.ts';
import type { ImportTarget } from '../../targets/import-target.ts';
import { keyOf, lookUp } from './look-up.ts';

/** Rows that a message names. */
const NAMED = 5;
/** Rows that its details name. */
const DETAILED = 1_000;

/** A row that the list shows: sending it again would double it. */
export interface Present {
  readonly row: Unconfirmed;
  /** Ids that it may have, at least one. */
  readonly ids: readonly string[];
}

/** What the list says of rows that are to be sent again. */
export interface Absence {
  readonly present: readonly Present[];
  /** Proved. */
  readonly absent: readonly Unconfirmed[];
  /** Not found, which proves nothing. */
  readonly unproved: readonly Unconfirmed[];
  readonly isListComplete: boolean;
}

/**
 * Looks rows up in the list before they are sent again. A row of the list with the same code (without
 * one: name) may be the row, unless it was there before the run or something else that was created
 * from here has its id. What is not found is absent if the list was read to its verified end.
 *
 * @param settleMs time after which the service has surely applied what it was sent
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
  await untilSettled(rows, settleMs, ports);
  const seen = await lookUp(rows, target, journal, ports);
  const candidates = new Map(
    rows.map((row) => [row, seen.alike(row).filter((id) => !isOlder(id, journal))]),
  );
  const holders = await holdersOf([...candidates.values()].flat(), journal, target, ports);
  const present: Present[] = [];
  const absent: Unconfirmed[] = [];
  const unproved: Unconfirmed[] = [];
  const canTell = seen.isComplete && journal.get('codesAltered') !== true;
  for (const [row, found] of candidates) {
    const ids = found.filter((id) => !holders.has(id));
    if (ids.length > 0) present.push({ row, ids });
    else if (canTell && keyOf(row, target) !== undefined) absent.push(row);
    else unproved.push(row);
  }
  return { present, absent, unproved, isListComplete: seen.isComplete };
}

/**
 * Rows whose absence is not proved are sent again with `--again` alone, after a warning.
 *
 * @throws ProcError `incomplete`
 */
export function confirmUnproved(
  { unproved, isListComplete }: Absence,
  journal: Journal,
  target: ImportTarget,
  ports: Ports<'io' | 'self'>,
): void {
  if (unproved.length === 0) return;
  const isOne = unproved.length === 1;
  const why = isListComplete
    ? `nothing tells ${isOne ? 'it' : 'them'} from other ${target.many}`
    : 'cannot verify that the list is complete';
  const missing = `${rowsIn(unproved.length, 'row was', 'rows were')} not found in the list (${namesOf(unproved)}), but ${why}`;
  if (ports.self.flags.again) {
    const text = `${missing}: if ${isOne ? 'it was' : 'they were'} created, resuming creates ${isOne ? 'it' : 'them'} a second time`;
    ports.io.say({ kind: 'warning', text });
    return;
  }
  const learn = isListComplete ? '' : 'Detect the parameter names: proc doctor --learn. ';
  const again = ports.self.typed.includes('--resend')
    ? typedAgain(ports.self.typed, ['--again'])
    : `${resolveCommand(journal, ports)} ${unproved[0]!.row} --resend --again`;
  throw new ProcError('incomplete', `${missing}; nothing was changed`, {
    hint: `${learn}If you know that ${isOne ? 'it was' : 'they were'} not created: ${again}`,
    details: {
      notFound: unproved.length,
      rows: unproved.slice(0, DETAILED).map(({ row, code }) => ({ row, code, candidates: [] })),
    },
  });
}

/** What was sent last may still be under way, and its absence would prove nothing. */
async function untilSettled(
  rows: readonly Unconfirmed[],
  settleMs: number,
  { io: { say }, self: { clock, signal } }: Ports<'io' | 'self'>,
): Promise<void> {
  const last = rows.reduce((latest, { sent_at: at }) => Math.max(latest, at ?? 0), 0);
  const left = Math.min(settleMs, last + settleMs - clock.now());
  if (left <= 0) return;
  const text = `reading the list in ${Math.ceil(left / 1_000)} s, when the service has surely stored what it was sent`;
  say({ kind: 'notice', text });
  await clock.sleep(left, signal);
}

function namesOf(rows: readonly Unconfirmed[]): string {
  const names = rows.slice(0, NAMED).map(({ row, code }) => code ?? `row ${row}`);
  return names.join(', ') + (rows.length > NAMED ? ', …' : '');
}

/** Names the command that adopts each row. */
export function presentRefusal(
  present: readonly Present[],
  journal: Journal,
  ports: Ports<'io' | 'self'>,
): ProcError {
  const resolve = resolveCommand(journal, ports);
  const rows = withProposals(present).map(({ row: { row, code }, ids, id }) => ({
    row,
    code,
    candidates: ids,
    command: `${resolve} ${row} --adopt ${inShell(id)}`,
  }));
  const some = rows.slice(0, NAMED);
  const more = rows.length > NAMED ? '; …' : '';
  const shown = some.map(
    ({ row, code, candidates }) =>
      `row ${row}${code === null ? '' : ` (${code})`} as ${candidates.slice(0, NAMED).join(', ')}`,
  );
  return new ProcError(
    'confirmation_required',
    `${rowsIn(rows.length, 'row is', 'rows are')} in the list: ${shown.join('; ')}${more}. Sending again would create a second one; nothing was changed`,
    {
      hint: `Adopt what is there: ${some.map(({ command }) => command).join('; ')}${more}`,
      details: { found: rows.length, rows: rows.slice(0, DETAILED) },
    },
  );
}

/** Rows with the same code are proposed different ids, as far as there are enough. */
function withProposals(present: readonly Present[]): (Present & { readonly id: string })[] {
  const proposed = new Set<string>();
  return present.map(({ row, ids }) => {
    const id = ids.find((one) => !proposed.has(one)) ?? ids[0]!;
    proposed.add(id);
    return { row, ids, id };
  });
}
