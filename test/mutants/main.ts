import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { MutantResult } from '@stryker-mutator/api/core';
import { Stryker } from '@stryker-mutator/core';
import { isEquivalent } from './equivalents.ts';
import { ROOMS, roomOf } from './rooms.ts';
import { REFUSED } from './sample.ts';
import { placeOf } from './tried.ts';

/**
 * `npm run mutants -- ROOM…`: changes `src` in one place at a time, and runs the tests that execute the place. Instead of
 * a room it takes a file or a folder of one: `src/ledger/`.
 * What was tried before is known, until the place or a test that executes it changes.
 * - `--sample 20`: tries only so many more mutants of each room, in a random order
 * - `--seed 2`: another order
 * - `--quick`: for each mutant with the shortest tests only, so what they detect is a lower bound. A run with all
 *   tests then tries only what they left
 * - `--unit`: with unit tests only, a minute for a hundred mutants: what to look at while writing them
 * - `--force`: tries again what is known
 */
const { values, positionals } = parseArgs({
  options: {
    sample: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: '1' },
    quick: { type: 'boolean', default: false },
    unit: { type: 'boolean', default: false },
    force: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});
const say = (text: string) => process.stdout.write(`${text}\n`);

const ROOT = resolve(import.meta.dirname, '../..');
const KEPT = join(ROOT, '.cache/mutants');
const PLUGINS = [
  import.meta.resolve('@stryker-mutator/vitest-runner'),
  import.meta.resolve('./sample.ts'),
  import.meta.resolve('./tried.ts'),
];
const KNOWN = join(KEPT, 'known.json');
mkdirSync(KEPT, { recursive: true });

const rooms = positionals.length === 0 ? Object.keys(ROOMS) : positionals;
const results = await tryMutants(rooms);
for (const room of rooms) {
  const isIn = ({ fileName }: MutantResult) =>
    partsOf(room).some((part) => resolve(fileName).includes(`/${part}`));
  const ofRoom = results.filter(isIn);
  say(scoreOf(room, ofRoom));
  for (const result of ofRoom) if (needsEyes(result)) say(shown(result));
}

async function tryMutants(names: readonly string[]): Promise<readonly MutantResult[]> {
  const parts = names.flatMap(partsOf);
  forgetUntried();
  process.env.MUTANTS_SAMPLE = `${values.sample} ${values.seed}`;
  process.env.MUTANTS_TRIED = join(KEPT, 'tried.ndjson');
  rmSync(process.env.MUTANTS_TRIED, { force: true });
  process.env.MUTANTS_TESTS = values.unit ? 'unit' : values.quick ? 'quick' : 'all';
  const stryker = new Stryker({
    mutate: parts.map((part) => (part.endsWith('/') ? `${part}**/*.ts` : part)),
    buildCommand: 'npm run build',
    testRunner: 'vitest',
    vitest: { configFile: 'test/mutants/vitest.config.ts', related: false, pool: 'forks' },
    coverageAnalysis: 'perTest',
    plugins: PLUGINS.map((url) => fileURLToPath(url)),
    checkers: ['sample'],
    concurrency: 1,
    // Long, because a busy machine is no infinite loop.
    dryRunTimeoutMinutes: 90,
    timeoutMS: values.unit || values.quick ? 30_000 : 120_000,
    timeoutFactor: values.unit || values.quick ? 5 : 10,
    // They change tables that are read once, when the program is loaded: each would run all tests.
    ignoreStatic: true,
    incremental: true,
    incrementalFile: KNOWN,
    force: values.force,
    reporters: ['progress-append-only', 'tried', 'html'],
    htmlReporter: { fileName: join(KEPT, 'report.html') },
    tempDirName: '.cache/mutants/work',
    ignorePatterns: ['.cache', 'bench', 'dist', 'docs/images', 'release*'],
    disableTypeChecks: false,
    tsconfigFile: 'none',
  });
  return stryker.runMutationTest();
}

function partsOf(name: string): readonly string[] {
  if (ROOMS[name] !== undefined) return ROOMS[name];
  if (roomOf(`/${name}`) !== undefined) return [name];
  throw new Error(`no room ${name}; there are ${Object.keys(ROOMS)}`);
}

function isTried({ status }: { readonly status?: string }): boolean {
  return status !== 'CompileError';
}

/** Otherwise this run would take for known what the last one left out, also if that one was interrupted. */
function forgetUntried(): void {
  if (!existsSync(KNOWN)) return;
  const report = JSON.parse(readFileSync(KNOWN, 'utf8')) as {
    files: Record<string, { mutants: { status: string }[] }>;
  };
  for (const file of Object.values(report.files)) file.mutants = file.mutants.filter(isTried);
  writeFileSync(KNOWN, JSON.stringify(report));
}

/** E.g. `send: 76.5 % of 200 mutants detected (70.2 to 81.8 %, as 1,523 mutants were not tried); …` */
function scoreOf(room: string, results: readonly MutantResult[]): string {
  const count = (...states: string[]) =>
    results.filter(({ status }) => states.includes(status)).length;
  const tried = results.filter(isTried).length - count('RuntimeError', 'Ignored');
  const detected = count('Killed', 'Timeout');
  const refused = results.filter(({ statusReason }) => statusReason === REFUSED).length;
  const untried = results.length - results.filter(isTried).length - refused;
  const [low, high] = interval(detected, tried);
  const range = untried === 0 ? '' : ` (${low} to ${high}, ${untried} were not tried)`;
  const numbers = ['Killed', 'Timeout', 'Survived', 'NoCoverage', 'RuntimeError']
    .map((status) => `${status} ${count(status)}`)
    .join(', ');
  const equivalent = results.filter((one) => isTried(one) && isListed(one)).length;
  return `${room}: ${percent(detected / tried)} of ${tried} mutants detected${range}; ${numbers}, equivalent ${equivalent}, refused by TypeScript ${refused}`;
}

/** Wilson's interval: the score of all mutants lies in it with 95 % certainty. */
function interval(detected: number, tried: number): [string, string] {
  const z2 = 1.96 ** 2;
  const share = detected / tried;
  const middle = share + z2 / (2 * tried);
  const width = Math.sqrt(z2 * ((share * (1 - share)) / tried + z2 / (4 * tried * tried)));
  const all = 1 + z2 / tried;
  return [percent((middle - width) / all), percent((middle + width) / all)];
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

/** Undetected, or perhaps only slow. */
function needsEyes(result: MutantResult): boolean {
  return ['Survived', 'NoCoverage', 'Timeout'].includes(result.status) && !isListed(result);
}

function isListed(result: MutantResult): boolean {
  const file = relative(ROOT, result.fileName);
  const { line, before } = placeOf(result);
  return isEquivalent({ file, line, before, after: result.replacement ?? '' });
}

/** The status, the place, and what stands there instead. */
function shown(result: MutantResult): string {
  const { status, fileName, location, replacement = '' } = result;
  const [before, after] = [placeOf(result).before, replacement].map((text) => {
    const short = text.replace(/\s+/g, ' ');
    return short.length > 100 ? `${short.slice(0, 100)}…` : short;
  });
  const place = `${relative(ROOT, fileName)}:${location.start.line}:${location.start.column}`;
  return `  ${status.padEnd(10)} ${place}\n    ${before}\n    → ${after}`;
}
