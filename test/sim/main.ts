import { randomInt } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { realSeconds } from './machine/machine.ts';
import { prepare } from './stories/prepared.ts';
import { everyMeeting, MEETINGS, scenarioOf } from './stories/scenario.ts';
import { teamOf } from './stories/team.ts';

/**
 * `npm run sim -- OPTION`; exits 1 if a story breaks a promise.
 * - `--minutes 10`: plays new stories for 10 minutes, from a random seed that it prints
 * - `--seed 7`: plays one story and prints its trace; `--seeds 1-40`: plays a range
 * - `--meetings`: all pairs of commands that meet in each phase; with `--minutes`, `--seed` or `--seeds` some of them
 * - `--team`: machines that share a ledger
 * - `--mutants`: breaks the world around proc in every way of `exam/mutants.ts`; each must be noticed
 * - `--mutant NAME`: breaks it in one way; with `--promise NAME` until a story breaks this promise
 * - `--plain`: does not shorten and keep what breaks a promise
 * - `--fixed`: plays the stories of limits.ts and of regressions/, and prints what broke as JSON
 */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string' },
    seed: { type: 'string' },
    seeds: { type: 'string' },
    mutants: { type: 'boolean' },
    mutant: { type: 'string' },
    promise: { type: 'string' },
    meetings: { type: 'boolean' },
    team: { type: 'boolean' },
    plain: { type: 'boolean' },
    fixed: { type: 'boolean' },
  },
});
const say = (text: string) => process.stdout.write(`${text}\n`);

const randomSeed = randomInt(1, 1e8);
const simulate = await prepare();
if (values.mutants === true) {
  const { examine } = await import('./exam/exam.ts');
  process.exit(await examine(say));
}
if (values.fixed === true) {
  const { fixed } = await import('./stories/fixed.ts');
  say(JSON.stringify(await fixed()));
  process.exit(0);
}
const { isMutant, MUTANTS } = await import('./exam/mutants.ts');
const { shrink } = await import('./exam/shrink.ts');
const name = values.mutant;
if (name !== undefined && !isMutant(name)) throw new Error(`no ${name}`);
if (name !== undefined) MUTANTS[name].install();

const which = values.meetings ? '--meetings ' : values.team ? '--team ' : '';
const storyOf = values.meetings ? everyMeeting : values.team ? teamOf : scenarioOf;
const all = values.meetings === true ? `1-${MEETINGS}` : '1-40';
const [first = 1, last = first] = (values.seed ?? values.seeds ?? all).split('-').map(Number);
const isTimed = values.minutes !== undefined;
const from = isTimed ? randomSeed : first;
if (isTimed) say(`from seed ${from}`);
const until = isTimed ? realSeconds() + 60 * Number(values.minutes) : Number.POSITIVE_INFINITY;
const began = process.cpuUsage();
const sum = { stories: 0, processes: 0, turns: 0, checks: 0, time: 0 };
let failed = 0;
const brokenByMutant = new Set<string>();
for (let seed = from; (isTimed || seed <= last) && realSeconds() < until; seed++) {
  const story = storyOf(seed);
  const result = await simulate(story, values.seed !== undefined).catch((thrown: Error) => thrown);
  if (result instanceof Error) {
    failed++;
    say(`seed ${seed} breaks: the simulation itself\n  ${result.stack}`);
    continue;
  }
  for (const line of result.lines) say(line);
  sum.stories++;
  for (const key of ['processes', 'turns', 'checks', 'time'] as const) sum[key] += result[key];
  if (values.seed !== undefined) say(`seed ${seed}: trace ${result.trace}`);
  for (const { promise } of result.broken) brokenByMutant.add(promise);
  const [broken] = result.broken.filter(
    ({ promise }) => values.promise === undefined || values.promise === promise,
  );
  if (broken === undefined) continue;
  failed++;
  say(`seed ${seed} breaks: ${broken.promise}\n  ${broken.what} (at ${broken.time.toFixed(3)} ms)`);
  say(`  again, with its trace: npm run sim -- ${which}--seed ${seed}`);
  if (name !== undefined) break;
  if (values.plain === true) continue;
  const smallest = await shrink(story, broken.promise);
  const kind = values.meetings ? 'meeting' : values.team ? 'team' : 'seed';
  const file = join(import.meta.dirname, 'regressions', `${kind}-${seed}.json`);
  writeFileSync(file, `${JSON.stringify({ broke: broken.promise, story: smallest }, null, 2)}\n`);
  say(`  written: ${file}`);
}
if (name !== undefined) say(`breaks in all: ${[...brokenByMutant].join('; ')}`);
const { user, system } = process.cpuUsage(began);
const minutes = (user + system) / 60e6;
say(
  `${sum.stories} stories, ${sum.processes} processes, ${sum.turns} turns, ${sum.checks} checks, ` +
    `${(sum.time / 3_600_000).toFixed(1)} simulated hours; ${Math.round(sum.stories / minutes)} stories per CPU-minute`,
);
process.exit(failed === 0 ? 0 : 1);
