import { execFileSync } from 'node:child_process';
import type { Ran, RunOptions, World } from './run.ts';

/** One command whose words a shell only takes apart: no pipe, no redirection, no process to start. */
export const isPlain = (line: string): boolean => /^proc (?!sandbox)[^|<>;&$`\n]*$/.test(line);

/** The words that a shell makes of the last proc in a line. */
export function wordsOf(line: string, { cwd }: Pick<World, 'cwd'>): string[] {
  const script = `proc() { cat >/dev/null; printf '%s\\0' "$@"; }; ${line}`;
  const text = execFileSync('sh', ['-c', script], { cwd, input: '', encoding: 'utf8' });
  return text.split('\0').slice(0, -1);
}

/**
 * Runs a line that proc printed, or that stands in its documentation, as typed into a shell. Where a shell
 * only takes its words apart, proc runs in this process; else the shell runs the binary.
 */
export function runTyped(world: World, line: string, options?: RunOptions): Promise<Ran> {
  if (isPlain(line)) return world.run(wordsOf(line, { cwd: options?.cwd ?? world.cwd }), options);
  return world.shell(`proc() { "$NODE" "$PROC" "$@"; }\n${line}`, options);
}
