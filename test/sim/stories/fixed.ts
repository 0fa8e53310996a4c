import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LIMITS } from './limits.ts';
import { type Scenario, scenarioOf } from './scenario.ts';
import { type StoryResult, simulate } from './simulate.ts';

const REGRESSIONS = join(import.meta.dirname, '../regressions');

/** The broken promises of stories that `npm test` always plays. */
export interface Fixed {
  readonly limits: Readonly<Record<string, readonly string[]>>;
  readonly regressions: Readonly<Record<string, readonly string[]>>;
  /** The traces of two runs with the same seed. */
  readonly traces: readonly string[];
}

/** This story has several crashes, one of them a loss of power. It runs twice. */
const TWICE = 7;

export async function fixed(): Promise<Fixed> {
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
  return { limits, regressions, traces: traces.map(({ trace }) => trace) };
}

interface Regression {
  readonly broke: string;
  readonly story: Scenario;
}

function of({ broken }: StoryResult): string[] {
  return [...new Set(broken.map(({ promise }) => promise))];
}
