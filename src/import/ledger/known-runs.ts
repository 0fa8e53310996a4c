import { serviceOf } from '../../core/scope.ts';
import { openLedger } from '../../ledger/open-ledger.ts';
import type { KnownRun as KnownHere, Ledger } from '../../ledger/port.ts';
import { SqlLedger } from '../../ledger/sql-ledger.ts';
import { FIRST_PHASE, type Phase } from '../phases.ts';
import type { RunHeader } from './header.ts';
import type { Counts } from './rows/states.ts';

/** How many rows are in each state, for `imports list`. */
export interface RunCounts {
  readonly states: Counts;
  readonly parked: number;
  readonly repaired: number;
}

export interface KnownRun extends KnownHere {
  readonly phase: Phase;
  readonly header: RunHeader | undefined;
  readonly counts: RunCounts | undefined;
}

/** Other processes write to the ledger too, but each only for a short time. */
const BUSY_MS = 20_000;

/** The ledger of a state folder. The caller closes it. */
export function ledgerOf(stateFolder: string, options?: { readonly readOnly: boolean }): Ledger {
  return new SqlLedger(openLedger(stateFolder, { ...options, busyTimeoutMs: BUSY_MS }));
}

/** The part of the ledger that knows only text has what this version of proc has written. */
export function known(run: KnownHere): KnownRun;
export function known(run: KnownHere | undefined): KnownRun | undefined;
export function known(run: KnownHere | undefined): KnownRun | undefined {
  return run as KnownRun | undefined;
}

/** Adds a new run to the ledger, opened for writing. */
export async function registerRun(ledger: Ledger, header: RunHeader): Promise<KnownRun> {
  const { run: name, noun, baseUrl, organization } = header;
  const service = serviceOf(baseUrl);
  return known(await ledger.add({ name, noun, service, organization, phase: FIRST_PHASE, header }));
}
