import { createHash } from 'node:crypto';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { type Checker, type CheckResult, CheckStatus } from '@stryker-mutator/api/check';
import type { Mutant, MutantResult } from '@stryker-mutator/api/core';
import { declareClassPlugin, PluginKind } from '@stryker-mutator/api/plugin';
import type {
  DryRunCompletedEvent,
  MutationTestingPlanReadyEvent,
  Reporter,
} from '@stryker-mutator/api/report';
import { roomOf } from './rooms.ts';

/** Set by `main.ts`: how many new mutants of each room to try, and the seed of their order. */
const [size = '', seed = ''] = (process.env.MUTANTS_SAMPLE ?? '').split(' ');

const NOT_TRIED: CheckResult = { status: CheckStatus.CompileError, reason: 'not in the sample' };

/** Lets Stryker try only the first mutants of each room, in a random order. */
class Sample implements Checker {
  async init(): Promise<void> {}

  /** All in one group, so that `check` gets them all at once. */
  async group(mutants: Mutant[]): Promise<string[][]> {
    return [mutants.map(({ id }) => id)];
  }

  async check(mutants: Mutant[]): Promise<Record<string, CheckResult>> {
    const rooms = Map.groupBy(mutants, ({ fileName }) => roomOf(fileName));
    const chosen = [...rooms.values()].flatMap((ofRoom) =>
      ofRoom
        .map((mutant) => ({ id: mutant.id, place: placeOf(mutant) }))
        .sort((a, b) => (a.place < b.place ? -1 : 1))
        .slice(0, Number(size)),
    );
    const ids = new Set(chosen.map(({ id }) => id));
    return Object.fromEntries(
      mutants.map(({ id }) => [id, ids.has(id) ? { status: CheckStatus.Passed } : NOT_TRIED]),
    );
  }
}

/** A place in a random order. Mutants that come or go do not change it. */
function placeOf({ fileName, location, mutatorName, replacement }: Mutant): string {
  const path = fileName.slice(fileName.lastIndexOf('/src/'));
  const mutant = JSON.stringify([seed, path, location, mutatorName, replacement]);
  return createHash('sha256').update(mutant).digest('hex');
}

/** Writes down each mutant at once, because a run takes long and may be interrupted. */
class Tried implements Reporter {
  #last = performance.now();

  onDryRunCompleted({ timing }: DryRunCompletedEvent): void {
    console.log(`all tests once: ${JSON.stringify(timing)}`);
    this.#last = performance.now();
  }

  onMutationTestingPlanReady({ mutantPlans }: MutationTestingPlanReadyEvent): void {
    const all = mutantPlans.map((plan) => ({
      ...{
        plan: plan.plan,
        file: plan.mutant.fileName.slice(plan.mutant.fileName.lastIndexOf('/src/') + 1),
      },
      ...{ line: plan.mutant.location.start.line + 1, column: plan.mutant.location.start.column },
      ...{ what: plan.mutant.replacement, status: plan.mutant.status },
      tests: 'runOptions' in plan ? plan.runOptions.testFilter?.length : undefined,
      ms: 'netTime' in plan ? plan.netTime : undefined,
    }));
    writeFileSync('.cache/mutants/plan.json', JSON.stringify(all));
  }

  onMutantTested(result: Readonly<MutantResult>): void {
    if (result.status === 'CompileError') return;
    const seconds = Math.round((performance.now() - this.#last) / 100) / 10;
    this.#last = performance.now();
    const { id, fileName, location, replacement, status, statusReason, killedBy } = result;
    const { coveredBy = [], mutatorName } = result;
    const file = fileName.slice(fileName.lastIndexOf('/src/') + 1);
    const lines = readFileSync(fileName, 'utf8')
      .split('\n')
      .slice(location.start.line - 1, location.end.line);
    lines[lines.length - 1] = lines.at(-1)!.slice(0, location.end.column - 1);
    lines[0] = lines[0]!.slice(location.start.column - 1);
    const what = {
      room: roomOf(fileName),
      status,
      seconds,
      file,
      line: location.start.line,
      column: location.start.column,
      mutatorName,
      before: lines.join('\n'),
      replacement,
      killedBy,
      statusReason,
      covered: coveredBy.length,
      id,
    };
    appendFileSync(
      process.env.MUTANTS_TRIED ?? '.cache/mutants/tried.ndjson',
      `${JSON.stringify(what)}\n`,
    );
  }
}

export const strykerPlugins = [
  declareClassPlugin(PluginKind.Checker, 'sample', Sample),
  declareClassPlugin(PluginKind.Reporter, 'tried', Tried),
];
