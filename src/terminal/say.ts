import type { Message, Say, Streams, Terminal } from '../core/io.ts';
import { escapeJson, visible, visibleLines } from './sanitise.ts';
import { paint } from './terminal.ts';
import { wrapText } from './wrap-words.ts';
import { writeNow, writesTo } from './write.ts';

export interface SayOptions {
  readonly streams: Streams;
  readonly terminal: Terminal;
  readonly json: boolean;
  readonly quiet: boolean;
}

export function createSay({ streams, terminal, json, quiet }: SayOptions): Say {
  const { stderr } = streams;
  const { bold, dim, green, red, yellow } = paint(terminal.color.stderr);
  let writesAfterProgress = -1;
  let linesOfProgress = 1;
  /** The last announcement of a protected target, which proc does not repeat. */
  let targetSaid: string | undefined;
  const allWrites = (): number => writesTo(stderr) + writesTo(streams.stdout);

  /** Progress replaces the previous progress, unless something was printed in between. */
  function progress(text: string, isLast: boolean): void {
    if (!terminal.stderrIsTerminal) {
      writeNow(stderr, `${visibleLines(text)}\n`);
      return;
    }
    const lines = text.split('\n').map((line) => cut(visible(line), terminal.stderrWidth - 1));
    const isReplaced = allWrites() === writesAfterProgress;
    const up = isReplaced ? '\u001b[1A\r\u001b[2K'.repeat(linesOfProgress) : '';
    writeNow(stderr, `${up}${lines.join('\n').replace(/^✔/, green('✔'))}\n`);
    writesAfterProgress = isLast ? -1 : allWrites();
    linesOfProgress = lines.length;
  }

  function asText(message: Message): void {
    if (message.kind === 'progress') {
      progress(message.text, message.isLast === true);
      return;
    }
    const text = visibleLines(message.text);
    const wrapped = (taken: number) =>
      terminal.stderrIsTerminal
        ? wrapText(text, stderr.columns || terminal.stderrWidth, taken)
        : text;
    const tone = 'tone' in message ? message.tone : undefined;
    const behind = (label: string, brush: typeof red) =>
      `${brush(label)} ${wrapped(label.length + 1)}`;
    const shown =
      message.kind === 'http'
        ? dim(text)
        : message.kind === 'warning'
          ? behind('warning:', (label) => bold(yellow(label)))
          : tone === 'done'
            ? behind('✔', green)
            : tone === 'protected'
              ? bold(red(wrapped(0)))
              : wrapped(0);
    writeNow(stderr, `${shown}\n`);
  }

  return (message) => {
    if (quiet && (message.kind === 'notice' || message.kind === 'progress')) return;
    if ('tone' in message && message.tone === 'protected') {
      if (message.text === targetSaid) return;
      targetSaid = message.text;
    }
    if (!json) {
      asText(message);
      return;
    }
    const content = 'data' in message ? message.data : message.text;
    writeNow(stderr, `${escapeJson(JSON.stringify({ [message.kind]: content }))}\n`);
  };
}

/** On one line, so that the next progress can replace it. */
function cut(line: string, width: number): string {
  return line.length > width ? `${line.slice(0, width - 1)}…` : line;
}
