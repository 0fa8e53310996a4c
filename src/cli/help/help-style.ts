import type { Env, GlobalFlags, Streams } from '../../core/ports.ts';
import { paint } from '../../terminal/paint.ts';
import { describeTerminal } from '../../terminal/terminal.ts';

/** How help looks where it is shown. */
export interface HelpStyle {
  readonly width: number;
  readonly heading: (text: string) => string;
}

/** Lines of help are not longer than this: longer ones are hard to read. */
const WIDEST_HELP = 100;

/** As wide as the terminal, or as most terminals are if there is none; headings in bold if it has colour. */
export function helpStyle(streams: Streams, env: Env, color?: GlobalFlags['color']): HelpStyle {
  const terminal = describeTerminal(streams, env, { noInput: false, color });
  return {
    width: Math.min(terminal.width, WIDEST_HELP),
    heading: paint(terminal.color.stdout).bold,
  };
}
