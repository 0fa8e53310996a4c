import type { Against, Claim, Intent, Ledger, Outcome, Refused } from '../../ledger/port.ts';
import { phaseChanged } from '../phases.ts';
import type { Commits } from './commits.ts';

interface Job {
  readonly intents: readonly Intent[];
  readonly done: (refused: readonly Refused[]) => void;
  readonly failed: (thrown: unknown) => void;
}

/**
 * Writes to the ledger what is in the file of the run: always after the file is on the disk. Jobs that come
 * while a write is under way wait for it, and are then written together.
 */
export class Publisher {
  readonly #ledger: Ledger;
  readonly #claim: Claim;
  readonly #commits: Commits;
  #outcomes: Outcome[] = [];
  #jobs: Job[] = [];
  #running: Promise<void> | undefined;
  /** Which entries of other runs stop an intent. */
  against: Against = { which: 'nothing', since: 0 };

  constructor(ledger: Ledger, claim: Claim, commits: Commits) {
    this.#ledger = ledger;
    this.#claim = claim;
    this.#commits = commits;
  }

  /** The outcomes go to the ledger with the next write. */
  publish(outcomes: readonly Outcome[]): void {
    this.#outcomes.push(...outcomes);
  }

  /**
   * @returns the rows whose intents were not written
   * @throws ProcError `phase_changed` if another process has opened the run for writing
   */
  write(intents: readonly Intent[] = []): Promise<readonly Refused[]> {
    return new Promise((done, failed) => {
      this.#jobs.push({ intents, done, failed });
      this.#running ??= this.#run();
    });
  }

  async #run(): Promise<void> {
    while (this.#jobs.length > 0) {
      const jobs = this.#jobs;
      const outcomes = this.#outcomes;
      this.#jobs = [];
      this.#outcomes = [];
      try {
        const commits = await this.#commits.sync();
        const intents = jobs.flatMap((job) => job.intents);
        const { against } = this;
        const written = await this.#ledger.write(this.#claim, {
          commits,
          outcomes,
          intents,
          against,
        });
        if (written === undefined) throw phaseChanged(this.#claim.name);
        const refused = new Map(written.refused.map((one) => [one.row, one]));
        for (const { intents: own, done } of jobs)
          done(own.flatMap(({ row }) => refused.get(row) ?? []));
      } catch (thrown) {
        this.#outcomes = [...outcomes, ...this.#outcomes];
        for (const { failed } of jobs) failed(thrown);
      }
    }
    this.#running = undefined;
  }
}
