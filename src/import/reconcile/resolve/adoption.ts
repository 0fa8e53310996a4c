import { ProcError } from '../../../core/errors.ts';
import type { Ports } from '../../../core/ports.ts';
import { storedCode } from '../../../core/service/code-change.ts';
import { inShell } from '../../../core/text/typed.ts';
import type { Journal } from '../../ledger/journal.ts';
import { holdersOf, isOlder } from '../../ledger/sent/holders.ts';
import { resolveCommand } from '../../report/next-command.ts';
import { checkDestination } from '../../resume/run-destination.ts';
import type { ImportTarget } from '../../targets/import-target.ts';
import { lookUp, type Seen, type Wanted } from './look-up.ts';

/** Maximum number of ids in a message. */
const NAMED = 5;

export interface Adoption {
  readonly row: Wanted;
  readonly id: string;
}

export interface WrongAdoption extends Adoption {
  readonly why: string;
  readonly fitting: readonly string[];
}

/**
 * Refuses an id that another row or a command of this machine created. With a list, also refuses an
 * id that existed before the run or that the complete list does not have. If the service does not
 * change codes, the record must also have the code of the row.
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
  let seen: Seen | undefined;
  if (target.listing !== undefined) {
    await checkDestination(journal, ports, 'resolve');
    seen = await lookUp([row], target, journal, ports, ports.self.clock.now(), [id]);
  }
  const [wrong] = await findWrongAdoptions(journal, target, [{ row, id }], seen, ports);
  if (wrong === undefined) return;
  if (seen === undefined) throw new ProcError('invalid_usage', wrong.why);
  throw refused(wrong, seen.isComplete, resolveCommand(journal.header, ports), target);
}

/**
 * Finds the adoptions that cannot be right. If all may be right, prints which ids could not be
 * verified.
 *
 * @param seen what the list shows of these rows and ids; undefined if the service has no list
 */
export async function findWrongAdoptions(
  journal: Journal,
  target: ImportTarget,
  adoptions: readonly Adoption[],
  seen: Seen | undefined,
  ports: Ports<'io' | 'store' | 'self'>,
): Promise<WrongAdoption[]> {
  const ids = adoptions.map(({ id }) => id);
  const holders = await holdersOf(ids, journal, target, ports);
  const wrong: WrongAdoption[] = [];
  for (const { row, id } of adoptions) {
    const holder = holders.get(id);
    const created = holder === undefined ? undefined : `${id} was created by ${holder}`;
    const why = created ?? (seen === undefined ? undefined : whyNot(id, row, seen, journal));
    if (why === undefined) continue;
    const alike = seen?.alike(row) ?? [];
    const fitting = alike.filter((one) => one !== id && !isOlder(one, journal));
    wrong.push({ row, id, why, fitting });
  }
  if (wrong.length === 0) {
    if (ids.length > 0) sayUnverified(ids, seen, journal, target, ports);
    return [];
  }
  const candidates = wrong.flatMap(({ fitting }) => fitting);
  const others = await holdersOf(candidates, journal, target, ports);
  return wrong.map((one) => ({ ...one, fitting: one.fitting.filter((id) => !others.has(id)) }));
}

function sayUnverified(
  ids: readonly string[],
  seen: Seen | undefined,
  journal: Journal,
  { many }: ImportTarget,
  { io: { say } }: Ports<'io'>,
): void {
  const nameOf = (some: readonly string[]) => (some.length === 1 ? some[0]! : `${some.length} ids`);
  const notVerified = (some: readonly string[]) =>
    `${nameOf(some)} ${some.length === 1 ? 'was' : 'were'} not verified`;
  if (seen === undefined) {
    say({ kind: 'notice', text: `${notVerified(ids)}: the service cannot list ${many}` });
    return;
  }
  const missing = ids.filter((id) => seen.listed(id) === undefined);
  if (missing.length > 0) {
    say({ kind: 'warning', text: `${notVerified(missing)}: the list may be incomplete` });
  }
  if (journal.get('baseline') === 'unproved') {
    const are = `${nameOf(ids)} ${ids.length === 1 ? 'is' : 'are'} new`;
    const text = `cannot verify that ${are}: before this run, proc could not read the complete list`;
    say({ kind: 'warning', text });
  }
}

function whyNot(
  id: string,
  { row, code }: Wanted,
  { listed: find, isComplete }: Seen,
  journal: Journal,
): string | undefined {
  const listed = find(id);
  if (isOlder(id, journal)) return `${id} existed before this run started`;
  if (listed === undefined) return isComplete ? `${id} is not in the list` : undefined;
  // If the service changes codes, a different code proves nothing.
  const isSame = code === null || listed.code === storedCode(journal.get('codesChanged'), code);
  if (isSame || journal.get('codesAltered') === true) return undefined;
  return `${id} has the code ${listed.code ?? '(none)'}, but row ${row} has ${code}`;
}

function refused(
  { why, row: { row, code }, fitting }: WrongAdoption,
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
      ? `The list has a new ${one} with the ${alike} of this row: ${shown}. If the row created it, run: ${command} --adopt ${inShell(first)}`
      : isComplete
        ? `No new ${one} has the ${alike} of this row. If the row was not created, run: ${command} --resend`
        : `Look for it in the list: proc ${noun} list --all`;
  return new ProcError('reference_not_found', `${why}; row ${row} was not changed`, {
    hint,
    details: { row, code, candidates: fitting },
  });
}
