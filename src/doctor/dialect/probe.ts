import type { EndpointSpec } from '../../core/endpoint.ts';
import type { Clock } from '../../core/ports.ts';
import type { Row } from '../../core/result.ts';
import type { Sender } from '../../core/service/sender.ts';

export type Query = Readonly<Record<string, string | number>>;

export type Seen =
  | { readonly kind: 'rows'; readonly rows: readonly Row[] }
  | { readonly kind: 'refused'; readonly status: number }
  /** No usable response, e.g. a 5xx, so nothing is known about the parameters. */
  | { readonly kind: 'failed'; readonly detail: string };

/** Ends the detection for one list. The message says why. */
export class ProbeEnded extends Error {
  override readonly name = 'ProbeEnded';
}

const MOST_REQUESTS = 250;
/** Stops the detection if a service ignores limits and returns the whole list every time. */
const MOST_ROWS = 100_000;
const LONGEST_WAIT_MS = 10_000;
const MOST_WAITS = 5;
const NOT_ABOUT_QUERY = new Set([401, 403, 404, 405, 407, 410]);

export interface ProbePorts {
  readonly sender: Sender;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export class Probe {
  readonly #spec: EndpointSpec;
  readonly #ports: ProbePorts;
  #requests = 0;
  #rows = 0;
  #waits = 0;
  #failures = 0;
  readonly #failed: string[] = [];

  constructor(spec: EndpointSpec, ports: ProbePorts) {
    this.#spec = spec;
    this.#ports = ports;
  }

  get failed(): readonly string[] {
    return this.#failed;
  }

  /** @throws ProbeEnded if the service cannot or should not get more requests */
  async ask(query: Query): Promise<Seen> {
    const { sender, clock, signal } = this.#ports;
    for (;;) {
      signal.throwIfAborted();
      if (++this.#requests > MOST_REQUESTS)
        throw new ProbeEnded('detection needs too many requests');
      const outcome = await sender.send(withQuery(this.#spec, query), {});
      signal.throwIfAborted();
      switch (outcome.kind) {
        case 'done':
          return this.#taken(outcome.value as readonly Row[]);
        case 'throttled':
          if (++this.#waits > MOST_WAITS || (outcome.retryAfterMs ?? 0) > LONGEST_WAIT_MS) {
            const text = queryText(query) || '(no parameters)';
            this.#failed.push(`${text} → rejected (${outcome.status})`);
            throw new ProbeEnded(`the service rejects requests (${outcome.status})`);
          }
          await clock.sleep(outcome.retryAfterMs ?? 1_000, signal);
          continue;
        case 'rejected':
          if (NOT_ABOUT_QUERY.has(outcome.status) || outcome.status < 400) {
            throw new ProbeEnded(`the service returned ${outcome.status}`);
          }
          return { kind: 'refused', status: outcome.status };
        case 'not-sent':
          this.#failed.push(`${queryText(query) || '(no parameters)'} → not reachable`);
          throw new ProbeEnded(`cannot reach the service (${outcome.cause.message})`);
        case 'unknown':
          this.#failed.push(`${queryText(query) || '(no parameters)'} → failed: ${outcome.detail}`);
          if (++this.#failures > 5) throw new ProbeEnded(`the service fails: ${outcome.detail}`);
          return { kind: 'failed', detail: outcome.detail };
      }
    }
  }

  #taken(rows: readonly Row[]): Seen {
    this.#failures = 0;
    this.#rows += rows.length;
    // A proof that a list has no pages takes several reads of all its rows. So a long list alone
    // must not end the detection.
    if (this.#rows > Math.max(MOST_ROWS, 4 * rows.length)) {
      throw new ProbeEnded(`the service returns ${rowCount(rows)} regardless of the parameters`);
    }
    return { kind: 'rows', rows };
  }
}

/** The endpoint with the query in its path, where no dialect renames the parameters. */
function withQuery(spec: EndpointSpec, query: Query): EndpointSpec {
  const { query: _, ...rest } = spec;
  const text = queryText(query);
  return { ...rest, path: `${spec.path}${text}` };
}

export function queryText(query: Query): string {
  const text = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) text.append(name, String(value));
  return text.size === 0 ? '' : `?${text}`;
}

export function seenText(seen: Seen): string {
  if (seen.kind === 'refused') return `refused (${seen.status})`;
  if (seen.kind === 'failed') return `failed: ${seen.detail}`;
  return rowCount(seen.rows);
}

export function rowCount({ length }: readonly unknown[]): string {
  return length === 1 ? '1 row' : `${length} rows`;
}

/** Keys to recognize rows in another response: the id of a row, or else the whole row as text. */
export function keysOf(rows: readonly Row[]): readonly string[] {
  return rows.map((row) =>
    typeof row.id === 'string' || typeof row.id === 'number' ? String(row.id) : JSON.stringify(row),
  );
}
