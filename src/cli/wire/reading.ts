import type { IoPort, Pages, SelfPort } from '../../core/ports.ts';
import type { Row } from '../../core/result.ts';
import { clearPassing } from '../../terminal/write.ts';

/** Shorter reads show no progress. */
const AFTER_MS = 500;

export interface ReadingPorts {
  readonly io: Pick<IoPort, 'streams' | 'terminal'>;
  readonly self: Pick<SelfPort, 'clock' | 'flags'>;
}

class Reading {
  count = 0;
  /** True while the consumer handles a page, because the consumer may write to the terminal. */
  isPaused = false;
  readonly #ended = new AbortController();
  readonly #ports: ReadingPorts;

  constructor(noun: string, ports: ReadingPorts) {
    this.#ports = ports;
    const { io, self } = ports;
    if (!io.terminal.stderrIsTerminal || self.flags.quiet) return;
    // Rejects if the read ends within AFTER_MS.
    this.#show(noun).catch(() => undefined);
  }

  async #show(noun: string): Promise<void> {
    const { io, self } = this.#ports;
    const { signal } = this.#ended;
    await self.clock.sleep(AFTER_MS, signal);
    const { spin } = await import('../../terminal/spinner.ts');
    const now = () => (this.isPaused ? undefined : { text: `Reading ${noun}`, count: this.count });
    await spin(now, { ...io, stderr: io.streams.stderr, clock: self.clock }, signal);
  }

  pause(): void {
    this.isPaused = true;
    clearPassing(this.#ports.io.streams.stderr);
  }

  end(): void {
    this.pause();
    this.#ended.abort();
  }
}

/** Shows progress on a terminal if the read takes long. */
export async function whileReading<T>(
  noun: string,
  ports: ReadingPorts,
  read: () => Promise<T>,
): Promise<T> {
  const reading = new Reading(noun, ports);
  try {
    return await read();
  } finally {
    reading.end();
  }
}

/** Passes the pages on. If the read takes long, a terminal shows how many rows were read. */
export async function* countedRows(
  noun: string,
  pages: Pages['rows'],
  ports: ReadingPorts,
): AsyncGenerator<readonly Row[]> {
  const reading = new Reading(noun, ports);
  try {
    for await (const page of pages) {
      reading.count += page.length;
      reading.pause();
      yield page;
      reading.isPaused = false;
    }
  } finally {
    reading.end();
  }
}
