import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { ProcError } from '../core/errors.ts';
import type { Env } from '../core/ports.ts';
import { visible } from './sanitise.ts';
import { hiddenOn, isClosed, writeOut } from './write.ts';

export interface PagerCommand {
  readonly variable: 'PROC_PAGER' | 'PAGER';
  readonly command: string;
}

export interface Pager {
  write(text: string | Uint8Array): Promise<void>;
  closed(): boolean;
  /** Resolves when the reader has closed the pager. */
  end(): Promise<void>;
}

/** F: end at once if all fits on one screen. R: show colours. X: leave the text on the screen. */
const LESS = 'FRX';
/** Exit codes of a shell that could not run the command. */
const NOT_RUN = [126, 127];

/** More than a pipe holds: once so much is written and taken, the program has read. In bytes. */
const SURELY_READ = 1024 * 1024;

/**
 * PROC_PAGER is the choice of the user of proc, so it must work. PAGER may be meant for another machine: if it
 * cannot be started, the text is printed without it.
 *
 * @throws ProcError `unwritable_output` from `end`, for a PROC_PAGER that cannot be started
 */
export function openPager(
  { variable, command }: PagerCommand,
  { env, stdout }: { readonly env: Env; readonly stdout: Writable },
): Pager {
  const child = spawn(command, {
    shell: true,
    stdio: ['pipe', 'inherit', 'inherit'],
    env: { LESS, ...env },
  });
  let state: 'open' | 'left' | 'missing' = 'open';
  const ended = new Promise<void>((resolve) => {
    const end = (code: number | null): void => {
      state = NOT_RUN.includes(code ?? 0) ? 'missing' : 'left';
      resolve();
    };
    child.on('error', () => end(NOT_RUN[1]!));
    child.on('close', end);
  });
  // A person may close the pager before everything is written.
  child.stdin.on('error', () => undefined);
  /** What perhaps no program has read. */
  let held: (string | Uint8Array)[] = [];
  let written = 0;
  const isLeftOut = () => state === 'missing' && variable === 'PAGER';
  const printHeld = async (): Promise<void> => {
    for (const text of held.splice(0)) await writeOut(stdout, text);
  };
  return {
    closed: () => state === 'left' || (isLeftOut() && isClosed(stdout)),
    async write(data) {
      const text = typeof data === 'string' ? hiddenOn(stdout, data) : data;
      if (child.stdin.destroyed) await ended;
      if (isLeftOut()) {
        await printHeld();
        return writeOut(stdout, text);
      }
      if (written < SURELY_READ) held.push(text);
      else held = [];
      written += text.length;
      if (child.stdin.destroyed || child.stdin.write(text)) return;
      await Promise.race([once(child.stdin, 'drain').catch(() => undefined), ended]);
    },
    async end() {
      child.stdin.end();
      await ended;
      if (isLeftOut()) return printHeld();
      if (state === 'left') return;
      throw new ProcError('unwritable_output', `cannot run ${variable}: ${visible(command)}`, {
        hint: 'Set PROC_PAGER to a program such as "less", or to "" to print without one',
      });
    },
  };
}
