import type { EndpointSpec } from '../core/endpoint.ts';
import type { Clock } from '../core/io.ts';
import type { Row } from '../core/result.ts';
import { sentence } from '../core/row-problem.ts';
import type { Sender } from '../core/service/sender.ts';

export type Query = Readonly<Record<string, string | number>>;

/** `failed`: no usable response, e.g. a 5xx, so nothing is known about the parameters. */
export type Answer = readonly Row[] | 'refused' | 'failed';

/** Ends the detection for one list. The message says why. */
export class ProbeEnded extends Error {
  override readonly name = 'ProbeEnded';
}

const MOST_REQUESTS = 250;
/** Stops the detection if a service ignores limits and returns the whole list every time. */
const MOST_ROWS = 100_000;
const LONGEST_WAIT_MS = 10_000;
const MOST_WAITS = 5;
const MOST_FAILURES = 5;
const NOT_ABOUT_QUERY = new Set([401, 403, 404, 405, 407, 410]);

export interface ProbePorts {
  readonly sender: Sender;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Sends GET requests for one list with any parameters. */
export class Probe {
  /** How many requests got no usable response. */
  failed = 0;
  readonly #spec: EndpointSpec;
  readonly #ports: ProbePorts;
  #asked = 0;
  #rows = 0;
  #waits = 0;
  #failuresInARow = 0;

  constructor(spec: EndpointSpec, ports: ProbePorts) {
    this.#spec = spec;
    this.#ports = ports;
  }

  /** @throws ProbeEnded if the service cannot or should not get more requests */
  async ask(query: Query): Promise<Answer> {
    const { sender, clock, signal } = this.#ports;
    const pairs = Object.entries(query).map(
      ([name, value]) => [name, `${value}`] as [string, string],
    );
    const text = pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
    // In the path, where no dialect renames the parameters.
    const { query: _, ...rest } = this.#spec;
    const spec = { ...rest, path: `${rest.path}${text}` };
    for (;;) {
      signal.throwIfAborted();
      if (this.#asked++ >= MOST_REQUESTS) throw new ProbeEnded('detection needs too many requests');
      const outcome = await sender.send(spec, {});
      signal.throwIfAborted();
      switch (outcome.kind) {
        case 'done': {
          const rows = outcome.value as readonly Row[];
          this.#failuresInARow = 0;
          this.#rows += rows.length;
          // A proof that a list has no pages takes several reads of all its rows. So a long list alone
          // must not end the detection.
          if (this.#rows <= Math.max(MOST_ROWS, 4 * rows.length)) return rows;
          const count = rowCount(rows.length);
          throw new ProbeEnded(`the service returns ${count} regardless of the parameters`);
        }
        case 'throttled':
          if (++this.#waits > MOST_WAITS || (outcome.retryAfterMs ?? 0) > LONGEST_WAIT_MS) {
            throw new ProbeEnded(`the service rejects requests (${outcome.status})`);
          }
          await clock.sleep(outcome.retryAfterMs ?? 1_000, signal);
          continue;
        case 'rejected':
          if (NOT_ABOUT_QUERY.has(outcome.status) || outcome.status < 400) {
            throw new ProbeEnded(`the service returned ${outcome.status}`);
          }
          return 'refused';
        case 'not-sent':
          throw new ProbeEnded(`cannot reach the service (${outcome.cause.message})`);
        case 'unknown':
          this.failed++;
          if (++this.#failuresInARow > MOST_FAILURES) {
            throw new ProbeEnded(`the service fails: ${sentence(outcome.problem)}`);
          }
          return 'failed';
      }
    }
  }
}

export function isRows(answer: Answer): answer is readonly Row[] {
  return typeof answer !== 'string';
}

export function rowCount(count: number): string {
  return count === 1 ? '1 row' : `${count} rows`;
}

/** Keys to recognize rows in another response: the id of a row, or else the whole row as text. */
export function keysOf(rows: readonly Row[]): readonly string[] {
  return rows.map((row) =>
    typeof row.id === 'string' || typeof row.id === 'number' ? String(row.id) : JSON.stringify(row),
  );
}
