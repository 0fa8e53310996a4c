import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
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

/** Loads the script, and makes the shell print `<prompt$N>` whenever it is ready for the next command. */
const PREPARE: Readonly<Record<ShellName, (script: string) => string>> = {
  bash: (script) =>
    `bind 'set bell-style none'; source ${script}; PS2='<mo''re>' PROMPT_COMMAND='echo "<prompt$N>"'`,
  zsh: (script) =>
    `autoload -U compinit; compinit -u -D; unsetopt beep; source ${script}; PS2='<mo''re>'; precmd() { print "<prompt$N>" }`,
  fish: (script) =>
    `source ${script}; bind \\cx 'if commandline --is-valid; commandline -f execute; else; commandline ""; echo "<more>"; end'; function told --on-event fish_prompt; echo "<prompt$N>"; end`,
};

/**
 * The key that ends a line. In fish, Ctrl-X runs a complete line, and prints `<more>` if a quote is still open.
 */
const ENTER: Readonly<Record<ShellName, string>> = { bash: '\r', zsh: '\r', fish: '\u0018' };

export interface ShellSession {
  /** Types keys and Enter; returns the words that `proc` was then called with. */
  words(keys: string): Promise<readonly string[]>;
  /** Like `words`, but undefined if the shell waits for a closing quote and has not called `proc`. */
  ran(keys: string): Promise<readonly string[] | undefined>;
  /** Types keys and waits until the terminal shows the text; must be the last action in a session. */
  shows(keys: string, text: string): Promise<void>;
}

/**
 * An interactive shell on its own terminal, with the completion script loaded. `proc` answers completion there;
 * any other command only prints its words.
 *
 * @param complete a command of sh that answers completion instead of proc
 */
export async function startShell(
  shell: ShellName,
  world: Pick<World, 'env' | 'cwd' | 'folder'>,
  script: string,
  complete = `exec ${programWords()} __complete "$@"`,
): Promise<ShellSession> {
  const bin = join(world.folder, `bin-${shell}`);
  await mkdir(bin, { recursive: true });
  const proc = join(bin, 'proc');
  const record = join(world.folder, `called-${shell}`);
  await writeFile(
    proc,
    `#!/bin/sh\nif [ "$1" = __complete ]; then shift; ${complete}; exit; fi\nprintf '%s\\0' "$@" >> ${record}\nprintf '<%s>' "$@"; echo '<end>'\n`,
  );
  await chmod(proc, 0o755);
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
  const waitFor = (wanted: RegExp | string, from: number): Promise<string> =>
    new Promise((resolve, reject) => {
      const giveUp = setTimeout(() => {
        listeners.delete(look);
        reject(new Error(`${wanted} was not shown, but: ${JSON.stringify(text.slice(from))}`));
      }, LONGEST_MS);
      const look = (): void => {
        const seen = text.slice(from);
        const found = typeof wanted === 'string' ? seen.includes(wanted) : wanted.test(seen);
        if (!found) return;
        clearTimeout(giveUp);
        listeners.delete(look);
        resolve(seen);
      };
      listeners.add(look);
      look();
    });
  let prompts = 0;
  const nextPrompt = async (): Promise<void> => {
    const from = text.length;
    prompts++;
    const ask = () => pty.write(shell === 'fish' ? `set N ${prompts}\r` : `N=${prompts}\r`);
    ask();
    // A shell that handles an interrupt may lose typed keys, so type them again.
    const again = setInterval(ask, 500);
    await waitFor(`<prompt${prompts}>`, from).finally(() => clearInterval(again));
  };
  pty.write(`${PREPARE[shell](file)}; echo rea''dy\r`);
  await waitFor('ready', 0);
  await nextPrompt();
  return {
    async words(keys) {
      const from = text.length;
      pty.write(`${keys}\r`);
      const seen = await waitFor(/<end>/, from);
      const printed = /(<[^\n]*)<end>/.exec(seen)?.[1] ?? '';
      return [...printed.matchAll(/<([^>]*)>/g)].map((match) => match[1]!);
    },
    async ran(keys) {
      await writeFile(record, '');
      const from = text.length;
      pty.write(`${keys}${ENTER[shell]}`);
      const seen = await waitFor(new RegExp(`<prompt${prompts}>|<more>`), from);
      if (seen.includes('<more>')) {
        pty.write('\u0003');
        await nextPrompt();
      }
      const words = (await readFile(record, 'utf8')).split('\0').slice(0, -1);
      return words.length === 0 ? undefined : words;
    },
    async shows(keys, wanted) {
      const from = text.length;
      pty.write(keys);
      await waitFor(wanted, from);
    },
  };
}
