import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { World } from '../machine/world.ts';
import { approverLine, sign } from '../service/ssh-keygen.ts';
import { live } from './life.ts';
import type { Scenario } from './scenario.ts';

/** The importer is alice, and bob approves. */
const PEOPLE = ['alice', 'bob'] as const;

type Env = Readonly<Record<string, string>>;

/** Writes keys for both persons, and a configuration whose environment demands an approval. */
export function demandApproval({ disk }: World, { PROC_CONFIG_DIR, PROC_BASE_URL }: Env): void {
  for (const person of PEOPLE) writeFileSync(join(disk.work, `${person}-key`), person);
  const approvers = join(disk.work, 'approvers');
  writeFileSync(approvers, PEOPLE.map(approverLine).join(''));
  const here = { baseUrl: PROC_BASE_URL, approvals: 1, approvers, signer: 'alice' };
  mkdirSync(PROC_CONFIG_DIR!, { recursive: true, mode: 0o700 });
  const config = { profiles: { acme: { environments: { here } } } };
  writeFileSync(join(PROC_CONFIG_DIR!, 'config.json'), JSON.stringify(config), { mode: 0o600 });
}

/** Runs a command that must not send, because the approval is missing. Returns whether proc refused to send. */
export async function isRefused(
  world: World,
  argv: readonly string[],
  env: Env,
  stdin = '',
): Promise<boolean> {
  const { exitCode, stderr } = await live(world, argv, env, undefined, stdin);
  world.promises.checks++;
  if (exitCode === 3 && stderr.includes('"approval_required"')) return true;
  world.promises.break('no write leaves without an approval that covers it', stderr);
  return false;
}

/**
 * Tries to send with an approval that does not count, then approves properly. Returns whether the run may be
 * sent.
 */
export async function approveStaged(
  world: World,
  { approval }: Scenario,
  run: string,
  env: Env,
  send: readonly string[],
): Promise<boolean> {
  const { promises, machine } = world;
  if (!(await isRefused(world, send, env))) return false;
  if (approval === 'expired') {
    await approve(world, run, 'bob', env, '--valid-for', '1s');
    await machine.pass(5_000);
  } else if (approval === 'own') {
    await approve(world, run, 'alice', env);
  } else if (approval === 'replayed') {
    await forge(world, run, env, (text) => text.replaceAll(run, '20260101-000000-0000'));
  } else {
    await forge(world, run, env, (text) =>
      text.replace(/^organization: .*$/m, 'organization: o-9'),
    );
  }
  if (!(await isRefused(world, send, env))) return false;
  await approve(world, run, 'bob', env);
  promises.isUncovered = false;
  return true;
}

async function approve(
  world: World,
  run: string,
  person: (typeof PEOPLE)[number],
  env: Env,
  ...more: string[]
): Promise<string> {
  const key = ['--key', `${person}-key`, '--yes', '-o', 'json'];
  const argv = ['imports', 'approve', run, ...key, ...more];
  const { exitCode, stdout, stderr } = await live(world, argv, env, undefined);
  if (exitCode !== 0) world.promises.break('the next command is named and works', stderr);
  return stdout;
}

/** Stores an approval of the run in which bob has signed a changed statement. */
async function forge(
  world: World,
  run: string,
  env: Env,
  change: (statement: string) => string,
): Promise<void> {
  const { disk } = world;
  const shown = JSON.parse(await approve(world, run, 'bob', env, '--dry-run'));
  const statement = change(shown.statement as string);
  const signature = await sign(statement, join(disk.work, 'bob-key'), env);
  const database = new DatabaseSync(join(disk.state, 'imports', `${run}.db`));
  database
    .prepare("INSERT OR REPLACE INTO run (key, value) VALUES ('approvals', ?)")
    .run(JSON.stringify([{ statement, signature }]));
  database.close();
}
