import { ChildProcess } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach } from 'vitest';
import { binary } from '../support/built.ts';

type Hits = Record<string, number>;

/** What the source reads and writes that Stryker has instrumented. */
interface Stryker {
  /** Undefined in the first run, which finds out what each test executes. */
  activeMutant?: string;
  currentTestId?: string;
  mutantCoverage?: { static: Hits; perTest: Record<string, Hits> };
  /** The folder in which child processes write what they execute. */
  hits?: string;
  /** How long the tests that execute each mutant take, in ms. */
  spent?: Hits;
}

declare global {
  var __stryker__: Stryker | undefined;
}

interface Spawned {
  readonly envPairs: string[];
}

const ENOUGH_MS = 20_000;

globalThis.__stryker__ ??= {};
const stryker = globalThis.__stryker__;
// This file runs once for each file of tests.
if (stryker.hits === undefined) {
  stryker.hits = mkdtempSync(join(tmpdir(), 'hits-'));
  loadProgram();
  handOn();
}
// One failure detects a mutant; nobody reads its shortest form.
fc.configureGlobal({ endOnFailure: true });
afterEach(({ task }) => addHits(Date.now() - task.result!.startTime!));

/** Loads all chunks now. Otherwise the first test that loads one would be the only one to execute it. */
function loadProgram(): void {
  const chunks = join(binary(), '../../dist');
  const load = createRequire(import.meta.url);
  for (const name of readdirSync(chunks)) if (name.endsWith('.cjs')) load(join(chunks, name));
}

/** Each process that a test starts has the same mutant, or writes what it executes. */
function handOn(): void {
  const prototype = ChildProcess.prototype as unknown as { spawn(options: Spawned): unknown };
  const { spawn } = prototype;
  const noting = `--import=${join(import.meta.dirname, 'note-hits.mjs')}`;
  prototype.spawn = function (options) {
    const { activeMutant, hits } = stryker;
    options.envPairs.push(
      ...(activeMutant === undefined
        ? [`NODE_OPTIONS=${noting}`, `STRYKER_HITS=${hits}`]
        : [`__STRYKER_ACTIVE_MUTANT__=${activeMutant}`]),
    );
    return spawn.call(this, options);
  };
}

/** A test executes what its processes execute. */
function addHits(ms: number): void {
  const { hits = '', currentTestId, activeMutant } = stryker;
  if (activeMutant !== undefined || currentTestId === undefined) return;
  stryker.mutantCoverage ??= { static: {}, perTest: {} };
  stryker.mutantCoverage.perTest[currentTestId] ??= {};
  const ofTest = stryker.mutantCoverage.perTest[currentTestId];
  for (const name of readdirSync(hits)) {
    const path = join(hits, name);
    const ids = readFileSync(path, 'utf8').split('\n').slice(0, -1);
    for (const id of ids) ofTest[id] = (ofTest[id] ?? 0) + 1;
    rmSync(path);
  }
  if (process.env.MUTANTS_TESTS === 'quick') keepShortest(ofTest, ms);
}

/** What many short tests execute already, a longer test need not execute too. */
function keepShortest(ofTest: Hits, ms: number): void {
  stryker.spent ??= {};
  for (const id of Object.keys(ofTest)) {
    const spent = stryker.spent[id] ?? 0;
    if (spent > ENOUGH_MS) delete ofTest[id];
    else stryker.spent[id] = spent + ms;
  }
}
