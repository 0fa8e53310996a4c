import { foldCode } from '../../../src/core/fold-code.ts';
import type { World } from '../machine/world.ts';
import { ofThing } from '../promises/outside.ts';
import { KEYS } from '../service/service.ts';
import { type Lived, live } from './life.ts';
import type { Scenario } from './scenario.ts';
import { codeOf, itemOf } from './simulate.ts';

type Env = Readonly<Record<string, string>>;

const ORGANIZATIONS = ['sandbox', 'contoso'] as const;
/** The outcomes of a summary. Each row has one. */
const OUTCOMES = [
  ...(['created', 'existing', 'sentBefore', 'repeated', 'rejected', 'unconfirmed'] as const),
  ...(['dropped', 'pending'] as const),
] as const;

type Summary = Readonly<Record<string, number>>;

/** Checks the output and exit code of a process that ended by itself. */
export function concluded(
  { promises, books, service }: World,
  { rows, falseIds }: Scenario,
  { exitCode, stdout, stderr }: Lived,
  argv: readonly string[],
): void {
  promises.checks++;
  const failures = stderr.split('\n').filter((line) => line.includes('"error"'));
  if ((exitCode === 0) !== (failures.length === 0)) {
    promises.break('the exit code fits the rows', `exit ${exitCode}: ${stderr}`);
  }
  if (exitCode === 1) promises.break('no bug', `${argv.join(' ')}: ${stderr}`);
  if (stdout === '') return;
  const printed = JSON.parse(stdout) as Summary;
  // A later answer with the same id makes a created row unconfirmed.
  if (printed.created !== undefined && falseIds === 0) {
    promises.inside.reported(String(printed.run), printed.created);
  }
  promises.inside.concluded(printed);
  // proc has read back what it created.
  if ((printed.verified as unknown) === true) {
    for (const { run, thing, state, id } of books.rows.values()) {
      if (run !== String(printed.run) || state !== 'created') continue;
      const ids = service.idsOf(...ofThing(thing));
      if (ids.includes(id ?? '')) continue;
      promises.break('a created row is there, under its id', `${thing} verified: ${id} of ${ids}`);
    }
  }
  const sum = OUTCOMES.reduce((all, name) => all + (printed[name] ?? 0), 0);
  if (printed.rows !== undefined && (sum !== printed.rows || sum !== rows)) {
    promises.break('the summary counts every row once', `${sum} of ${rows}: ${stdout}`);
  }
  const isInterrupted = exitCode === 130;
  // The disk was full when proc wrote its reports.
  const isUndelivered = stderr.includes('"undelivered"');
  const fits = fittingExits(printed, isUndelivered);
  if (printed.rows !== undefined && !isInterrupted && !fits.includes(exitCode ?? 0)) {
    promises.break('the exit code fits the rows', `${exitCode}, not ${fits}: ${stdout}${stderr}`);
  }
  const wanted =
    isInterrupted && printed.rows === undefined
      ? ''
      : exitCode === 9
        ? /imports (resolve|show|list --open)/
        : exitCode === 10 || isInterrupted
          ? /imports (resume|resolve)/
          : '';
  if (stderr.search(wanted) < 0) {
    promises.break('the next command is named and works', `exit ${exitCode}: ${stderr}`);
  }
}

function fittingExits(printed: Summary, isUndelivered: boolean): readonly number[] {
  const { unconfirmed = 0, pending = 0, rejected = 0, stopped } = printed;
  const isFalse = (printed.verified as unknown) === false;
  // An unconfirmed row that will still be looked up leaves the run incomplete.
  if (unconfirmed > 0 || isFalse) return isUndelivered ? [9, 11] : [9, 10];
  if (isUndelivered) return [11];
  if (pending > 0 || stopped !== undefined) return [10];
  return rejected > 0 ? [8] : [0];
}

/** A row as `imports rows` prints it. */
interface SaidRow {
  readonly row: number;
  readonly state: string;
  readonly code?: string | null;
  readonly reference?: string | null;
  readonly id: string | null;
  readonly reason: unknown;
  /** proc has not verified the run, or says that it could not. */
  readonly isDoubted?: boolean;
}

interface SaidRun {
  readonly run: string;
  readonly verified?: boolean | null;
  readonly organization?: string;
}

/** What proc says about every row of every run, the oldest first. */
async function said(
  world: World,
  { falseIds }: Scenario,
  env: Env,
): Promise<Map<string, SaidRow[]>> {
  const run = async (...argv: string[]): Promise<unknown[]> => {
    const { exitCode, stdout, stderr } = await live(world, [...argv, '-o', 'json'], env, undefined);
    if (exitCode === 0) return JSON.parse(stdout) as unknown[];
    world.promises.break('the next command is named and works', `${argv.join(' ')}: ${stderr}`);
    return [];
  };
  const rows = new Map<string, SaidRow[]>();
  const runs = (await run('imports', 'list')) as SaidRun[];
  // A row that was moved is told by the run that has it now. If that was pruned, by none.
  const isTold = ({ reason }: SaidRow) => {
    const to = /^moved to run (\S+)$/.exec(String(reason))?.[1];
    return to === undefined || runs.some((one) => one.run === to);
  };
  for (const one of runs.toReversed()) {
    const ids = new Map<string, string>();
    const shown = (await run('imports', 'show', one.run)) as unknown as SaidRun;
    // A false id of a record that others have created is found at the end.
    const isDoubted = falseIds > 0 && shown.verified !== true;
    const found = (await run('imports', 'rows', one.run)) as SaidRow[];
    for (const row of found.filter(isTold).map((told) => ({ ...told, isDoubted }))) {
      const code = row.code ?? row.reference ?? '';
      const name = one.organization === 'contoso' ? 'contoso' : 'sandbox';
      const thing = `${name} ${foldCode(code)}`;
      rows.set(thing, [...(rows.get(thing) ?? []), row]);
      if (row.state !== 'created' || row.id === null) continue;
      const other = ids.get(row.id);
      ids.set(row.id, code);
      if (other === undefined || isDoubted) continue;
      const what = `${one.run}: ${other} and ${code}: ${row.id}`;
      world.promises.break('no two created rows of a run share an id', what);
    }
  }
  return rows;
}

/** Checks each row of the file against the database of the service, and against what proc says about it. */
export async function finished(world: World, scenario: Scenario, env: Env): Promise<void> {
  const { promises, service } = world;
  const rows = await said(world, scenario, env);
  for (const [at, name] of ORGANIZATIONS.entries()) {
    if (at === 1 && !scenario.isSecond) continue;
    for (let row = 0; row < scenario.rows; row++) {
      const code = codeOf(row, scenario);
      const thing = `${name} ${code}`;
      const ids = service.idsOf(code, KEYS[at]!.organizationId);
      promises.checks++;
      if (ids.length > 1) promises.break('each row is created once', `${thing}: ${ids}`);
      const items =
        scenario.work === 'requisition'
          ? service.countOf(itemOf(row), KEYS[at]!.organizationId)
          : 0;
      if (items > 1) {
        const what = `${name} ${itemOf(row)}: ${items}`;
        promises.break('an item defined in place is created once', what);
      }
      mustFit(world, scenario, {
        row,
        thing,
        ids,
        found: toldOf(rows.get(`${name} ${foldCode(code)}`) ?? []),
      });
    }
  }
}

/** What the latest run says. If the row is pending there, it may be that of another run that was resumed later. */
function toldOf(rows: readonly SaidRow[]): SaidRow | undefined {
  const last = rows.at(-1);
  return last?.state === 'pending' ? (rows.find(({ state }) => state === 'created') ?? last) : last;
}

interface Outcome {
  readonly row: number;
  readonly thing: string;
  /** Of the records that the service has. */
  readonly ids: readonly string[];
  readonly found: SaidRow | undefined;
}

function mustFit(
  { promises }: World,
  { refused }: Scenario,
  { row, thing, ids, found }: Outcome,
): void {
  if (found === undefined) {
    if (ids.length === 0) promises.break('a row that is not in the service has an outcome', thing);
    return;
  }
  const { state, id, reason, isDoubted } = found;
  const isThere = state === 'created' || state === 'existing';
  if (isThere && !ids.includes(id ?? '') && isDoubted !== true) {
    promises.break('a created row is there, under its id', `${thing}: ${id} of ${ids}`);
  }
  // proc rejects a row that it has sent five times without success.
  const isGivenUp = JSON.stringify(reason).includes('never created');
  if (state === 'rejected' && !refused.includes(row) && !isGivenUp) {
    const what = `${thing}: ${JSON.stringify(reason)}`;
    promises.break('only what the service refuses is rejected', what);
  }
  // A person may have given up a row whose id was said of another one.
  const isGivenAway = state === 'dropped' && isDoubted === true;
  if (['rejected', 'pending', 'dropped'].includes(state) && ids.length > 0 && !isGivenAway) {
    promises.break('a rejected row is not there', `${thing} is ${state}`);
  }
}
