import { execFileSync } from 'node:child_process';
import type { Ran, RunOptions, World } from './run.ts';

/** A single command that needs a shell only to split words: no pipe, no redirection, no other process. */
export const isPlain = (line: string): boolean => /^proc (?!sandbox)[^|<>;&$`\n]*$/.test(line);

/** The words of the last `proc` command in a line, as a shell splits them. */
export function wordsOf(line: string, { cwd }: Pick<World, 'cwd'>): string[] {
  const script = `proc() { cat >/dev/null; printf '%s\\0' "$@"; }; ${line}`;
  const text = execFileSync('sh', ['-c', script], { cwd, input: '', encoding: 'utf8' });
  return text.split('\0').slice(0, -1);
}

/**
 * Runs a line of proc or of its documentation, as typed into a shell. If a shell
 * would only split its words, proc runs in this process; otherwise the shell runs the binary.
 */
export function runTyped(world: World, line: string, options?: RunOptions): Promise<Ran> {
  if (isPlain(line)) return world.run(wordsOf(line, { cwd: options?.cwd ?? world.cwd }), options);
  return world.shell(`proc() { "$NODE" "$PROC" "$@"; }\n${line}`, options);
}
