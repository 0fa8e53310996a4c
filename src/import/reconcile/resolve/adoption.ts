import { ProcError } from '../../../core/errors.ts';
import type { Ports } from '../../../core/ports.ts';
import { inShell } from '../../../core/text/typed.ts';
import type { Journal } from '../../ledger/journal.ts';
import { holdersOf, isOlder } from '../../ledger/sent/holders.ts';
import { resolveCommand } from '../../report/next-command.ts';
import { checkDestination } from '../../resume/run-destination.ts';
import type { ImportTarget } from '../../targets/import-target.ts';
import { lookUp, type Seen, type Wanted } from './look-up.ts';

/** Maximum number of ids in a message. */
const NAMED = 5;

/**
 * Checks the id that a person gives for an unconfirmed row: it must be in the list, must not have existed
 * before the run, and must not belong to anything else created from this machine.
 *
 * @throws ProcError `reference_not_found`, `invalid_usage`: why the id is wrong, and which ids fit
 */
export async function checkAdoption(
  journal: Journal,
  target: ImportTarget,
  row: Wanted,
  id: string,
  ports: Ports<'io' | 'api' | 'store' | 'self'>,
): Promise<void> {
  const holder = (await holdersOf([id], journal, target, ports)).get(id);
  if (target.listing === undefined) {
    if (holder !== undefined)
      throw new ProcError('invalid_usage', `${id} was created by ${holder}`);
    ports.io.say({
      kind: 'notice',
      text: `${id} was not verified: the service cannot list ${target.many}`,
    });
    return;
  }
  await checkDestination(journal, ports, 'resolve');
  const seen = await lookUp([row], target, journal, ports, id);
  const why =
    holder !== undefined ? `${id} was created by ${holder}` : whyNot(id, row, seen, journal);
  if (why !== undefined) {
    const candidates = seen.alike(row).filter((one) => one !== id && !isOlder(one, journal));
    const holders = await holdersOf(candidates, journal, target, ports);
    const fitting = candidates.filter((one) => !holders.has(one));
    throw refused(why, row, fitting, seen.isComplete, resolveCommand(journal, ports), target);
  }
  const unproved = [
    ...(seen.listed === undefined ? [`${id} was not verified: the list may be incomplete`] : []),
    ...(journal.get('baseline') === 'unproved'
      ? [`cannot verify that ${id} is new: the list was not known before this run`]
      : []),
  ];
  for (const text of unproved) ports.io.say({ kind: 'warning', text });
}

/** Why the id cannot belong to the row; undefined if it can. */
function whyNot(
  id: string,
  { row, code }: Wanted,
  { listed, isComplete }: Seen,
  journal: Journal,
): string | undefined {
  if (isOlder(id, journal)) return `${id} existed before this run started`;
  if (listed === undefined) return isComplete ? `${id} is not in the list` : undefined;
  // If the service changes codes, a different code proves nothing.
  if (code === null || listed.code === code || journal.get('codesAltered') === true)
    return undefined;
  return `${id} has the code ${listed.code ?? '(none)'}, and row ${row} has ${code}`;
}

function refused(
  why: string,
  { row, code }: Wanted,
  fitting: readonly string[],
  isComplete: boolean,
  resolve: string,
  { one, noun }: ImportTarget,
): ProcError {
  const command = `${resolve} ${row}`;
  const alike = code === null ? 'name' : `code ${code}`;
  const [first] = fitting;
  const shown = fitting.slice(0, NAMED).join(', ') + (fitting.length > NAMED ? ', …' : '');
  const hint =
    first !== undefined
      ? `New in the list with its ${alike}: ${shown}. If this is the record, run: ${command} --adopt ${inShell(first)}`
      : isComplete
        ? `No new ${one} has its ${alike}. If it was not created, run: ${command} --resend`
        : `Look for it in the list: proc ${noun} list --all`;
  return new ProcError('reference_not_found', `${why}; row ${row} was not changed`, {
    hint,
    details: { row, code, candidates: fitting },
  });
}
