import { INTENT_MS } from '../../../src/core/service.ts';
import type { World } from '../machine/world.ts';
import { KEYS } from '../service/service.ts';
import { concluded } from './conclusions.ts';
import { type Lived, live } from './life.ts';
import type { Scenario } from './scenario.ts';
import { codeOf } from './simulate.ts';

const MOST_AGAIN = 3;

/** Resolves every unconfirmed row by what the database of the service says, and resumes the run. */
export async function resolveAll(
  world: World,
  scenario: Scenario,
  { stderr }: Lived,
  env: Readonly<Record<string, string>>,
  pace: readonly string[],
): Promise<void> {
  const { promises, service, books } = world;
  // By now the service has applied every request that it will ever apply.
  await world.machine.pass(scenario.settleMs);
  const named = /imports resolve (\S+?)["\s]/.exec(stderr)?.[1];
  const ours = organizationOf(env) === KEYS[0]!.organizationId ? 'sandbox ' : 'contoso ';
  // What a killed process was sending is unconfirmed for everybody else.
  const isOpen = (state = '') => state === 'unconfirmed' || state === 'sending';
  const parked = [...books.rows.values()].filter(
    ({ state, thing, run }) =>
      isOpen(state) && thing.startsWith(ours) && (named === undefined || run === named),
  );
  for (const { run, thing, row } of parked) {
    // A decision about another row may have settled it.
    if (!isOpen(books.rows.get(`${run} ${row}`)?.state)) continue;
    const [id] = service.idsOf(thing.split(' ')[1]!, organizationOf(env));
    const outcome = id === undefined ? ['--resend'] : ['--adopt', id];
    if (id === undefined) promises.outside.personSaysAbsent(thing);
    const argv = ['imports', 'resolve', run, String(row), ...outcome, '--yes', '-o', 'json'];
    let lived = await live(world, argv, env, undefined);
    // The network may still fail while the list is read. A person tries again.
    for (let again = 0; lived.exitCode === 7 && again < MOST_AGAIN; again++) {
      lived = await live(world, argv, env, undefined);
    }
    // It may still be looked up; the hint is to resume first. Or the service has said its id of another row.
    if (lived.stderr.includes('not been looked up yet')) continue;
    if (scenario.falseIds > 0 && lived.stderr.includes('is the record of row')) continue;
    if (lived.exitCode !== 0 && lived.exitCode !== 9 && lived.exitCode !== 10) {
      promises.break('the next command is named and works', `resolve ${thing}: ${lived.stderr}`);
    }
  }
  for (const run of new Set(parked.map((one) => one.run))) {
    const argv = ['imports', 'resume', run, ...pace];
    concluded(world, scenario, await live(world, argv, env, undefined), argv);
  }
}

/** Records the outcome of the single command by what the database of the service says. False: it is known. */
export async function resolveSingle(
  world: World,
  { single, settleMs }: Scenario,
  env: Readonly<Record<string, string>>,
): Promise<boolean> {
  if (single === undefined) return false;
  const { promises, service } = world;
  const settle = `PROC_SETTLE=${settleMs}ms`;
  const run = (...argv: string[]) => live(world, [...argv, settle, '-o', 'json'], env, undefined);
  const { stdout } = await run('history', 'list', '--open');
  const [entry] = JSON.parse(stdout) as { id: string }[];
  if (entry === undefined) return false;
  const code = codeOf(single.row, {});
  const [id] = service.idsOf(code, organizationOf(env));
  if (id === undefined) promises.outside.personSaysAbsent(`sandbox ${code}`);
  const outcome = id === undefined ? ['--drop'] : ['--adopt', id];
  await world.machine.pass(settleMs + INTENT_MS);
  const { exitCode, stderr } = await run('history', 'resolve', entry.id, ...outcome, '--yes');
  if (exitCode !== 0) promises.break('the next command is named and works', stderr);
  return true;
}

function organizationOf({ PROC_API_KEY: key }: Readonly<Record<string, string>>): string {
  return key === 'proc-sandbox-key' ? 'org-1' : 'zz-org-2';
}
