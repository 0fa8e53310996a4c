import type { GlobalFlags } from '../../core/global-flags.ts';
import type { Env, Streams } from '../../core/io.ts';
import { paint } from '../../terminal/paint.ts';
import { colorFor, DEFAULT_WIDTH } from '../../terminal/terminal.ts';

export interface HelpStyle {
  readonly width: number;
  readonly heading: (text: string) => string;
}

const WIDEST_HELP = 100;

export function helpStyle({ stdout }: Streams, env: Env, color?: GlobalFlags['color']): HelpStyle {
  // Only stdout is used, because opening other streams would slow help down.
  return {
    width: Math.min(stdout.columns || DEFAULT_WIDTH, WIDEST_HELP),
    heading: paint(colorFor(stdout.isTTY === true, env, color)).bold,
  };
}
