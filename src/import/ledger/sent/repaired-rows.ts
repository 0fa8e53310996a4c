import type { DatabaseSync } from 'node:sqlite';
import { RUN_SPAN } from '../../../ledger/ledger-schema.ts';
import type { RunHeader } from '../header.ts';
import { knownRun } from '../known-runs.ts';
import { RowWriter } from '../rows/row-writer.ts';

/**
 * Records the outcome of repaired rows in the run that rejected them. If that run was a repair too,
 * continues with the run that it repaired. Must be called in a transaction; may be repeated.
 *
 * @param number of the repairing run, in this ledger
 */
export function repairEarlier(
  ledger: DatabaseSync,
  { run, repairs }: RunHeader,
  number: number,
): void {
  const earlier = repairs === undefined ? undefined : knownRun(ledger, repairs);
  if (earlier === undefined || !earlier.isEntered) return;
  const base = earlier.number * RUN_SPAN;
  const writer = new RowWriter({ database: ledger, base, end: base + RUN_SPAN });
  writer.repair({ run, base: number * RUN_SPAN });
  // A discarded run has no header any more, so the chain ends there.
  if (earlier.header !== undefined) repairEarlier(ledger, earlier.header, earlier.number);
}
