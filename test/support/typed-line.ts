import { execFileSync } from 'node:child_process';
import type { Ran, RunOptions, World } from './run.ts';

/** A single `proc` command without pipe or redirection. A shell would only split its words. */
export const isPlain = (line: string): boolean => /^proc (?!sandbox)[^|<>;&$`\n]*$/.test(line);

const WORD = /(?:[\p{L}\d_./:=,@%+-]|'[^']*'|"[^"\\$`]*")+/gu;
/** A command whose words need no shell: no globs, variables or backslashes. */
const SIMPLE = new RegExp(`^proc(?: +${WORD.source})* *$`, 'u');

/** The words of the last `proc` command in a line, as a shell splits them. */
export function wordsOf(line: string, { cwd }: Pick<World, 'cwd'>): string[] {
  if (SIMPLE.test(line)) {
    const [, ...words] = line.match(WORD)!;
    return words.map((word) => word.replace(/'([^']*)'|"([^"]*)"/g, '$1$2'));
  }
  const script = `proc() { cat >/dev/null; printf '%s\\0' "$@"; }; ${line}`;
  const text = execFileSync('sh', ['-c', script], { cwd, input: '', encoding: 'utf8' });
  return text.split('\0').slice(0, -1);
}

/**
 * Runs a line as typed into a shell. A plain line runs in this process; for any other, a shell runs the binary.
 */
export function runTyped(world: World, line: string, options?: RunOptions): Promise<Ran> {
  if (isPlain(line)) return world.run(wordsOf(line, { cwd: options?.cwd ?? world.cwd }), options);
  return world.shell(`proc() { "$NODE" "$PROC" "$@"; }\n${line}`, options);
}
