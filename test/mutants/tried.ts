import { appendFileSync, readFileSync } from 'node:fs';
import type { MutantResult } from '@stryker-mutator/api/core';
import { declareClassPlugin, PluginKind } from '@stryker-mutator/api/plugin';
import type { Reporter } from '@stryker-mutator/api/report';
import { roomOf } from './rooms.ts';

/** A line of `tried.ndjson`. */
interface Tried {
  readonly room: string | undefined;
  readonly status: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly before: string;
  readonly after: string;
  /** Number of tests that execute it. */
  readonly tests: number;
  readonly killedBy: string | undefined;
  readonly why: string | undefined;
  readonly seconds: number;
}

/** The first line of a mutant, and the source text that it replaces. */
export function placeOf({ fileName, location: { start, end } }: Readonly<MutantResult>) {
  const lines = readFileSync(fileName, 'utf8')
    .split('\n')
    .slice(start.line - 1, end.line);
  const line = lines[0]!;
  lines.push(lines.pop()!.slice(0, end.column - 1));
  lines[0] = lines[0]!.slice(start.column - 1);
  return { line, before: lines.join('\n') };
}

/** Writes down each mutant at once: a run takes long, and may be interrupted. */
class Tries implements Reporter {
  #last = performance.now();

  onMutantTested(result: Readonly<MutantResult>): void {
    if (result.status === 'CompileError') return;
    const { fileName, location, replacement: after = '', status, statusReason: why } = result;
    const now = performance.now();
    const seconds = Math.round(now - this.#last) / 1000;
    this.#last = now;
    const tried: Tried = {
      ...{ room: roomOf(fileName), status, ...location.start },
      file: fileName.slice(fileName.lastIndexOf('/src/') + 1),
      ...{ before: placeOf(result).before, after, tests: result.coveredBy?.length ?? 0 },
      ...{ killedBy: result.killedBy?.join(), why, seconds },
    };
    appendFileSync(process.env.MUTANTS_TRIED!, `${JSON.stringify(tried)}\n`);
  }
}

export const strykerPlugins = [declareClassPlugin(PluginKind.Reporter, 'tried', Tries)];
