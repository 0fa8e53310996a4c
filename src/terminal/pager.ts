import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { ProcError } from '../core/errors.ts';
import type { Env } from '../core/ports.ts';
import { visible } from './sanitise.ts';

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

export function openPager({ variable, command }: PagerCommand, env: Env): Pager {
  const child = spawn(command, {
    shell: true,
    stdio: ['pipe', 'inherit', 'inherit'],
    env: { LESS, ...env },
  });
  let hasLeft = false;
  const ended = new Promise<number>((resolve) => {
    child.on('error', () => resolve(NOT_RUN[1]!));
    child.on('close', (code) => resolve(code ?? 0));
  });
  const isMissing = async () => NOT_RUN.includes(await ended);
  isMissing().then((missing) => {
    hasLeft = !missing;
  });
  // A person may close the pager before everything is written.
  child.stdin.on('error', () => undefined);
  return {
    closed: () => hasLeft,
    async write(text) {
      if (child.stdin.destroyed || child.stdin.write(text)) return;
      await Promise.race([once(child.stdin, 'drain').catch(() => undefined), ended]);
    },
    async end() {
      child.stdin.end();
      if (!(await isMissing())) return;
      throw new ProcError('unwritable_output', `cannot run ${variable}: ${visible(command)}`, {
        hint: 'Set PROC_PAGER to a program such as "less", or to "" to print without one',
      });
    },
  };
}
