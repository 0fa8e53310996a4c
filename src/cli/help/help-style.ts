import type { Env, GlobalFlags, Streams } from '../../core/ports.ts';
import { paint } from '../../terminal/paint.ts';
import { colorFor, DEFAULT_WIDTH } from '../../terminal/terminal.ts';

/** How help looks where it is shown. */
export interface HelpStyle {
  readonly width: number;
  readonly heading: (text: string) => string;
}

/** Lines of help are not longer than this: longer ones are hard to read. */
const WIDEST_HELP = 100;

/** As wide as the terminal, or as most terminals are if there is none; headings in bold if it has colour. */
export function helpStyle({ stdout }: Streams, env: Env, color?: GlobalFlags['color']): HelpStyle {
  // The other streams are left alone: to open them takes time that the first page of help has not.
  return {
    width: Math.min(stdout.columns || DEFAULT_WIDTH, WIDEST_HELP),
    heading: paint(colorFor(stdout.isTTY === true, env, color)).bold,
  };
}
