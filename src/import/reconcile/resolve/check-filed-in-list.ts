import { ProcError } from '../../../core/errors.ts';
import type { Ports } from '../../../core/ports.ts';
import type { Journal } from '../../ledger/journal.ts';
import { rowsIn } from '../../report/words.ts';
import { checkDestination } from '../../resume/run-destination.ts';
import type { ImportTarget } from '../../targets/import-target.ts';
import { absenceIn, confirmUnproved, type Present, waitUntilApplied } from './absence.ts';
import { findWrongAdoptions, type WrongAdoption } from './adoption.ts';
import type { DecisionFile } from './decision-file.ts';
import { lookUp, type Seen } from './look-up.ts';
import type { FiledRow, FilePlan } from './plan-file.ts';

/** Maximum number of rows or ids in the text of an error, and of rows in its details. */
const NAMED = 5;
const DETAILED = 1_000;

/**
 * Checks the ids to adopt and the rows to resend. Reads the list only once.
 *
 * @throws ProcError `reference_not_found`, `confirmation_required`, `incomplete`; nothing was
 *   changed
 */
export async function checkFiledInList(
  file: DecisionFile,
  { decided }: FilePlan,
  journal: Journal,
  target: ImportTarget,
  settleMs: number,
  ports: Ports<'io' | 'api' | 'store' | 'self'>,
): Promise<void> {
  const resent = decided.flatMap(({ row, decision }) => (decision.kind === 'resend' ? [row] : []));
  const adopted = decided.flatMap(({ row, decision }) =>
    decision.kind === 'adopt' ? [{ row, id: decision.id }] : [],
  );
  if (resent.length + adopted.length === 0) return;
  let seen: Seen | undefined;
  if (target.listing !== undefined) {
    if (ports.api.isPreview && !(await canRead(ports))) {
      const text = `the rows were not verified: the list of ${target.many} was not read`;
      ports.io.say({ kind: 'warning', text });
      return;
    }
    await checkDestination(journal, ports, 'resolve');
    await waitUntilApplied(resent, settleMs, ports);
    const rows = [...resent, ...adopted.map(({ row }) => row)];
    const ids = adopted.map(({ id }) => id);
    const sentUntil = ports.self.clock.now() - settleMs;
    seen = await lookUp(rows, target, journal, ports, sentUntil, ids);
  }
  const places = new Map(decided.map((one) => [one.row.row, one.place]));
  const wrong = await findWrongAdoptions(journal, target, adopted, seen, ports);
  if (wrong.length > 0) throw wrongIds(file, places, wrong);
  if (seen === undefined) return;
  const given = new Set(adopted.map(({ id }) => id));
  const absence = await absenceIn(seen, journal, target, resent, ports, given);
  if (absence.present.length > 0) throw presentRows(file, places, absence.present);
  confirmUnproved(absence, journal, target, ports);
}

async function canRead({ api, self }: Ports<'api' | 'self'>): Promise<boolean> {
  return !self.flags.offline && (await api.target()).key !== undefined;
}

type Places = ReadonlyMap<FiledRow['row']['row'], string>;

function wrongIds(
  { name }: DecisionFile,
  places: Places,
  wrong: readonly WrongAdoption[],
): ProcError {
  const some = wrong.slice(0, NAMED).map(({ row, why, fitting }) => {
    const shown = fitting.length === 0 ? '' : ` (new in the list: ${named(fitting)})`;
    return `${places.get(row.row)}: id: ${why}${shown}`;
  });
  const rows = wrong.slice(0, DETAILED).map(({ row: { row, code }, id, why, fitting }) => {
    return { row, code, id, reason: why, candidates: fitting };
  });
  return new ProcError(
    'reference_not_found',
    `${name}, ${joined(some, wrong.length)}; nothing was changed`,
    {
      hint: 'Correct these ids in the file and run the command again',
      details: { wrong: wrong.length, rows },
    },
  );
}

function presentRows(
  { name }: DecisionFile,
  places: Places,
  present: readonly Present[],
): ProcError {
  const some = present.slice(0, NAMED).map(({ row: { row, code }, ids }) => {
    const which = code === null ? `row ${row}` : `row ${row} (${code})`;
    return `${places.get(row)}: ${which} as ${named(ids)}`;
  });
  const rows = present.slice(0, DETAILED).map(({ row: { row, code }, ids }) => {
    return { row, code, candidates: ids };
  });
  const isOne = present.length === 1;
  const which = isOne ? 'it' : 'them';
  return new ProcError(
    'confirmation_required',
    `${name}: ${rowsIn(present.length, 'row to resend is', 'rows to resend are')} in the list: ${joined(some, present.length)}. Sending ${which} again would create ${which} twice; nothing was changed`,
    {
      hint: `In the file, set the outcome of ${isOne ? 'this row' : 'these rows'} to adopt and give the id`,
      details: { found: present.length, rows },
    },
  );
}

function named(ids: readonly string[]): string {
  return ids.slice(0, NAMED).join(', ') + (ids.length > NAMED ? ', …' : '');
}

function joined(some: readonly string[], count: number): string {
  return some.join('; ') + (count > some.length ? `; and ${count - some.length} more` : '');
}
