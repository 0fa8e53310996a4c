import type { Writable } from 'node:stream';
import type { Clock, Terminal } from '../core/io.ts';
import { grouped } from '../core/text/decimal.ts';
import { visible } from './sanitise.ts';
import { writePassing } from './write.ts';

const FRAMES = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏';
const FRAME_MS = 100;

/** `count` is how much is done; 0 is not shown. */
export interface Activity {
  readonly text: string;
  readonly count: number;
}

export interface SpinnerPorts {
  readonly stderr: Writable;
  readonly terminal: Pick<Terminal, 'stderrWidth'>;
  readonly clock: Pick<Clock, 'sleep'>;
}

/**
 * Redraws one line on stderr until the signal aborts. The next write to stderr replaces the line.
 *
 * @param now returns undefined while something else is written
 */
export async function spin(
  now: () => Activity | undefined,
  { stderr, terminal, clock }: SpinnerPorts,
  signal: AbortSignal,
): Promise<void> {
  for (let frame = 0; !signal.aborted; frame++) {
    const line = lineOf(now());
    if (line !== '') {
      const text = `${FRAMES[frame % FRAMES.length]} ${line}`;
      writePassing(stderr, text.slice(0, terminal.stderrWidth - 1));
    }
    await clock.sleep(FRAME_MS, signal).catch(() => undefined);
  }
}

function lineOf(activity: Activity | undefined): string {
  if (activity === undefined) return '';
  const { text, count } = activity;
  return visible(count === 0 ? text : `${text}: ${grouped(count)}`);
}
