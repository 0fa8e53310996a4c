import { join } from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';

const MAIN = join(import.meta.dirname, 'main.ts');
const PARTS = 4;
/** Stories of all parts. CI plays more of them than a person waits for. */
const STORIES = Number(process.env.PROC_SIM_STORIES ?? 150);
/** Every fifth story is one of machines that share a ledger. */
const TEAMS = STORIES / 5;

/** Runs in a process of its own, because the simulation replaces clocks, timers and SQLite. */
export function sim(...args: readonly string[]) {
  return execa(process.execPath, [MAIN, ...args], { reject: false });
}

/** One test for each kind of story. Each part is a file, so that parts run side by side with other tests. */
export function playPart(part: number): void {
  const seedsOf = (all: number) =>
    `${1 + Math.floor((all * (part - 1)) / PARTS)}-${Math.floor((all * part) / PARTS)}`;
  const kinds = [
    ['stories', [], seedsOf(STORIES - TEAMS)],
    ['stories of machines that share a ledger', ['--team'], seedsOf(TEAMS)],
  ] as const;
  it.each(kinds)(
    '%s keep every promise',
    async (_, which, seeds) => {
      const { stdout, stderr, exitCode } = await sim(...which, '--plain', '--seeds', seeds);
      expect({ stderr, broken: stdout.match(/^seed .*\n.*/gm) }).toEqual({
        stderr: '',
        broken: null,
      });
      expect(exitCode).toBe(0);
      expect(stdout).toMatch(/^[1-9]\d* stories/m);
    },
    300_000,
  );
}
