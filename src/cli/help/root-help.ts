import { wrapPage } from '../../terminal/wrap-page.ts';
import { HELP_NOUN, NOUNS } from '../registry.ts';

/** What `proc` and `proc --help` print: the nouns by heading. Loads none of them. */
export function rootHelp(width: number): string {
  const all = [...NOUNS, HELP_NOUN];
  const column = Math.max(...all.map(({ name }) => name.length)) + 2;
  const headings = [...new Set(all.map(({ heading }) => heading))];
  const sections = headings.map((heading) => {
    const nouns = all.filter((noun) => noun.heading === heading);
    return `${heading}\n${nouns.map(({ name, summary }) => `  ${name.padEnd(column)}${summary}`).join('\n')}`;
  });
  return wrapPage(
    `Usage: proc <noun> <verb> [flags]

The command line for procurement operations.

${sections.join('\n\n')}

On a noun or command:  proc <noun> --help, proc <noun> <verb> --help
Flags of every command: proc help flags. Exit codes: proc help exit-codes.
First steps: proc sandbox start, then proc orders list in another terminal.
`,
    width,
  );
}
