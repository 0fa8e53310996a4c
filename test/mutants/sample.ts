import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Checker, type CheckResult, CheckStatus } from '@stryker-mutator/api/check';
import type { Mutant } from '@stryker-mutator/api/core';
import { declareClassPlugin, PluginKind } from '@stryker-mutator/api/plugin';
import { roomOf } from './rooms.ts';

/** Set by `main.ts`: how many new mutants of each room to try, and the seed of their order. */
const [size = '', seed = ''] = (process.env.MUTANTS_SAMPLE ?? '').split(' ');

const ROOT = resolve(import.meta.dirname, '../..');

const TRIED: CheckResult = { status: CheckStatus.Passed };
const NOT_TRIED: CheckResult = { status: CheckStatus.CompileError, reason: 'not in the sample' };
export const REFUSED = 'TypeScript refuses it';

/**
 * Lets Stryker try only the first mutants of each room, in a random order. Leaves out those that TypeScript refuses:
 * nobody can make such a mistake without noticing it.
 */
class Sample implements Checker {
  async init(): Promise<void> {}

  /** All in one group, so that `check` gets them all at once. */
  async group(mutants: Mutant[]): Promise<string[][]> {
    return [mutants.map(({ id }) => id)];
  }

  async check(mutants: Mutant[]): Promise<Record<string, CheckResult>> {
    const results = new Map(mutants.map(({ id }) => [id, NOT_TRIED]));
    using types = new Types();
    for (const ofRoom of Map.groupBy(mutants, ({ fileName }) => roomOf(fileName)).values()) {
      const left = ofRoom
        .map((mutant) => ({ mutant, place: placeOf(mutant) }))
        .sort((a, b) => (a.place < b.place ? -1 : 1))
        .map(({ mutant }) => mutant);
      for (let wanted = Number(size); wanted > 0 && left.length > 0; ) {
        const chosen = left.splice(0, wanted);
        const refused = await types.refused(chosen);
        for (const one of chosen)
          results.set(
            one.id,
            refused.has(one) ? { status: CheckStatus.CompileError, reason: REFUSED } : TRIED,
          );
        wanted = refused.size;
      }
    }
    return Object.fromEntries(results);
  }
}

/**
 * A copy of the source in which TypeScript sees each mutant in a file of its own, beside the original: so one run checks
 * many. A file that cannot be copied, e.g. because it hands `this` to others, is changed itself, one mutant at a time.
 */
class Types {
  readonly #folder = mkdtempSync(join(ROOT, '.cache/mutants/types-'));

  constructor() {
    cpSync(join(ROOT, 'src'), join(this.#folder, 'src'), { recursive: true });
    const compilerOptions = {
      ...{ tsBuildInfoFile: './tsbuildinfo', noUnusedLocals: false, noUnusedParameters: false },
    };
    const config = { extends: join(ROOT, 'tsconfig.json'), include: ['src'], compilerOptions };
    writeFileSync(join(this.#folder, 'tsconfig.json'), JSON.stringify(config));
  }

  async refused(mutants: readonly Mutant[]): Promise<ReadonlySet<Mutant>> {
    const refused = new Set<Mutant>();
    const files = Map.groupBy(mutants, ({ fileName }) => pathOf(fileName));
    const copies = new Map<string, Mutant | undefined>();
    for (const [path, all] of files) {
      copies.set(copyOf(path, 'none'), undefined);
      for (const mutant of all) copies.set(copyOf(path, mutant.id), mutant);
    }
    for (const [copy, mutant] of copies) this.#write(copy, mutant);
    const wrong = await this.#wrongFiles();
    for (const [copy, mutant] of copies) {
      rmSync(join(this.#folder, copy));
      if (mutant !== undefined && wrong.has(copy)) refused.add(mutant);
    }
    for (const [path, all] of files) {
      if (!wrong.has(copyOf(path, 'none'))) continue;
      for (const mutant of all) {
        this.#write(path, mutant);
        if ((await this.#wrongFiles()).has(path)) refused.add(mutant);
        else refused.delete(mutant);
      }
      this.#write(path);
    }
    return refused;
  }

  /** Without a mutant, writes the source as it is. */
  #write(path: string, mutant?: Mutant): void {
    const text = readFileSync(join(ROOT, originalOf(path)), 'utf8');
    const changed = mutant === undefined ? text : withMutant(text, mutant);
    writeFileSync(join(this.#folder, path), changed);
  }

  #wrongFiles(): Promise<ReadonlySet<string>> {
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    return new Promise((done) => {
      const options = { cwd: this.#folder, maxBuffer: 1e9 };
      execFile(process.execPath, [tsc, '-p', '.'], options, (_, stdout) => {
        done(new Set(Array.from(stdout.matchAll(/^(src\/[^(]+)\(/gm), ([, path]) => path!)));
      });
    });
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function copyOf(path: string, id: string): string {
  return path.replace(/\.ts$/, `.mutant-${id}.ts`);
}

function originalOf(path: string): string {
  return path.replace(/\.mutant-\w+\.ts$/, '.ts');
}

function withMutant(text: string, { location: { start, end }, replacement }: Mutant): string {
  const lines = text.split('\n');
  const before = [...lines.slice(0, start.line), lines[start.line]!.slice(0, start.column)];
  const after = [lines[end.line]!.slice(end.column), ...lines.slice(end.line + 1)];
  return `${before.join('\n')}${replacement}${after.join('\n')}`;
}

/** From the root of the repository. */
function pathOf(fileName: string): string {
  return fileName.slice(fileName.lastIndexOf('/src/') + 1);
}

/** A place in a random order. Mutants that come or go do not change it. */
function placeOf({ fileName, location, mutatorName, replacement }: Mutant): string {
  const path = `/${pathOf(fileName)}`;
  const mutant = JSON.stringify([seed, path, location, mutatorName, replacement]);
  return createHash('sha256').update(mutant).digest('hex');
}

export const strykerPlugins = [declareClassPlugin(PluginKind.Checker, 'sample', Sample)];
