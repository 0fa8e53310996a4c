import { ProcError } from '../../../core/errors.ts';
import type { Ports } from '../../../core/ports.ts';
import { inShell } from '../../../core/text/typed.ts';
import type { Journal } from '../../ledger/journal.ts';
import { holdersOf, isOlder } from '../../ledger/sent/holders.ts';
import { resolveCommand } from '../../report/next-command.ts';
import { checkDestination } from '../../resume/run-destination.ts';
import type { ImportTarget } from '../../targets/import-target.ts';
import { lookUp, type Seen, type Wanted } from './look-up.ts';

/** Rows that fit which a message names. */
const NAMED = 5;

/**
 * An id that a person names for an unconfirmed row must be one that the row can have: it is in the live
 * list, it was not there before the run, and nothing else that was created from here has it.
 *
 * @throws ProcError `reference_not_found`, `invalid_usage`: why not, and what fits instead
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
    if (holder !== undefined) throw new ProcError('invalid_usage', `${id} is ${holder} already`);
    ports.io.say({
      kind: 'notice',
      text: `${target.many} cannot be listed: that ${id} is there was not checked`,
    });
    return;
  }
  await checkDestination(journal, ports, 'resolve');
  const seen = await lookUp([row], target, journal, ports, id);
  const why = holder !== undefined ? `${id} is ${holder} already` : whyNot(id, row, seen, journal);
  if (why !== undefined) {
    const candidates = seen.alike(row).filter((one) => one !== id && !isOlder(one, journal));
    const holders = await holdersOf(candidates, journal, target, ports);
    const fitting = candidates.filter((one) => !holders.has(one));
    throw refused(why, row, fitting, seen.isComplete, resolveCommand(journal, ports), target);
  }
  const unproved = [
    ...(seen.listed === undefined
      ? [`the list could not be read to a proved end: that ${id} is there was not seen`]
      : []),
    ...(journal.get('baseline') === 'unproved'
      ? [`the list was not known before this run: that ${id} is new cannot be proved`]
      : []),
  ];
  for (const text of unproved) ports.io.say({ kind: 'warning', text });
}

/** Undefined if nothing speaks against it. */
function whyNot(
  id: string,
  { row, code }: Wanted,
  { listed, isComplete }: Seen,
  journal: Journal,
): string | undefined {
  if (isOlder(id, journal)) return `${id} was there before this run began`;
  if (listed === undefined) return isComplete ? `there is no ${id} in the list` : undefined;
  // A service that changes codes gives each row another one than it was sent.
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
      ? `New in the list with its ${alike}: ${shown}. If that is it: ${command} --adopt ${inShell(first)}`
      : isComplete
        ? `No new ${one} has its ${alike}. If it was not created: ${command} --resend`
        : `Look for it in the service: proc ${noun} list --all`;
  return new ProcError('reference_not_found', `${why}; row ${row} was not changed`, {
    hint,
    details: { row, code, candidates: fitting },
  });
}
