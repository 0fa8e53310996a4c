import { $, bold, cyan, dim, green, red, yellow } from 'kleur/colors';
import type { GlobalFlags } from '../core/global-flags.ts';
import type { Env, Message, Say, Streams, Terminal } from '../core/io.ts';
import { isOn } from '../core/system.ts';
import { escapeJson, visible, visibleLines } from './sanitise.ts';
import { writeNow, writesTo } from './write.ts';

/** For streams without a width: pipes, files, and terminals that do not report one. */
const DEFAULT_WIDTH = 80;

/**
 * `--color` wins, then `NO_COLOR` (not empty), then `FORCE_COLOR` (`0` and `false` mean never),
 * then `TERM=dumb`; otherwise colour is for terminals.
 */
export function colorFor(isTerminal: boolean, env: Env, flag: GlobalFlags['color']): boolean {
  if (flag === 'always') return true;
  if (flag === 'never') return false;
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== '') return false;
  const forced = env.FORCE_COLOR;
  if (forced !== undefined) return forced === '' || isOn(forced);
  return isTerminal && env.TERM !== 'dumb';
}

export function describeTerminal(
  streams: Streams,
  env: Env,
  globals: Pick<GlobalFlags, 'color' | 'noInput'>,
): Terminal {
  const stdoutIsTerminal = streams.stdout.isTTY === true;
  const stderrIsTerminal = streams.stderr.isTTY === true;
  return {
    // Reading `streams.stdin` opens stdin, which is slow for a file. So stdin is checked last.
    interactive:
      stderrIsTerminal &&
      !isOn(env.CI) &&
      !isOn(env.PROC_NO_INPUT) &&
      !globals.noInput &&
      streams.stdin.isTTY === true,
    stdoutIsTerminal,
    stderrIsTerminal,
    // A pseudo-terminal without a size reports 0 columns.
    width: streams.stdout.columns || DEFAULT_WIDTH,
    stderrWidth: streams.stderr.columns || DEFAULT_WIDTH,
    color: {
      stdout: colorFor(stdoutIsTerminal, env, globals.color),
      stderr: colorFor(stderrIsTerminal, env, globals.color),
    },
  };
}

type Brush = (text: string) => string;

export interface Paint {
  readonly bold: Brush;
  readonly dim: Brush;
  readonly red: Brush;
  readonly yellow: Brush;
  readonly green: Brush;
  readonly cyan: Brush;
}

const same: Brush = (text) => text;
const PLAIN: Paint = { bold: same, dim: same, red: same, yellow: same, green: same, cyan: same };

export function paint(color: boolean): Paint {
  if (!color) return PLAIN;
  // Overrides kleur's own detection: colour is decided per stream.
  $.enabled = true;
  return { bold, dim, red, yellow, green, cyan };
}

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
