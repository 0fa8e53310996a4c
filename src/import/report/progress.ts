import type { Clock, Ports, Say } from '../../core/ports.ts';
import { importRunMessages, type ProgressMessages } from '../../messages/import-run.ts';
import { writeNow } from '../../terminal/write.ts';
import { counted } from '../ledger/run-summary.ts';
import type { ProgressSnapshot } from '../send/execute.ts';

const LINE_MS = 10_000;
const JSON_MS = 1_000;
const BAR = 20;
/** JSON is always English. */
const WAIT = importRunMessages.en.progress.unconfirmedWait;

export interface ProgressPorts {
  readonly say: Say;
  readonly clock: Clock;
  /** The line is redrawn in place; otherwise a new line is written every ten seconds. */
  readonly redraws: boolean;
  /** With `--progress json`: writes one line of JSON. */
  readonly writeJson: ((line: string) => void) | undefined;
}

/** @param form of `--progress` */
export function progressFor(
  ports: Ports<'io' | 'self'>,
  form: 'auto' | 'json' | undefined,
): Progress {
  const { terminal, say, streams } = ports.io;
  const { clock } = ports.self;
  return new Progress({
    say,
    clock,
    redraws: terminal.stderrIsTerminal && !terminal.accessible,
    writeJson: form === 'json' ? (line) => writeNow(streams.stderr, line) : undefined,
  });
}

/** Shows the progress of a run. */
export class Progress {
  readonly #ports: ProgressPorts;
  #last: number;

  constructor(ports: ProgressPorts) {
    this.#ports = ports;
    this.#last = ports.clock.monotonic();
  }

  /** A step before or after sending, such as reading rows. */
  step(text: string, data: Readonly<Record<string, unknown>>): void {
    if (this.#isDue()) this.#show(text, data);
  }

  sending(snapshot: ProgressSnapshot, words: ProgressMessages): void {
    if (!this.#isDue()) return;
    const { counts, perSecond, concurrency, waiting } = snapshot;
    const { rows } = counted(counts);
    const { pending, ...others } = counted({ ...counts, sending: 0 });
    const left = pending + counts.sending;
    const toDo = counts.created + left + counts.unconfirmed;
    const eta = perSecond > 0 ? Math.ceil(left / perSecond) : undefined;
    const waitS = waiting === undefined ? undefined : Math.max(0, Math.ceil(waiting.ms / 1000));
    const now =
      waiting === undefined || waitS === 0
        ? [
            words.rate(Math.round(perSecond)),
            ...(eta === undefined ? [] : [words.left(duration(eta))]),
            words.concurrent(concurrency),
          ].join(', ')
        : words.waiting(duration(waitS!), waiting.why ?? words.unconfirmedWait);
    const text = `${bar(counts.created, toDo)} ${now} · ${words.counts(counts)}`;
    this.#show(text, {
      ...others,
      rows,
      pending: left,
      perSecond: Math.round(perSecond),
      concurrency,
      etaSeconds: eta ?? null,
      waiting: waiting === undefined ? null : { seconds: waitS, why: waiting.why ?? WAIT },
    });
  }

  #isDue(): boolean {
    const { redraws, writeJson, clock } = this.#ports;
    const every = writeJson !== undefined ? JSON_MS : redraws ? 0 : LINE_MS;
    const now = clock.monotonic();
    if (now - this.#last < every) return false;
    this.#last = now;
    return true;
  }

  #show(text: string, data: unknown): void {
    const { say, writeJson } = this.#ports;
    if (writeJson === undefined) say({ kind: 'progress', text, data });
    else writeJson(`${JSON.stringify({ progress: data })}\n`);
  }
}

function bar(done: number, all: number): string {
  const share = all === 0 ? 1 : done / all;
  const filled = Math.floor(share * BAR);
  return `${'█'.repeat(filled)}${'░'.repeat(BAR - filled)} ${Math.floor(share * 100)}% ${done}/${all}`;
}

function duration(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes} min ${seconds % 60} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
