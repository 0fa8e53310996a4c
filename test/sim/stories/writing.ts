import { INTENT_MS } from '../../../src/core/service.ts';
import { pick, randomFrom } from '../../support/random.ts';
import type { World } from '../machine/world.ts';
import { KEYS } from '../service/service.ts';
import { type Lived, live } from './life.ts';
import { type Scenario, TIMEOUT } from './scenario.ts';
import { codeOf } from './simulate.ts';

/** Sends single writes, and repeats each until proc or a person knows its outcome. */
export async function writing(world: World, scenario: Scenario): Promise<number> {
  const { service, promises } = world;
  const env = {
    PROC_CONFIG_DIR: world.disk.config,
    PROC_BASE_URL: 'http://127.0.0.1:4999/api/v1',
    PROC_API_KEY: KEYS[0]!.apiKey,
    PROC_ORGANIZATION: 'sandbox',
    HOME: world.disk.work,
  };
  const random = randomFrom(scenario.seed + 6);
  const settle = `PROC_SETTLE=${scenario.settleMs}ms`;
  const common = ['--yes', '-o', 'json', settle, '--timeout', TIMEOUT];
  let processes = 0;
  const run = async (argv: readonly string[], isCut: boolean): Promise<Lived> => {
    const crash = isCut ? scenario.crashes[processes] : undefined;
    processes++;
    return live(world, [...argv, ...common], env, crash);
  };
  for (let row = 0; row < scenario.rows; row++) {
    const code = codeOf(row, scenario);
    const create = ['items', 'create', '--name', `Row ${row}`, '--code', code];
    for (let tries = 0; ; tries++) {
      if (tries > 6) service.calmDown();
      if (tries > 12) {
        promises.break('a run comes to its end', `create ${code}`);
        break;
      }
      const before = service.countOf(code);
      const lived = await run(create, tries < 3);
      judge(world, code, lived, before);
      if (lived.exitCode === 0) break;
      // After a crash, half of the commands are repeated without a look at the history.
      if (lived.exitCode === undefined && random() < 0.5) continue;
      const isOpen = await openEntry(run);
      if (isOpen === undefined) {
        // An earlier process created the record and was then cut off.
        if (lived.exitCode === 2 && service.countOf(code) === 1) break;
        continue;
      }
      // By now the service has applied every request that it will ever apply.
      await world.machine.pass(scenario.settleMs + INTENT_MS);
      const [id] = service.idsOf(code);
      if (id === undefined) promises.outside.personSaysAbsent(`sandbox ${code}`);
      const outcome = id === undefined ? ['--drop'] : ['--adopt', id];
      const resolved = await run(['history', 'resolve', isOpen, ...outcome], false);
      if (resolved.exitCode !== 0) {
        promises.break('the next command is named and works', resolved.stderr);
      }
    }
    promises.checks++;
    const count = service.countOf(code);
    if (count !== 1) promises.break('each row is created once', `${code}: ${count}`);
  }
  const sector = pick(random, ['sec-1', 'sec-2']);
  const patched = await run(['sectors', 'patch', sector, '--name', 'Renamed'], true);
  judge(world, `PATCH /api/v1/sectors/${sector}`, patched);
  const deleted = await run(['sectors', 'delete', sector], true);
  judge(world, `DELETE /api/v1/sectors/${sector}`, deleted);
  return processes;
}

async function openEntry(
  run: (argv: readonly string[], isCut: boolean) => Promise<Lived>,
): Promise<string | undefined> {
  const { stdout } = await run(['history', 'list', '--open'], false);
  const [entry] = JSON.parse(stdout === '' ? '[]' : stdout) as { id: string }[];
  return entry?.id;
}

/**
 * Checks the exit code of a write against the database of the service.
 * @param before how many records earlier processes had created
 */
function judge(
  { promises, service }: World,
  thing: string,
  { exitCode, stderr }: Lived,
  before = 0,
): void {
  promises.checks++;
  if (exitCode === 1) promises.break('no bug', stderr);
  const isCreate = !thing.includes('/');
  const count = isCreate ? service.countOf(thing) : 0;
  if (isCreate && exitCode === 0 && count !== 1) {
    promises.break('a created row is there, under its id', `${thing}: ${count}`);
  }
  if (isCreate && [4, 5, 6, 7].includes(exitCode ?? 0) && count > before) {
    promises.break('the exit code fits the rows', `${thing} is there, exit ${exitCode}: ${stderr}`);
  }
  if (exitCode === 9 && !stderr.includes('history resolve')) {
    promises.break('the next command is named and works', stderr);
  }
}
