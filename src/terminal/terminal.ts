import { $, bold, cyan, dim, green, red, yellow } from 'kleur/colors';
import type { GlobalFlags } from '../core/global-flags.ts';
import type { Env, Streams, Terminal } from '../core/io.ts';
import { isOn } from '../core/process/is-on.ts';

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
