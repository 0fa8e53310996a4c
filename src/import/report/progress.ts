import type { Context } from '../../context.ts';
import type { Clock, Say } from '../../core/io.ts';
import { sentence } from '../../core/row-problem.ts';
import { grouped } from '../../core/text/decimal.ts';
import { elapsedText } from '../../core/time/duration.ts';
import { wrapWords } from '../../terminal/wrap-words.ts';
import type { ProgressSnapshot } from '../send-run.ts';
import { type Counted, countedWord } from './words.ts';

const LINE_MS = 10_000;
const BAR = 20;

export interface ProgressPorts {
  readonly say: Say;
  readonly clock: Clock;
  /** True redraws the progress in place. False writes a new line every ten seconds. */
  readonly redraws: boolean;
  readonly width?: number;
}

export function progressFor(ctx: Context): Progress {
  const { terminal, say } = ctx.io;
  const { clock } = ctx;
  return new Progress({
    say,
    clock,
    redraws: terminal.stderrIsTerminal,
    width: terminal.stderrWidth - 1,
  });
}

export class Progress {
  readonly #ctx: ProgressPorts;
  #last: number;
  /** What {@link finish} shows for the current phase. */
  #ending: string | undefined;

  constructor(ctx: ProgressPorts) {
    this.#ctx = ctx;
    this.#last = ctx.clock.monotonic();
  }

  step(text: string, data: Readonly<Record<string, unknown>>): void {
    this.#ending = text;
    if (this.#isDue()) this.#show(text, data);
  }

  /** Ends the phase that was shown last. Its final line stays on the terminal. */
  finish(): void {
    const { say, redraws } = this.#ctx;
    if (this.#ending === undefined || !redraws) return;
    say({ kind: 'progress', text: `✔ ${this.#ending}`, data: {}, isLast: true });
    this.#ending = undefined;
  }

  sending({ counts, perSecond, concurrency, waiting }: ProgressSnapshot, counted: Counted): void {
    if (!this.#isDue()) return;
    const of = (state: string) => counts[state] ?? 0;
    const [created, existing, rejected] = [of('created'), of('existing'), of('rejected')];
    const unconfirmed = of('unconfirmed');
    const left = of('pending') + of('sending');
    const all = created + left + unconfirmed;
    const eta = perSecond > 0 ? Math.ceil(left / perSecond) : undefined;
    const seconds = waiting === undefined ? 0 : Math.max(0, Math.ceil(waiting.ms / 1000));
    const many = countedWord(2, counted);
    const why =
      waiting?.why === undefined ? `some ${many} are not confirmed yet` : sentence(waiting.why);
    const some = (count: number, word: string) =>
      count === 0 ? [] : [`${grouped(count)} ${word}`];
    const important = [
      ...some(rejected, 'rejected'),
      ...some(unconfirmed, 'unconfirmed'),
      ...(seconds === 0 ? [] : [`waiting ${elapsedText(seconds)}: ${why}`]),
    ];
    const rate = [
      `${grouped(Math.round(perSecond))} ${many}/s`,
      ...(eta === undefined ? [] : [`${elapsedText(eta)} left`]),
    ];
    // The least important last.
    const others = [
      ...(seconds === 0 ? rate : []),
      ...some(existing, 'existing'),
      `${grouped(concurrency)} concurrent`,
    ];
    const fraction = `${grouped(created)}/${grouped(all)}`;
    this.#ending = [`Sending: ${fraction}`, ...important].join(' · ');
    const { width = 80, redraws } = this.#ctx;
    const share = all === 0 ? 1 : created / all;
    const text = fitting(share, fraction, important, others, redraws ? width : undefined);
    this.#show(text, {
      rows: Object.values(counts).reduce((sum, count) => sum + count, 0),
      ...{ created, existing, rejected, unconfirmed, pending: left },
      ...{ perSecond: Math.round(perSecond), concurrency, etaSeconds: eta ?? null },
      waiting: waiting === undefined ? null : { seconds, why },
    });
  }

  #isDue(): boolean {
    const { redraws, clock } = this.#ctx;
    const every = redraws ? 0 : LINE_MS;
    const now = clock.monotonic();
    if (now - this.#last < every) return false;
    this.#last = now;
    return true;
  }

  #show(text: string, data: unknown): void {
    this.#ctx.say({ kind: 'progress', text, data });
  }
}

/**
 * Important parts are always shown, on more lines if necessary. To make room, other parts are left
 * out, and then the bar.
 */
function fitting(
  share: number,
  fraction: string,
  important: readonly string[],
  others: readonly string[],
  width = Number.POSITIVE_INFINITY,
): string {
  const filled = Math.floor(share * BAR);
  const bar = `${'█'.repeat(filled)}${'░'.repeat(BAR - filled)}`;
  const done = `${Math.floor(share * 100)}% ${fraction}`;
  for (let kept = others.length; kept >= 0; kept--) {
    const line = [`${bar} ${done}`, ...important, ...others.slice(0, kept)].join(' · ');
    if (line.length <= width) return line;
  }
  const lines = [done];
  for (const part of important) {
    const longer = `${lines.at(-1)} · ${part}`;
    if (longer.length <= width) lines[lines.length - 1] = longer;
    else lines.push(part);
  }
  return lines.flatMap((line) => wrapWords(line, width)).join('\n');
}
