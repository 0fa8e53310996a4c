import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { ProcError } from '../core/errors.ts';
import type { Env } from '../core/ports.ts';
import { type PostgresPlace, parseLedger } from './ledger-address.ts';
import { stateDir } from './paths.ts';
import {
  type From,
  readSources,
  resolve,
  type Selection,
  type TargetFlags,
  textOf,
} from './resolve-target.ts';

export interface LedgerPlace {
  /** Has `ledger.db`, or the files that belong to a shared ledger. */
  readonly folder: string;
  /** Undefined for the ledger of this machine. */
  readonly postgres: PostgresPlace | undefined;
}

const VARIABLE = 'PROC_LEDGER';

/**
 * The ledger of a command. A service on loopback belongs to one machine, and so does its ledger, unless
 * `PROC_LEDGER_LOOPBACK=1`.
 *
 * @throws ProcError `invalid_setting`
 */
export function ledgerPlace(self: { readonly flags: TargetFlags; readonly env: Env }): LedgerPlace {
  const { env } = self;
  const local = { folder: stateDir(env), postgres: undefined };
  const selection = selectionOf(self);
  const setting: From<string> | undefined = textOf('ledger', VARIABLE, self, selection);
  if (setting === undefined) return local;
  if (env.PROC_LEDGER_LOOPBACK !== '1' && selection?.url.value.isLoopback === true) return local;
  const postgres = parseLedger(setting.value, setting.place, env);
  const key = createHash('sha256').update(postgres.name).digest('hex').slice(0, 12);
  return { folder: join(local.folder, 'shared', key), postgres };
}

/**
 * Undefined if no target can be selected, which is reported by what needs the target. What was sent from this machine
 * can then still be looked at.
 */
function selectionOf(self: Parameters<typeof ledgerPlace>[0]): Selection | undefined {
  try {
    return resolve(readSources(self));
  } catch (thrown) {
    if (thrown instanceof ProcError) return undefined;
    throw thrown;
  }
}
