import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ProcError } from '../../core/errors.ts';
import type { Streams } from '../../core/ports.ts';
import { writeNow } from '../../terminal/write.ts';

/**
 * Shows a page of the manual with `man`. Without a terminal or without `man`, prints the roff source.
 *
 * @param noun undefined for the page of proc itself
 */
export function showManPage(folder: string, noun: string | undefined, streams: Streams): void {
  const file = join(folder, `proc-${noun ?? 'cli'}.1`);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (thrown) {
    throw new ProcError('unreadable_file', `cannot read the page ${file}`, {
      hint: noun === undefined ? 'See the help: proc help' : `See the help: proc ${noun} --help`,
      cause: thrown,
    });
  }
  if (streams.stdout.isTTY === true) {
    // `man` reads a name with a slash as a file, so the page need not be installed.
    const { error } = spawnSync('man', [file], { stdio: 'inherit' });
    if (error === undefined) return;
  }
  writeNow(streams.stdout, text);
}
