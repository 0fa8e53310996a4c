import type { World } from '../machine/world.ts';
import { KEYS } from '../service/service.ts';
import type { Lived } from './life.ts';
import type { Scenario } from './scenario.ts';
import { codeOf, itemOf } from './simulate.ts';

const ORGANIZATIONS = ['sandbox', 'contoso'] as const;

/** Checks the output and exit code of a process that ended by itself against the ledger. */
export function concluded(
  { promises }: World,
  { rows, work, falseIds }: Scenario,
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
  const printed = JSON.parse(stdout) as Record<string, number>;
  // A later answer with the same id makes a created row unconfirmed.
  if (printed.created !== undefined && falseIds === 0) {
    promises.reported(String(printed.run), printed.created);
  }
  const counts = new Map<string, number>();
  const ours = promises.rows.filter(({ run }) => run === String(printed.run));
  for (const { state } of ours) counts.set(state, (counts.get(state) ?? 0) + 1);
  const of = (state: string) => counts.get(state) ?? 0;
  const expected: Record<string, number> = {
    rows,
    created: of('created'),
    existing: of('existing'),
    duplicates: of('duplicate'),
    dropped: of('dropped'),
    rejected: of('rejected'),
    unconfirmed: of('unconfirmed') + of('sending'),
    pending: of('pending'),
  };
  for (const [name, count] of Object.entries(expected)) {
    if (ours.length === 0 || printed[name] === count) continue;
    promises.break(
      'the summary counts what the ledger has',
      `${name}: ${printed[name]}, not ${count}`,
    );
  }
  // Imputations and requisitions have no list, so their unconfirmed rows are parked at once.
  const isLost = (row: (typeof ours)[number]) => row.isParked || work !== 'items';
  const parked = ours.filter((row) => row.state === 'unconfirmed' && isLost(row)).length;
  const isOpen = of('pending') + of('sending') + of('unconfirmed') - parked > 0;
  const isInterrupted = exitCode === 130;
  // The disk was full when proc wrote its reports.
  const isUndelivered = stderr.includes('"undelivered"');
  const fits = isInterrupted
    ? 130
    : parked > 0
      ? 9
      : isUndelivered
        ? 11
        : isOpen || printed.stopped !== undefined
          ? 10
          : of('rejected') > 0 || printed.createdNotListed !== undefined
            ? 8
            : 0;
  if (ours.length > 0 && exitCode !== fits) {
    promises.break('the exit code fits the rows', `${exitCode}, not ${fits}: ${stdout}${stderr}`);
  }
  const wanted =
    isInterrupted && ours.length === 0
      ? ''
      : exitCode === 9
        ? 'imports resolve'
        : exitCode === 10 || isInterrupted
          ? 'imports resume'
          : '';
  if (!stderr.includes(wanted)) {
    promises.break('the next command is named and works', `exit ${exitCode}: ${stderr}`);
  }
}

/** Checks each row of the file against the database of the service, at the end of a story. */
export function finished({ promises, service }: World, scenario: Scenario): void {
  for (const [at, name] of ORGANIZATIONS.entries()) {
    if (at === 1 && !scenario.isSecond) continue;
    for (let row = 0; row < scenario.rows; row++) {
      const code = codeOf(row, scenario);
      const ids = service.idsOf(code, KEYS[at]!.organizationId);
      const found = promises.lastOf(`${name} ${code}`);
      promises.checks++;
      const items =
        scenario.work === 'requisition'
          ? service.countOf(itemOf(row), KEYS[at]!.organizationId)
          : 0;
      if (items > 1)
        promises.break(
          'an item defined in place is created once',
          `${name} ${itemOf(row)}: ${items}`,
        );
      if (ids.length > 1) promises.break('each row is created once', `${name} ${code}: ${ids}`);
      if (found === undefined) {
        promises.break('no row of a run gets lost from the ledger', `${name} ${code}`);
        continue;
      }
      const isThere = found.state === 'created' || found.state === 'existing';
      if (isThere && !ids.includes(found.id ?? '')) {
        const what = `${name} ${code}: ${found.id} of ${ids}`;
        promises.break('a created row is there, under its id', what);
      }
      // proc rejects a row that it has sent five times without success.
      const isGivenUp = found.reason?.includes('"code":"never_created"') === true;
      if (found.state === 'rejected' && !scenario.refused.includes(row) && !isGivenUp) {
        const what = `${name} ${code}: ${found.reason}`;
        promises.break('only what the service refuses is rejected', what);
      }
      if (['rejected', 'pending', 'dropped'].includes(found.state) && ids.length > 0) {
        promises.break('a rejected row is not there', `${name} ${code} is ${found.state}`);
      }
    }
  }
}
