import { existsSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { RUN_SPAN } from '../../ledger/ledger-schema.ts';
import type { Phase } from '../phases.ts';
import { type Facts, FactTable } from './facts.ts';
import type { RunHeader } from './header.ts';
import type { KnownRun } from './known-runs.ts';
import { damaged } from './ledger-failure.ts';
import { RowCounts } from './rows/row-counts.ts';
import type { Counts } from './rows/states.ts';
import type { RunState } from './run-state.ts';

/** A run whose rows are in the ledger. The file with the records stays closed. */
export class LedgerRun implements RunState {
  readonly header: RunHeader;
  readonly phase: Phase;
  readonly isRemoved = false;
  readonly #path: string;
  readonly #facts: FactTable;
  readonly #counts: RowCounts;

  /**
   * @param path the file of the run
   * @throws ProcError `config_unreadable` if the run cannot be resumed, because its file or header
   *   is missing
   */
  constructor(database: DatabaseSync, { number, header, phase }: KnownRun, path: string) {
    if (header === undefined || !existsSync(path)) throw damaged(path);
    this.header = header;
    this.phase = phase;
    this.#path = path;
    this.#facts = new FactTable(database, number);
    const base = number * RUN_SPAN;
    this.#counts = new RowCounts({ database, base, end: base + RUN_SPAN });
  }

  get<K extends keyof Facts>(key: K): Facts[K] | undefined {
    return this.#facts.get(key) as Facts[K] | undefined;
  }

  counts(): Counts {
    const counts = this.#counts.byState();
    if (counts === undefined) throw damaged(this.#path);
    return counts;
  }

  countParked(isRunning = false): number {
    return this.#counts.parked(isRunning);
  }

  countRepaired(): number {
    return this.#counts.repaired();
  }
}
