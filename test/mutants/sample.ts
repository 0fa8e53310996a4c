import { createHash } from 'node:crypto';
import { type Checker, type CheckResult, CheckStatus } from '@stryker-mutator/api/check';
import type { Mutant } from '@stryker-mutator/api/core';
import { declareClassPlugin, PluginKind } from '@stryker-mutator/api/plugin';
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

export const strykerPlugins = [declareClassPlugin(PluginKind.Checker, 'sample', Sample)];
