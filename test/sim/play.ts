import { join } from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';

const MAIN = join(import.meta.dirname, 'main.ts');
const PARTS = 4;
/** Stories of all parts. CI plays more of them than a person waits for. */
const STORIES = Number(process.env.PROC_SIM_STORIES ?? 100);
/** Of machines that share a ledger. */
const TEAM_STORIES = Math.ceil(STORIES / 5);
/** Runs in a process of its own, because the simulation replaces clocks, timers and SQLite. */
export function sim(...args: readonly string[]) {
  return execa(process.execPath, [MAIN, ...args], { reject: false });
}

/** Each part is a file, so that parts run side by side with other tests. */
export function playPart(part: number): void {
  it.each([
    ['one machine', STORIES, []],
    ['machines that share a ledger', TEAM_STORIES, ['--team']],
  ])(
    'stories of %s keep every promise',
    async (_, stories, which) => {
      const after = (parts: number) => Math.floor((stories * parts) / PARTS);
      const seeds = `${1 + after(part - 1)}-${after(part)}`;
      const { stdout, stderr, exitCode } = await sim('--plain', ...which, '--seeds', seeds);
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
