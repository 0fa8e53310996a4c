import { mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { spawn } from '@lydell/node-pty';
import { onTestFinished } from 'vitest';
import { programWords } from './built.ts';
import type { World } from './run.ts';

export type ShellName = 'bash' | 'zsh' | 'fish';

/** A longer wait fails, and reports what the shell has shown. */
const LONGEST_MS = 20_000;

const START: Readonly<Record<ShellName, readonly string[]>> = {
  bash: ['--noprofile', '--norc', '-i'],
  zsh: ['-f', '-i'],
  fish: ['--no-config', '-i'],
};

/** Loads the completion script. */
const PREPARE: Readonly<Record<ShellName, (script: string) => string>> = {
  bash: (script) => `bind 'set bell-style none'; source ${script}`,
  zsh: (script) => `autoload -U compinit; compinit -u -D; unsetopt beep; source ${script}`,
  fish: (script) => `source ${script}`,
};

export interface ShellSession {
  /** Types keys and Enter; returns the words that `proc` was then called with. */
  words(keys: string): Promise<readonly string[]>;
  /** Types keys and waits until the terminal shows the text; must be the last action in a session. */
  shows(keys: string, text: string): Promise<void>;
}

/**
 * An interactive shell on its own terminal, with the completion script loaded. `proc` answers completion there;
 * any other command only prints its words.
 */
export async function startShell(
  shell: ShellName,
  world: Pick<World, 'env' | 'cwd' | 'folder'>,
  script: string,
): Promise<ShellSession> {
  const bin = join(world.folder, `bin-${shell}`);
  await mkdir(bin, { recursive: true });
  const answer = `[ "$1" = __complete ] && exec ${programWords()} "$@"`;
  const proc = `#!/bin/sh\n${answer}\nprintf '<%s>' "$@"; echo '<end>'\n`;
  await writeFile(join(bin, 'proc'), proc, { mode: 0o755 });
  const file = join(world.folder, `script.${shell}`);
  await writeFile(file, script);
  const pty = spawn(shell, [...START[shell]], {
    name: 'xterm',
    cols: 200,
    rows: 50,
    cwd: world.cwd,
    env: {
      ...world.env,
      PATH: `${bin}${delimiter}${process.env.PATH}`,
      PS1: '$ ',
      TERM: 'xterm',
      LANG: 'C.UTF-8',
      INPUTRC: '/dev/null',
      HOME: world.folder,
    },
  });
  onTestFinished(() => pty.kill('SIGKILL'));
  let text = '';
  const listeners = new Set<() => void>();
  pty.onData((data) => {
    text += data;
    for (const listener of listeners) listener();
  });
  const waitFor = (wanted: string, from: number): Promise<string> =>
    new Promise((resolve, reject) => {
      const giveUp = setTimeout(() => {
        listeners.delete(look);
        reject(new Error(`${wanted} was not shown, but: ${JSON.stringify(text.slice(from))}`));
      }, LONGEST_MS);
      const look = (): void => {
        const seen = text.slice(from);
        if (!seen.includes(wanted)) return;
        clearTimeout(giveUp);
        listeners.delete(look);
        resolve(seen);
      };
      listeners.add(look);
      look();
    });
  pty.write(`${PREPARE[shell](file)}; echo rea''dy\r`);
  await waitFor('ready', 0);
  return {
    async words(keys) {
      const from = text.length;
      pty.write(`${keys}\r`);
      const seen = await waitFor('<end>', from);
      const printed = /(<[^\n]*)<end>/.exec(seen)?.[1] ?? '';
      return [...printed.matchAll(/<([^>]*)>/g)].map((match) => match[1]!);
    },
    async shows(keys, wanted) {
      const from = text.length;
      pty.write(keys);
      await waitFor(wanted, from);
    },
  };
}
