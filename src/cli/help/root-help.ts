import { NOUNS, PROCUREMENT } from '../registry.ts';
import { type HelpRow, helpLine, helpSection } from './help-page.ts';
import type { HelpStyle } from './help-style.ts';

/** Written out, so that the root page loads no list of flags. */
export const ROOT_FLAGS =
  '-p --profile, -e --env, -o --output, -q --query, -y --yes, --no-input, --timeout, --retries, --color, -v --verbose, --quiet';

const FIRST_STEPS: readonly HelpRow[] = [
  ['proc sandbox exec', 'try proc in a shell with a service on this machine'],
  ['proc setup', 'connect to your service, step by step'],
];

/** One screen of 80 × 24: what `proc` alone prints, too. */
export function rootHelp(style: HelpStyle): string {
  const main = NOUNS.filter(({ heading }) => heading === PROCUREMENT);
  const others = NOUNS.filter(({ heading }) => heading !== PROCUREMENT).map(({ name }) => name);
  return `${[
    helpLine('Usage', 'proc <noun> <verb> [flags]     (help on each: add --help)', style),
    helpSection('First steps', FIRST_STEPS, style),
    helpSection(
      PROCUREMENT,
      main.map(({ name, summary }) => [name, summary]),
      style,
    ),
    [helpLine('More', others.join(', '), style), helpLine('Flags', ROOT_FLAGS, style)].join('\n'),
  ].join('\n\n')}\n`;
}
