import type { Message, Say, Streams, Terminal } from '../core/io.ts';
import { escapeJson, visible, visibleLines } from './sanitise.ts';
import { paint } from './terminal.ts';
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
    const width = terminal.stderrWidth - 1;
    const cut = (line: string) => (line.length > width ? `${line.slice(0, width - 1)}…` : line);
    const lines = text.split('\n').map((line) => cut(visible(line)));
    const isReplaced = allWrites() === writesAfterProgress;
    const up = isReplaced ? '\u001b[1A\r\u001b[2K'.repeat(linesOfProgress) : '';
    writeNow(stderr, `${up}${lines.join('\n').replace(/^✔/, green('✔'))}\n`);
    writesAfterProgress = isLast ? -1 : allWrites();
    linesOfProgress = lines.length;
  }

  function toned(message: Exclude<Message, { kind: 'progress' }>): string {
    const text = visibleLines(message.text);
    if (message.kind === 'http') return dim(text);
    if (message.kind === 'warning') return `${bold(yellow('warning:'))} ${text}`;
    if (message.tone === 'done') return `${green('✔')} ${text}`;
    return message.tone === 'protected' ? bold(red(text)) : text;
  }

  return (message) => {
    if (quiet && (message.kind === 'notice' || message.kind === 'progress')) return;
    if ('tone' in message && message.tone === 'protected') {
      if (message.text === targetSaid) return;
      targetSaid = message.text;
    }
    if (json) {
      const content = 'data' in message ? message.data : message.text;
      writeNow(stderr, `${escapeJson(JSON.stringify({ [message.kind]: content }))}\n`);
    } else if (message.kind === 'progress') progress(message.text, message.isLast === true);
    else writeNow(stderr, `${toned(message)}\n`);
  };
}
