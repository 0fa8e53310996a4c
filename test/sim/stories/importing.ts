import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { between, randomFrom } from '../../support/random.ts';
import type { Crash } from '../machine/disk.ts';
import type { World } from '../machine/world.ts';
import { HONEST } from '../service/lists.ts';
import { KEYS } from '../service/service.ts';
import { concluded, finished } from './conclusions.ts';
import { type Lived, live, liveTogether, type Start } from './life.ts';
import { resolveAll, resolveSingle } from './resolving.ts';
import { type Scenario, TIMEOUT } from './scenario.ts';
import { codeOf, itemOf } from './simulate.ts';

const LONG_MS = 20_000;
/** Once there are no more faults, a run must end within this many processes. */
const MOST_CALM = 6;

/** Imports a file, and resumes or repeats the import after each crash until it is complete. */
export async function importing(world: World, scenario: Scenario): Promise<number> {
  await prepareFiles(world, scenario);
  let processes = 0;
  if (scenario.isSecond) {
    processes += await one(world, scenario, 1, scenario.crashes.slice(0, 1));
  }
  processes += await one(world, scenario, 0, scenario.crashes);
  await finished(world, scenario, envOf(world, 0, scenario.isSecond));
  return processes;
}

/** Writes the file to import, and what the service has before. */
export async function prepareFiles(
  { disk, service, machine, promises }: World,
  scenario: Scenario,
): Promise<void> {
  const { rows, existing, catalogue, others, othersTakeOurs, work, seed, wallJumpMs } = scenario;
  const [key, second] = KEYS.map(({ apiKey }) => apiKey) as [string, string];
  writeFileSync(join(disk.work, fileOf(scenario)), textOf(scenario));
  if (work === 'requisition') {
    // Every third row has a line that refers to an existing item.
    for (let row = 0; row < rows; row += 3) {
      service.createElsewhere(key, { name: `Part ${row}`, code: itemOf(row) });
    }
  }
  const codes = existing.map((row) => codeOf(row, scenario));
  for (const code of codes) service.createElsewhere(key, { name: 'Before', code });
  promises.outside.existed(codes);
  for (let n = 0; n < catalogue; n++) {
    const code = `${'ALLZ'[n % 4]}-${String(n).padStart(3, '0')}x`;
    service.createElsewhere(key, { name: 'Others', code });
  }
  // Makes these records older than any `--settle`.
  await machine.pass(LONG_MS);
  const random = randomFrom(seed + 5);
  if (wallJumpMs !== 0) {
    machine.after(between(random, 20, 2_500), () => machine.setWallClock(wallJumpMs));
  }
  for (let n = 0; n < others; n++) {
    const code = othersTakeOurs ? codeOf(n % rows, scenario) : `M-${String(n).padStart(3, '0')}o`;
    const to = random() < 0.8 ? key : second;
    machine.after(between(random, 5, 3_000), () =>
      service.createElsewhere(to, { name: 'Others', code }),
    );
  }
}

export function fileOf({ work }: Scenario): string {
  return work === 'requisition' ? 'rows.ndjson' : 'rows.csv';
}

/**
 * The file of a night: the same as before, or with another order of its rows and, of items, other names. Of nouns
 * without a list, a row with another value would be another record.
 */
function textOf(scenario: Scenario, night = 0): string {
  const { rows, work } = scenario;
  const name = (row: number) =>
    night > 0 && row % 3 === 1 ? `Row ${row} of ${night}` : `Row ${row}`;
  const lines = Array.from({ length: rows }, (_, row) => {
    const code = codeOf(row, scenario);
    if (work === 'items') return `${code},${name(row)}`;
    if (work !== 'requisition') return `${code},a,Row ${row},1,c-1`;
    const item = { name: `Part ${row}`, code: itemOf(row) };
    const groups = [{ deliveryMethod: 'pickup', items: [{ quantity: 1, item }] }];
    return JSON.stringify({ title: `Row ${row}`, code, groups });
  });
  const header =
    work === 'requisition'
      ? []
      : [work === 'items' ? 'code,name' : 'reference,account,notes,amount,contractId'];
  return [...header, ...(night % 2 === 0 ? lines : lines.toReversed()), ''].join('\n');
}

function paceOf({ settleMs, concurrency }: Scenario): readonly string[] {
  return [
    ...['--yes', '-o', 'json', `PROC_SETTLE=${settleMs}ms`, '--timeout', TIMEOUT],
    ...[`PROC_CONCURRENCY=${concurrency}`, 'PROC_PATIENCE=20s'],
  ];
}

/** The first import of a file. */
export function argvOf(scenario: Scenario, file = fileOf(scenario)): readonly string[] {
  const { work } = scenario;
  const first = work === 'items' ? [] : ['--first-run'];
  return [work, 'import', file, ...paceOf(scenario), ...first];
}

async function one(
  world: World,
  scenario: Scenario,
  organization: 0 | 1,
  crashes: readonly Crash[],
): Promise<number> {
  const { service, promises } = world;
  const env = envOf(world, organization, scenario.isSecond);
  const random = randomFrom(scenario.seed + 6 + organization);
  const pace = paceOf(scenario);
  const file = scenario.isPiped ? '-' : fileOf(scenario);
  let anew = argvOf(scenario, file);
  let night = 0;
  let resume = ['imports', 'resume', ...pace];
  let next = anew;
  let calm = 0;
  for (let process = 1; ; process++) {
    const crash = crashes[process - 1];
    if (crash === undefined && process > crashes.length + 1) {
      if (calm++ === 0) service.calmDown();
      if (calm > MOST_CALM) {
        promises.break('a run comes to its end', `not after ${process} processes`);
        return process;
      }
    }
    const start = { argv: next, env, crash, stdin: next === anew ? textOf(scenario, night) : '' };
    const beside = process === 1 ? singleOf(scenario, env) : [];
    const [lived] = (await liveTogether(world, [start, ...beside])) as [Lived, ...Lived[]];
    if (lived.exitCode === undefined) {
      if (scenario.isSecond) await resumeAsOther(world, organization, pace);
      if (scenario.othersTakePending === true) await takePending(world, scenario);
      if (random() < 0.2) await decideBlindly(world, scenario, env);
      next = random() < 0.4 ? resume : anew;
      if (scenario.changesFile === true)
        writeFileSync(join(world.disk.work, file), textOf(scenario, ++night));
      continue;
    }
    concluded(world, scenario, lived, next);
    if (lived.stderr.includes('not the first import')) {
      anew = anew.filter((word) => word !== '--first-run');
      next = anew;
      continue;
    }
    if (lived.stderr.includes('"no_ledger"')) {
      promises.break('the next command is named and works', lived.stderr);
      return process;
    }
    const named = nextOf(lived);
    if (named === 'resume') {
      resume = [...resume, ...ambiguousIn(lived)];
      next = resume;
    } else if (named === 'anew') next = anew;
    else if (named === 'resolve' && calm > 0) {
      await resolveAll(world, scenario, lived, env, pace);
      if (!(await resolveSingle(world, scenario, env))) return process;
      // What the single command did not create is sent by the next import.
      next = anew;
    } else if (named === 'resolve') next = resume;
    else return process;
  }
}

function singleOf({ work, single }: Scenario, env: Start['env']): Start[] {
  if (single === undefined) return [];
  const { row, ...rest } = single;
  const code = codeOf(row, {});
  const body =
    work === 'items'
      ? ['--name', `Row ${row}`, '--code', code]
      : [
          ...['--reference', code, '--account', 'a', '--notes', `Row ${row}`],
          ...['--amount', '1', '--contract', 'c-1'],
        ];
  const argv = [work, 'create', ...body, '--yes', '-o', 'json', '--timeout', TIMEOUT];
  return [{ argv, env, ...rest }];
}

export function envOf({ disk }: World, organization: number, isNamed: boolean) {
  return {
    PROC_CONFIG_DIR: disk.config,
    PROC_BASE_URL: 'http://127.0.0.1:4999/api/v1',
    PROC_API_KEY: KEYS[organization]!.apiKey,
    HOME: disk.work,
    ...(isNamed || organization === 0
      ? { PROC_ORGANIZATION: ['sandbox', 'contoso'][organization]! }
      : {}),
  };
}

/** The other organization resumes a run that is not its own. proc must send nothing. */
async function resumeAsOther(
  world: World,
  organization: 0 | 1,
  pace: readonly string[],
): Promise<void> {
  const run = world.books.phases()[0]?.run;
  if (run === undefined) return;
  const env = envOf(world, 1 - organization, true);
  const { exitCode, stderr, writes } = await live(
    world,
    ['imports', 'resume', run, ...pace],
    env,
    undefined,
  );
  if (exitCode === 1) world.promises.break('no bug', stderr);
  if (writes > 0) {
    world.promises.break('an organization has only what was sent for it', `${run}: ${writes}`);
  }
}

/** If several runs are unfinished, the run that the hint names. */
function ambiguousIn({ stderr }: Lived): readonly string[] {
  if (!stderr.includes('"ambiguous_reference"')) return [];
  return /"hint":"Name one: [^"]* (\d{8}-\d{6}-[0-9a-f]{6})/.exec(stderr)?.slice(1, 2) ?? [];
}

/**
 * A person wants to send unconfirmed rows again, or to adopt a record, without a look at the service. If it has a list,
 * proc looks itself, and refuses what is not so.
 */
async function decideBlindly(world: World, story: Scenario, env: Start['env']): Promise<void> {
  if (story.work !== 'items' || story.lists !== HONEST) return;
  const { books, machine, promises } = world;
  const rows = [...books.rows.values()];
  const isOpen = (state: string) => state === 'unconfirmed' || state === 'sending';
  const open = rows.filter(({ state, intent }) => isOpen(state) && intent !== null);
  for (const { run, row } of open) {
    const other = rows.find(({ state }) => state === 'created')?.id;
    const outcome = other == null || machine.random() < 0.5 ? ['--resend'] : ['--adopt', other];
    const argv = ['imports', 'resolve', run, String(row), ...outcome, '--yes', '-o', 'json'];
    const { exitCode, stderr } = await live(world, argv, env, undefined);
    if (exitCode === 1) promises.break('no bug', stderr);
  }
}

/** While a run is stopped, others create records under the codes of some of its pending rows. */
async function takePending(
  { service, machine, promises, books }: World,
  story: Scenario,
): Promise<void> {
  const { isSecond, rows, existing, refused } = story;
  if (isSecond) return;
  const { apiKey, organizationId } = KEYS[0]!;
  const codes = Array.from({ length: rows }, (_, row) => row)
    .filter((row) => row % 5 === 3 && !existing.includes(row) && !refused.includes(row))
    .map((row) => codeOf(row, story))
    .filter((code) => books.lastOf(`sandbox ${code}`)?.state === 'pending')
    .filter((code) => service.idsOf(code, organizationId).length === 0);
  for (const code of codes) service.createElsewhere(apiKey, { name: 'Taken', code });
  promises.outside.exist(codes);
  await machine.pass(LONG_MS);
}

/** The next command, by the output of the last one. */
function nextOf({ exitCode, stderr }: Lived): 'resume' | 'anew' | 'resolve' | undefined {
  if (exitCode === 9) return 'resolve';
  if (exitCode === 0 || exitCode === 8) return undefined;
  if (/imports resume/.test(stderr)) return 'resume';
  return 'anew';
}
