import type { Row } from '../core/result.ts';

/** Rows of a noun that are kept for completion. */
const MOST = 200;

/** Rows that were shown, by service and noun, until the command ends. */
export class SeenRows {
  readonly #services = new Map<string, Map<string, readonly Row[]>>();

  note(baseUrl: string, noun: string, value: unknown): void {
    const rows = (Array.isArray(value) ? value : [value]) as readonly Row[];
    const ofService = this.#services.get(baseUrl) ?? new Map<string, readonly Row[]>();
    ofService.set(noun, [...(ofService.get(noun) ?? []), ...rows].slice(-MOST));
    this.#services.set(baseUrl, ofService);
  }

  all(): ReadonlyArray<readonly [baseUrl: string, ReadonlyMap<string, readonly Row[]>]> {
    return [...this.#services];
  }
}
