import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LIMITS } from './limits.ts';
import { type Scenario, scenarioOf } from './scenario.ts';
import { simulate, type Told } from './simulate.ts';

/** Where stories are kept in which something broke once. */
const REGRESSIONS = join(import.meta.dirname, '../regressions');

/** What `npm test` asks: promises that broke, by story. */
export interface Fixed {
  readonly seeds: Readonly<Record<string, readonly string[]>>;
  readonly limits: Readonly<Record<string, readonly string[]>>;
  readonly regressions: Readonly<Record<string, readonly string[]>>;
  /** The traces of one seed, played twice. */
  readonly traces: readonly string[];
}

const SEEDS = 30;
/** Its processes are cut off, once by a loss of power. */
const TWICE = 7;

/** The stories that are played with every change. */
export async function fixed(): Promise<Fixed> {
  const seeds: Record<string, string[]> = {};
  for (let seed = 1; seed <= SEEDS; seed++) seeds[seed] = of(await simulate(scenarioOf(seed)));
  const limits: Record<string, string[]> = {};
  for (const [name, { seed, of: beyond }] of Object.entries(LIMITS)) {
    limits[name] = of(await simulate(beyond(scenarioOf(seed))));
  }
  const regressions: Record<string, string[]> = {};
  for (const file of readdirSync(REGRESSIONS).filter((name) => name.endsWith('.json'))) {
    const { story } = JSON.parse(readFileSync(join(REGRESSIONS, file), 'utf8')) as Regression;
    regressions[file] = of(await simulate(story));
  }
  const traces = [await simulate(scenarioOf(TWICE)), await simulate(scenarioOf(TWICE))];
  return { seeds, limits, regressions, traces: traces.map(({ trace }) => trace) };
}

/** A story that broke a promise, as it is kept. */
interface Regression {
  readonly broke: string;
  readonly story: Scenario;
}

function of({ broken }: Told): string[] {
  return [...new Set(broken.map(({ promise }) => promise))];
}
