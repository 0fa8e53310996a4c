import type { Clock, Ports, Say } from '../../core/ports.ts';
import type { Problem } from '../../core/problem/row-problem.ts';
import { sentence } from '../../core/problem/sentence.ts';
import { grouped } from '../../core/text/decimal.ts';
import { elapsedText } from '../../core/time/duration.ts';
import { wrapWords } from '../../terminal/wrap-words.ts';
import type { ProgressSnapshot } from '../send-run.ts';
import { importRunMessages } from './labels.ts';
import type { Counted } from './words.ts';

const LINE_MS = 10_000;
const BAR = 20;

export interface ProgressPorts {
  readonly say: Say;
  readonly clock: Clock;
  /** True redraws the progress in place. False writes a new line every ten seconds. */
  readonly redraws: boolean;
  readonly width?: number;
}

export function progressFor(ports: Ports<'io' | 'self'>): Progress {
  const { terminal, say } = ports.io;
  const { clock } = ports.self;
  return new Progress({
    say,
    clock,
    redraws: terminal.stderrIsTerminal && !terminal.accessible,
    width: terminal.stderrWidth - 1,
  });
}

export class Progress {
  readonly #ports: ProgressPorts;
  #last: number;
  /** What {@link finish} shows for the current phase. */
  #ending: string | undefined;

  constructor(ports: ProgressPorts) {
    this.#ports = ports;
    this.#last = ports.clock.monotonic();
  }

  step(text: string, data: Readonly<Record<string, unknown>>): void {
    this.#ending = text;
    if (this.#isDue()) this.#show(text, data);
  }

  /** Ends the phase that was shown last. Its final line stays on the terminal. */
  finish(): void {
    const { say, redraws } = this.#ports;
    if (this.#ending === undefined || !redraws) return;
    say({ kind: 'progress', text: `✔ ${this.#ending}`, data: {}, isLast: true });
    this.#ending = undefined;
  }

  sending(snapshot: ProgressSnapshot, counted: Counted): void {
    if (!this.#isDue()) return;
    const { progress: words, result } = importRunMessages;
    const { perSecond, concurrency, waiting } = snapshot;
    const of = (state: string) => snapshot.counts[state] ?? 0;
    const counts = {
      ...{ created: of('created'), existing: of('existing') },
      ...{ rejected: of('rejected'), unconfirmed: of('unconfirmed') },
    };
    const left = of('pending') + of('sending');
    const rows = Object.values(snapshot.counts).reduce((sum, count) => sum + count, 0);
    const toDo = counts.created + left + counts.unconfirmed;
    const eta = perSecond > 0 ? Math.ceil(left / perSecond) : undefined;
    const waitS = waiting === undefined ? undefined : Math.max(0, Math.ceil(waiting.ms / 1000));
    const wait =
      waiting === undefined || waitS === 0
        ? undefined
        : words.waiting(elapsedText(waitS!), whyIn(waiting.why, counted));
    const rate = words.rate(Math.round(perSecond), counted);
    const timeLeft = eta === undefined ? [] : [words.left(elapsedText(eta))];
    const concurrent = words.concurrent(concurrency);
    const { width = 80, redraws } = this.#ports;
    const existing = result.existing(counts.existing);
    const rejected = result.rejected(counts.rejected);
    const unconfirmed = result.unconfirmed(counts.unconfirmed);
    const important = [
      ...(counts.rejected === 0 ? [] : [rejected]),
      ...(counts.unconfirmed === 0 ? [] : [unconfirmed]),
      ...(wait === undefined ? [] : [wait]),
    ];
    const fraction = `${grouped(counts.created)}/${grouped(toDo)}`;
    this.#ending = [`${words.sending}: ${fraction}`, ...important].join(' · ');
    const now = wait ?? [rate, ...timeLeft, concurrent].join(', ');
    const seen = counts.existing === 0 ? [] : [existing];
    const text = redraws
      ? fittingLines(
          { done: counts.created, all: toDo, fraction, important },
          // The least important last.
          [...(wait === undefined ? [rate, ...timeLeft] : []), ...seen, concurrent],
          width,
        )
      : `${bar(counts.created, toDo)} ${now} · ${[existing, rejected, unconfirmed].join(', ')}`;
    this.#show(text, {
      rows,
      ...counts,
      pending: left,
      perSecond: Math.round(perSecond),
      concurrency,
      etaSeconds: eta ?? null,
      waiting: waiting === undefined ? null : { seconds: waitS, why: whyIn(waiting.why, counted) },
    });
  }

  #isDue(): boolean {
    const { redraws, clock } = this.#ports;
    const every = redraws ? 0 : LINE_MS;
    const now = clock.monotonic();
    if (now - this.#last < every) return false;
    this.#last = now;
    return true;
  }

  #show(text: string, data: unknown): void {
    this.#ports.say({ kind: 'progress', text, data });
  }
}

interface Line {
  readonly done: number;
  readonly all: number;
  readonly fraction: string;
  readonly important: readonly string[];
}

/**
 * Important parts are always shown, on more lines if necessary. To make room, other parts are left
 * out, and then the bar.
 */
function fittingLines(
  { done, all, fraction, important }: Line,
  others: readonly string[],
  width: number,
): string {
  const share = `${percent(done, all)}% ${fraction}`;
  for (let kept = others.length; kept >= 0; kept--) {
    const shown = [`${blocks(done, all)} ${share}`, ...important, ...others.slice(0, kept)];
    const line = shown.join(' · ');
    if (line.length <= width) return line;
  }
  const lines = [share];
  for (const part of important) {
    const longer = `${lines.at(-1)} · ${part}`;
    if (longer.length <= width) lines[lines.length - 1] = longer;
    else lines.push(part);
  }
  return lines.flatMap((line) => wrapWords(line, width)).join('\n');
}

function bar(done: number, all: number): string {
  return `${blocks(done, all)} ${percent(done, all)}% ${done}/${all}`;
}

function blocks(done: number, all: number): string {
  const filled = Math.floor(shareOf(done, all) * BAR);
  return `${'█'.repeat(filled)}${'░'.repeat(BAR - filled)}`;
}

function percent(done: number, all: number): number {
  return Math.floor(shareOf(done, all) * 100);
}

function shareOf(done: number, all: number): number {
  return all === 0 ? 1 : done / all;
}

function whyIn(why: Problem | undefined, of: Counted): string {
  return why === undefined ? importRunMessages.progress.unconfirmedWait(of) : sentence(why);
}
