import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { between, randomFrom } from '../../support/random.ts';
import type { World } from '../machine/world.ts';
import { KEYS } from '../service/service.ts';
import { finished } from './conclusions.ts';
import { fileOf, prepareFiles } from './importing.ts';
import { type Lived, live, liveTogether, type Start } from './life.ts';
import { type Meeting, type MeetingVerb, type Scenario, TIMEOUT } from './scenario.ts';

/** Once the commands have met, everything must be over after this many further commands. */
const MOST_AFTER = 30;
/** A run is pruned whenever it started. */
const EVER = '2099-01-01';

type Env = Readonly<Record<string, string>>;

/**
 * Brings a run into a phase, starts several commands at once, and then does what proc says until
 * nothing is left to do.
 */
export async function meeting(world: World, scenario: Scenario): Promise<number> {
  const { disk, service, promises, machine } = world;
  const met = scenario.meeting!;
  await prepareFiles(world, scenario);
  const env = {
    PROC_CONFIG_DIR: disk.config,
    PROC_BASE_URL: 'http://127.0.0.1:4999/api/v1',
    PROC_API_KEY: KEYS[0]!.apiKey,
    PROC_ORGANIZATION: 'sandbox',
    HOME: disk.work,
  };
  promises.inside.mayRemove = met.verbs.includes('prune');
  let processes = await reach(world, scenario, env);
  if (met.losesLock) {
    const at = between(randomFrom(scenario.seed + 8), 1, 150);
    machine.after(at, () => loseLocks(disk.state));
  }
  const starts = await startsOf(world, scenario, env);
  const lived = await liveTogether(world, starts);
  processes += lived.length;
  for (const [at, one] of lived.entries()) judge(world, starts[at]!, one, met.losesLock);
  promises.inside.accountedFor();
  service.calmDown();
  // Requests of killed processes may still arrive.
  await machine.pass(scenario.settleMs);
  processes += await followHints(world, scenario, env);
  promises.inside.accountedFor();
  await finished(world, scenario, env);
  return processes;
}

/** Lets one command bring a run into the phase, and kills it there. */
async function reach(world: World, scenario: Scenario, env: Env): Promise<number> {
  const { from, turns } = scenario.meeting!;
  if (from === 'none') return 0;
  await untilIn(world, from, turns, argvOf('import', scenario, undefined, 0), env);
  return 1;
}

async function untilIn(
  world: World,
  phase: Meeting['from'],
  turns: number,
  argv: readonly string[],
  env: Env,
): Promise<void> {
  const { books } = world;
  let left = turns;
  const isThere = () => books.phases()[0]?.phase === phase;
  const isKilled = () => isThere() && left-- === 0;
  await liveTogether(world, [{ argv, env, isKilled }]);
}

async function startsOf(world: World, scenario: Scenario, env: Env): Promise<Start[]> {
  const { verbs, waits, delays, kill } = scenario.meeting!;
  const run = world.books.phases()[0]?.run;
  const starts: Start[] = [];
  for (const [at, verb] of verbs.entries()) {
    const waitMs = waits[at] === true ? 600_000 : 0;
    const argv =
      verb === 'resolve' && run !== undefined
        ? await resolving(world, scenario, run, waitMs)
        : argvOf(verb, scenario, run, waitMs);
    const crash = kill?.which === at ? kill.crash : undefined;
    starts.push({ argv, env, crash, delayMs: delays[at] ?? 0 });
  }
  return starts;
}

/** Nothing was imported before a story; only the ledger knows these nouns. */
export const FIRST_RUN = '--first-run';

export function argvOf(
  verb: MeetingVerb,
  scenario: Scenario,
  run: string | undefined,
  waitMs: number,
): readonly string[] {
  const { work, settleMs, concurrency } = scenario;
  const pace = [
    ...['--yes', '-o', 'json', `PROC_SETTLE=${settleMs}ms`, '--timeout', TIMEOUT],
    ...[`PROC_CONCURRENCY=${concurrency}`, 'PROC_PATIENCE=20s'],
    ...(waitMs === 0 ? [] : ['--wait-lock', `${waitMs}ms`]),
  ];
  const named = run === undefined ? [] : [run];
  const first = work === 'items' ? [] : [FIRST_RUN];
  switch (verb) {
    case 'import':
      return [work, 'import', fileOf(scenario), ...pace, ...first];
    case 'resume':
      return ['imports', 'resume', ...named, ...pace];
    case 'resolve':
      return ['imports', 'resolve', run ?? 'none', '1', '--adopt', 'no-such-id', '--yes'];
    case 'prune':
      return ['imports', 'prune', '--before', EVER, '--yes', '-o', 'json'];
    case 'report':
      return ['imports', 'show', run ?? 'none', '-o', 'json'];
  }
}

/** Resolves the first unconfirmed row by what the database of the service says. */
async function resolving(
  { promises, books, service, machine }: World,
  { settleMs }: Scenario,
  run: string,
  waitMs: number,
): Promise<readonly string[]> {
  const found = [...books.rows.values()].find(
    (row) => row.run === run && (row.state === 'unconfirmed' || row.state === 'sending'),
  );
  const wait = waitMs === 0 ? [] : ['--wait-lock', `${waitMs}ms`];
  const resolve = (row: number, outcome: readonly string[]) => [
    ...['imports', 'resolve', run, String(row), ...outcome, '--yes', '-o', 'json', ...wait],
  ];
  if (found === undefined) return resolve(1, ['--adopt', 'no-such-id']);
  await machine.pass(settleMs);
  const [id] = service.idsOf(found.thing.split(' ')[1]!);
  if (id !== undefined) return resolve(found.row, ['--adopt', id]);
  promises.outside.personSaysAbsent(found.thing);
  return resolve(found.row, ['--resend']);
}

/** The lock of a process that holds it keeps nobody out any more. */
function loseLocks(state: string): void {
  const imports = join(state, 'imports');
  if (!existsSync(imports)) return;
  for (const file of readdirSync(imports)) {
    if (file.endsWith('.lock') && !file.startsWith('inputs')) rmSync(join(imports, file));
  }
}

const MAY_EXIT = [0, 2, 3, 7, 8, 9, 10, 130];

export function judge(
  { promises }: World,
  { argv }: Start,
  { exitCode, stdout, stderr }: Lived,
  mayLoseLock = false,
): void {
  promises.checks++;
  const command = argv.join(' ');
  if (exitCode === undefined) return;
  if (exitCode === 1) promises.break('no bug', `${command}: ${stderr}`);
  if (!MAY_EXIT.includes(exitCode)) {
    promises.break('the exit code fits the rows', `${command}: exit ${exitCode}, ${stderr}`);
  }
  const isDamaged = /is damaged|cannot write the journal|was removed during the run/.test(stderr);
  if (isDamaged && !mayLoseLock)
    promises.break('commands that meet damage no run', `${command}: ${stderr}`);
  // It is `busy` too, but it has waited, got the lock, and lost it.
  const hasLostLock = /another command continues|has taken over the import/.test(stderr);
  if (!mayLoseLock && hasLostLock) {
    promises.break('who holds the lock is alone with the run', `${command}: ${stderr}`);
  }
  const waits = argv.includes('--wait-lock');
  if (waits && stderr.includes('"busy"') && !hasLostLock) {
    promises.break('a command waits as long as it was told to', `${command}: ${stderr}`);
  }
  if (stdout === '') return;
  const { run, created } = JSON.parse(stdout) as { run?: string; created?: number };
  if (run !== undefined && created !== undefined) promises.inside.reported(run, created);
}

interface Listed {
  readonly next?: readonly { readonly command: string }[];
}

/** Does what `imports list` and errors name as the next step, until they name none. */
export async function followHints(world: World, scenario: Scenario, env: Env): Promise<number> {
  const { promises } = world;
  const { work } = scenario;
  const pace = argvOf('import', scenario, undefined, 0)
    .slice(3)
    .filter((word) => word !== FIRST_RUN);
  let anew = argvOf('import', scenario, undefined, 0);
  let processes = 0;
  let isImported = false;
  while (processes < MOST_AFTER) {
    const listed = await live(world, ['imports', 'list', '-o', 'json'], env, undefined);
    processes++;
    if (listed.exitCode !== 0) promises.break('the next command is named and works', listed.stderr);
    const runs = JSON.parse(listed.stdout === '' ? '[]' : listed.stdout) as Listed[];
    // A run may wait for the outcome of a row of another run, which names its own command.
    const next = runs
      .flatMap((run) => run.next ?? [])
      .find(({ command }) => !command.includes('imports list'))?.command;
    if (next?.includes(' resolve ') === true) {
      await resolveByHand(world, scenario, next.split(' ')[3]!, env);
      continue;
    }
    if (next === undefined && isImported) return processes;
    const words = next === undefined ? anew : [...next.split(' ').slice(1, 4), ...pace];
    const lived = await live(world, words, env, undefined);
    processes++;
    judge(world, { argv: words, env }, lived);
    if (words[0] !== work) continue;
    if (lived.stderr.includes('not the first import')) {
      anew = anew.filter((word) => word !== FIRST_RUN);
      continue;
    }
    if (lived.stderr.includes('"no_ledger"')) anew = [...anew, FIRST_RUN];
    isImported = [0, 8, 9, 10].includes(lived.exitCode ?? 0);
  }
  promises.break('a run comes to its end', `not after ${processes} commands`);
  return processes;
}

async function resolveByHand(
  world: World,
  scenario: Scenario,
  run: string,
  env: Env,
): Promise<void> {
  const { promises, books } = world;
  const isOpen = (state: string) => state === 'unconfirmed' || state === 'sending';
  const open = () =>
    [...books.rows.values()].filter((row) => row.run === run && isOpen(row.state)).length;
  for (let left = open(); left > 0; left--) {
    const argv = await resolving(world, scenario, run, 0);
    let lived = await live(world, argv, env, undefined);
    judge(world, { argv, env }, lived);
    // The list proves nothing, or another row has the id, because a false id was believed.
    if (scenario.falseIds > 0 && /--drop|is the record of row/.test(lived.stderr)) {
      const dropping = [...argv.slice(0, 4), '--drop', '--yes', '-o', 'json'];
      lived = await live(world, dropping, env, undefined);
    }
    if (![0, 9, 10].includes(lived.exitCode ?? 0)) {
      promises.break('the next command is named and works', `${argv.join(' ')}: ${lived.stderr}`);
      return;
    }
  }
}
