import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { expect } from 'vitest';
import type { Sheet } from '../../src/compose/requisition-sheet.ts';
import { nextQuestion } from '../../src/wizard/questions.ts';
import { type PtyOptions, type PtySession, startPty } from './pty.ts';
import type { World } from './run.ts';
import { screenOf } from './screen.ts';
import { startTerminal, type TerminalSession } from './terminal.ts';

export const DOWN = '\u001b[B';
export const UP = '\u001b[A';
export const CTRL_C = '\u0003';
export const CTRL_D = '\u0004';

export interface ShownDraft {
  readonly title: string | null;
  readonly groups: number;
  readonly items: number;
  /** What the wizard asks next; 'review' if nothing is missing. */
  readonly next: string;
  readonly sheet: Sheet;
}

/** The drafts on the disk. */
export async function drafts({ stateDir }: World): Promise<ShownDraft[]> {
  const folder = join(stateDir, 'drafts');
  const found = await readdir(folder).catch(() => []);
  // Not the temporary file of a draft that is being written.
  const names = found.filter((name) => name.endsWith('.json'));
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  return texts.map((text) => {
    const { sheet } = JSON.parse(text) as { sheet: Sheet };
    const { title = null, groups } = sheet;
    const items = groups.reduce((n, { lines }) => n + lines.length, 0);
    return { title, groups: groups.length, items, next: nextQuestion(sheet).ask, sheet };
  });
}

/** The text to wait for, and the keys that answer it. */
export type Steps = readonly (readonly [string, string])[];

/** For each step: waits until the terminal shows the text, then types the keys. */
export async function play(session: TerminalSession, steps: Steps): Promise<void> {
  let isSearching = false;
  for (const [text, keys] of steps) {
    await shows(session, text);
    // A search redraws for every letter, and ignores Enter while it is still searching.
    if (isSearching) await settled(session);
    isSearching = keys !== '' && !keys.includes('\r');
    if (keys !== '') {
      from.set(session, session.text().length);
      session.type(keys);
    }
  }
}

async function settled(session: TerminalSession): Promise<void> {
  for (let quiet = 0, seen = -1; quiet < 30; quiet++) {
    const { length } = session.text();
    if (length !== seen) quiet = 0;
    seen = length;
    await sleep(10);
  }
}

/** The length of each terminal's text at the last answer. Waits search only after it. */
const from = new WeakMap<TerminalSession, number>();

/** Waits until the terminal has shown the text, however it was wrapped and coloured. */
export async function shows(session: TerminalSession, text: string): Promise<void> {
  const wanted = squeezed(text);
  let over = false;
  session.exited.then(
    () => {
      over = true;
    },
    () => undefined,
  );
  for (let left = 1500; left > 0; left--) {
    const isOver = over;
    if (squeezed(session.text().slice(from.get(session) ?? 0)).includes(wanted)) return;
    if (isOver) break;
    await sleep(10);
  }
  throw new Error(`never shown: ${JSON.stringify(text)}:\n${screenOf(session.text(), 200)}`);
}

function squeezed(text: string): string {
  return stripVTControlCharacters(text).replace(/\s+/g, '');
}

/** Starts the wizard on a simulated terminal that prints the exit code and its modes at the end. */
export function startWizard(
  world: World,
  args = '',
  options: Pick<PtyOptions, 'cols' | 'env'> = {},
): TerminalSession {
  const words = args.split(' ').filter((word) => word !== '');
  return startTerminal(world, ['requisition', 'wizard', ...words], {
    ...options,
    tellsModes: true,
  });
}

/** Starts the wizard in a shell on a real terminal, for whole sessions and for tests that kill the wizard. */
export function startWizardInShell(world: World, args = '', options: PtyOptions = {}): PtySession {
  const shell = `trap : INT; "$NODE" "$PROC" requisition wizard ${args}; echo "code=$?"; stty -a`;
  return startPty(world, [], { ...options, shell });
}

/**
 * Checks that the program restored the terminal: the cursor is visible, and line editing, signals and echo are
 * on.
 */
export function expectRestored(text: string): void {
  expect(text.lastIndexOf('\u001b[?25h')).toBeGreaterThanOrEqual(text.lastIndexOf('\u001b[?25l'));
  const modes = text.slice(text.lastIndexOf('code='));
  expect(modes).toMatch(/\sicanon/);
  expect(modes).toMatch(/\sisig/);
  expect(modes).toMatch(/\secho\b/);
}
