import { existsSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Surroundings } from '../../context.ts';
import { visibleLines } from '../../terminal/sanitise.ts';
import { writeNow } from '../../terminal/write.ts';
import type { Parsed } from '../parse.ts';
import { NOUNS } from '../registry.ts';
import { commandHelp } from './command-help.ts';
import { type HelpStyle, helpStyle } from './help-style.ts';
import { nounHelp } from './noun-help.ts';
import { allPages } from './pages/all-pages.ts';
import { rootHelp } from './root-help.ts';

/** Prints what `--help` or a noun without a verb asks for. Loads no command. */
export async function showHelp(
  { path, color }: Extract<Parsed, { kind: 'page' }>,
  surroundings: Surroundings,
): Promise<void> {
  const { streams, env } = surroundings;
  writeNow(streams.stdout, await pageText(path, helpStyle(streams, env, color), surroundings));
}

/**
 * The page of `proc WORDS --help`, for words that are exactly the path of a noun, a group or a command: nothing else
 * of the command line need be read.
 */
export async function pageAt(
  words: readonly string[],
  style: HelpStyle,
  self: Self,
): Promise<string | undefined> {
  const pages = Object.entries(await allPages()).find(([name]) => name === words[0])?.[1] ?? [];
  const isPath = pages.some(({ path }) => words.every((word, at) => path[at] === word));
  return isPath ? pageText(words, style, self) : undefined;
}

async function pageText(path: readonly string[], style: HelpStyle, self: Self): Promise<string> {
  const [name, group] = path;
  if (name === undefined) return rootHelp(style);
  const pages = (await allPages())[name]!;
  const page = pages.find((one) => one.path.join(' ') === path.join(' '));
  if (page !== undefined) return commandHelp(page, style, () => examplesFolder(self));
  const noun = NOUNS.find((one) => one.name === name)!;
  const summary = group === undefined ? noun.summary : noun.groups![group]!;
  return nounHelp({ path, summary, commands: pages }, style, () => examplesFolder(self));
}

type Self = Pick<Surroundings, 'selfCommand'>;

/** The script may be started by a link, so its real path is needed. */
function packageFolder(name: string, { selfCommand }: Self): string {
  const script = selfCommand.at(-1) ?? '';
  return resolve(existsSync(script) ? realpathSync(script) : script, '../..', name);
}

function examplesFolder(self: Self): string {
  return visibleLines(packageFolder('examples', self));
}
