import type { Context } from '../../context.ts';
import type { Clock, Say } from '../../core/io.ts';
import { grouped } from '../../core/numbers.ts';
import { type Problem, sentence } from '../../core/row-problem.ts';
import { elapsedText } from '../../core/time.ts';
import { wrapWords } from '../../terminal/width.ts';
import type { Counted } from './words.ts';

export interface ProgressSnapshot {
  /** How many rows are in each state. */
  readonly counts: Readonly<Record<string, number>>;
  readonly perSecond: number;
  readonly concurrency: number;
  /** `ms` is the time left to wait. Without `why`, the run waits to look rows up. */
  readonly waiting: { readonly why?: Problem; readonly ms: number } | undefined;
}

const LINE_MS = 10_000;
const BAR = 20;

/** On a terminal it is redrawn in place; elsewhere it is a new line every ten seconds. */
export class Progress {
  readonly #say: Say;
  readonly #clock: Clock;
  readonly #width: number;
  readonly #redraws: boolean;
  #last: number;
  /** What {@link finish} shows for the current phase. */
  #ending: string | undefined;

  constructor({ clock, io: { say, terminal } }: Pick<Context, 'clock' | 'io'>) {
    this.#say = say;
    this.#clock = clock;
    this.#width = terminal.stderrWidth - 1;
    this.#redraws = terminal.stderrIsTerminal;
    this.#last = clock.monotonic();
  }

  step(text: string, data: Readonly<Record<string, unknown>>): void {
    this.#ending = text;
    if (this.#isDue()) this.#show(text, data);
  }

  /** Ends the phase that was shown last. Its final line stays on the terminal. */
  finish(): void {
    if (this.#ending === undefined || !this.#redraws) return;
    this.#say({ kind: 'progress', text: `✔ ${this.#ending}`, data: {}, isLast: true });
    this.#ending = undefined;
  }

  sending({ counts, perSecond, concurrency, waiting }: ProgressSnapshot, counted: Counted): void {
    if (!this.#isDue()) return;
    const of = (state: string) => counts[state] ?? 0;
    const [created, rejected, unconfirmed] = [of('created'), of('rejected'), of('unconfirmed')];
    const pending = of('pending') + of('sending');
    const all = created + pending + unconfirmed;
    const share = all === 0 ? 1 : created / all;
    const etaSeconds = perSecond > 0 ? Math.ceil(pending / perSecond) : null;
    const seconds = Math.max(0, Math.ceil((waiting?.ms ?? 0) / 1000));
    const why =
      waiting?.why === undefined ? `some ${counted} are not confirmed yet` : sentence(waiting.why);
    const fraction = `${grouped(created)}/${grouped(all)}`;
    const notes = [
      ...(rejected === 0 ? [] : [`${grouped(rejected)} rejected`]),
      ...(unconfirmed === 0 ? [] : [`${grouped(unconfirmed)} unconfirmed`]),
      ...(seconds === 0 ? [] : [`waiting ${elapsedText(seconds)}: ${why}`]),
    ];
    const rate = [
      `${grouped(Math.round(perSecond))} ${counted}/s`,
      ...(etaSeconds === null ? [] : [`${elapsedText(etaSeconds)} left`]),
    ];
    this.#ending = [`Sending: ${fraction}`, ...notes].join(' · ');
    const text = [`${Math.floor(share * 100)}% ${fraction}`, ...notes].join(' · ');
    const withRate = seconds === 0 ? [text, ...rate].join(' · ') : text;
    this.#show(
      this.#redraws
        ? fitting([`${barOf(share)} ${withRate}`, withRate, text], this.#width)
        : withRate,
      {
        rows: Object.values(counts).reduce((sum, count) => sum + count, 0),
        ...{ created, existing: of('existing'), rejected, unconfirmed, pending },
        ...{ perSecond: Math.round(perSecond), concurrency, etaSeconds },
        waiting: waiting === undefined ? null : { seconds, why },
      },
    );
  }

  #isDue(): boolean {
    const now = this.#clock.monotonic();
    if (!this.#redraws && now - this.#last < LINE_MS) return false;
    this.#last = now;
    return true;
  }

  #show(text: string, data: unknown): void {
    this.#say({ kind: 'progress', text, data });
  }
}

function barOf(share: number): string {
  const filled = Math.floor(share * BAR);
  return `${'█'.repeat(filled)}${'░'.repeat(BAR - filled)}`;
}

/** The first text that fits; the last one on more lines if necessary. */
function fitting(texts: readonly string[], width: number): string {
  const fits = texts.find((text) => text.length <= width);
  return fits ?? wrapWords(texts.at(-1)!, width).join('\n');
}
