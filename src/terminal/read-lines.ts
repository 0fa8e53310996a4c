import { createInterface } from 'node:readline';
import { mustBeInteractive, type PromptOptions, unanswered } from './prompts.ts';
import { visibleLines } from './sanitise.ts';
import { wrapText } from './wrap-words.ts';
import { writeNow } from './write.ts';

/** Within a paste the next line comes at once; a person needs longer than this to type one. */
const PASTE_GAP_MS = 80;

/**
 * Lines that are typed or pasted, up to an empty one. Nothing is redrawn: the terminal itself shows
 * and edits what is typed.
 *
 * @throws ProcError `interrupted` at Ctrl-C and at the end of the input
 */
export function readLines(
  message: string,
  { streams, terminal, signal }: PromptOptions,
): Promise<readonly string[]> {
  const { stdin, stderr } = streams;
  mustBeInteractive(terminal, message);
  return new Promise((resolve, reject) => {
    if (signal.aborted || stdin.readableEnded || stdin.destroyed) {
      reject(unanswered(signal));
      return;
    }
    const text = wrapText(visibleLines(message), stderr.columns || terminal.stderrWidth);
    writeNow(stderr, `${text}\n`);
    const lines: string[] = [];
    let isDone = false;
    let ending: NodeJS.Timeout | undefined;
    const reader = createInterface({ input: stdin, terminal: false });
    const stop = (): void => reader.close();
    reader.on('line', (text) => {
      clearTimeout(ending);
      lines.push(text);
      if (text.trim() !== '') return;
      ending = setTimeout(() => {
        isDone = true;
        reader.close();
      }, PASTE_GAP_MS);
    });
    reader.once('close', () => {
      clearTimeout(ending);
      signal.removeEventListener('abort', stop);
      if (isDone) resolve(lines.filter((line) => line.trim() !== ''));
      else {
        writeNow(stderr, '\n');
        reject(unanswered(signal));
      }
    });
    signal.addEventListener('abort', stop);
  });
}
